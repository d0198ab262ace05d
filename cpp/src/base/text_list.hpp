// Many short texts in a snapshot: u16 size of each, then the bytes of all.
#pragma once

#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace memspan {

// each(i) is the i-th of `count` texts of at most 65,535 bytes.
template <typename Each>
void put_texts(ByteWriter& out, size_t count, Each each) {
  out.put_each<uint16_t>(count, [&](size_t i) { return static_cast<uint16_t>(std::string_view(each(i)).size()); });
  for (size_t i = 0; i < count; ++i) out.put_bytes(each(i));
}

// Reads them in their order; views are valid as long as the reader's bytes.
class TextList {
 public:
  TextList(ByteReader& in, size_t count)
      : sizes_(in.get_each<uint16_t>(count)), left_(in.get_bytes(std::reduce(sizes_.begin(), sizes_.end(), uint64_t{0}))) {}

  size_t size() const { return sizes_.size(); }
  // For each text once at most.
  std::string_view next() {
    const std::string_view text = left_.substr(0, sizes_[next_++]);
    left_.remove_prefix(text.size());
    return text;
  }

 private:
  std::vector<uint16_t> sizes_;
  std::string_view left_;
  size_t next_ = 0;
};

}  // namespace memspan
