// The body of a snapshot in memory, for tests of save and load.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "snapshot/body.hpp"

namespace memspan::test {

class BodyBuffer final : public BodyWriter {
 public:
  uint64_t append(std::span<const std::byte> bytes) override {
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    const size_t start = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return start;
  }
  std::string& bytes() { return bytes_; }

  // A copy, as it would be mapped.
  Body map() const {
    constexpr size_t kPage = 4096;
    if (bytes_.empty()) return {};
    const std::shared_ptr<void> owner(std::aligned_alloc(kPage, (bytes_.size() + kPage - 1) / kPage * kPage), std::free);
    std::memcpy(owner.get(), bytes_.data(), bytes_.size());
    return {static_cast<std::byte*>(owner.get()), bytes_.size(), owner};
  }

 private:
  std::string bytes_;
};

}  // namespace memspan::test
