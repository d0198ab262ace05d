// Many short texts in a snapshot: u16 size of each, then the bytes of all.
#pragma once

#include <cstdint>
#include <string_view>

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
  TextList(ByteReader& in, size_t count) : sizes_(in.view_each<uint16_t>(count)) {
    uint64_t total = 0;
    for (size_t i = 0; i < count; ++i) total += sizes_[i];
    left_ = in.get_bytes(total);
  }

  size_t size() const { return sizes_.size(); }
  // For each text once at most.
  std::string_view next() {
    const std::string_view text = left_.substr(0, sizes_[next_++]);
    left_.remove_prefix(text.size());
    return text;
  }

 private:
  PackedValues<uint16_t> sizes_;
  std::string_view left_;
  size_t next_ = 0;
};

}  // namespace memspan
