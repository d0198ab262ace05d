// Numbers of any width in a string of bytes, the lowest bit first.
//
// A gamma number x >= 1 of n + 1 significant bits takes 2 n + 1: n zeros, a one, and the other n bits (Elias 1975).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace memspan {

inline constexpr unsigned kMostBits = 32;  // of a number of bits, and of a gamma number

class BitWriter {
 public:
  explicit BitWriter(std::vector<uint8_t>& out) : out_(out) {}

  // The lowest `count` <= kMostBits bits, of which all above are 0.
  void put(uint64_t bits, unsigned count) {
    held_ |= bits << held_count_;
    held_count_ += count;
    for (; held_count_ >= 8; held_count_ -= 8, held_ >>= 8) out_.push_back(static_cast<uint8_t>(held_));
  }
  // 1 to 2^kMostBits - 1.
  void put_gamma(uint64_t number) {
    const unsigned more = static_cast<unsigned>(std::bit_width(number)) - 1;
    put(0, more);
    put(1, 1);
    put(number - (uint64_t{1} << more), more);
  }
  // The last byte is filled up with zeros.
  void finish() {
    if (held_count_ > 0) out_.push_back(static_cast<uint8_t>(held_));
    held_ = held_count_ = 0;
  }

 private:
  std::vector<uint8_t>& out_;
  uint64_t held_ = 0;
  unsigned held_count_ = 0;
};

// Behind the end all bits are 0.
class BitReader {
 public:
  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t get(unsigned count) {
    const uint64_t bits = ahead() & ((uint64_t{1} << count) - 1);
    position_ += count;
    return bits;
  }
  // 0 if no gamma number is there.
  uint64_t get_gamma() {
    const auto more = static_cast<unsigned>(std::countr_zero(ahead()));
    if (more >= kMostBits) return 0;
    position_ += more + 1;
    return uint64_t{1} << more | get(more);
  }

 private:
  // The next 57 bits or more.
  uint64_t ahead() const {
    uint64_t bits = 0;
    const size_t byte = position_ / 8;
    if (byte < bytes_.size()) std::memcpy(&bits, bytes_.data() + byte, std::min(sizeof bits, bytes_.size() - byte));
    return bits >> position_ % 8;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace memspan
