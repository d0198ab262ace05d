// Where bytes go one after the other, through a buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace memspan {

class ByteSink {
 public:
  virtual ~ByteSink() = default;

  void append(std::string_view bytes) {
    position_ += bytes.size();
    if (buffer_.size() + bytes.size() <= kBuffer) {
      buffer_ += bytes;
      return;
    }
    flush();
    if (bytes.size() < kBuffer) {
      buffer_ += bytes;
    } else {
      write(bytes);
    }
  }
  // Appends zeros up to a multiple of `alignment`.
  void align(uint64_t alignment) {
    const uint64_t beyond = position_ % alignment;
    if (beyond != 0) append(std::string(alignment - beyond, '\0'));
  }
  uint64_t position() const { return position_; }  // bytes appended
  void flush() {
    if (!buffer_.empty()) write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr size_t kBuffer = size_t{1} << 20;

  virtual void write(std::string_view bytes) = 0;

  std::string buffer_;
  uint64_t position_ = 0;
};

}  // namespace memspan
