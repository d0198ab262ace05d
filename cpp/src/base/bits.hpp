// Numbers in a string of bytes, bit by bit, the lowest first.
//
// The exponential Golomb code of order k (Teuhola 1978) of a number takes k bits more than twice the logarithm of number / 2^k + 1:
// with the highest bit of number + 2^k at k + n, it is n zeros, a one, and the k + n lower bits of that sum.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

namespace memspan {

inline constexpr unsigned kBitsAtOnce = 56;   // that are put or read in one step
inline constexpr unsigned kMostOrder = 31;
inline constexpr uint64_t kMostCoded = (uint64_t{1} << 34) - 1;

class BitWriter {
 public:
  // Writes into `memory` from its start, and makes it grow when it has to.
  explicit BitWriter(std::vector<uint8_t>& memory) : memory_(memory) {}

  // The lowest `count` <= kBitsAtOnce bits, of which all above are 0.
  void put(uint64_t bits, unsigned count) {
    if (size_ + sizeof held_ > memory_.size()) memory_.resize(2 * memory_.size() + 64);
    held_ |= bits << held_count_;
    held_count_ += count;
    std::memcpy(memory_.data() + size_, &held_, sizeof held_);
    const unsigned bytes = held_count_ / 8;
    size_ += bytes;
    held_ >>= 8 * bytes;
    held_count_ %= 8;
  }
  // Up to kMostCoded and kMostOrder.
  void put_number(uint64_t number, unsigned order) {
    const uint64_t sum = number + (uint64_t{1} << order);
    const unsigned highest = 63 - static_cast<unsigned>(std::countl_zero(sum));
    const unsigned zeros = highest - order;
    const uint64_t lower = sum ^ uint64_t{1} << highest;
    if (zeros + 1 + highest <= kBitsAtOnce) [[likely]] {
      put((lower << 1 | 1) << zeros, zeros + 1 + highest);
    } else {
      put(uint64_t{1} << zeros, zeros + 1);
      put(lower, highest);
    }
  }
  // What was written, the last byte filled up with zeros.
  std::span<const uint8_t> bytes() const { return {memory_.data(), size_ + (held_count_ > 0)}; }

 private:
  std::vector<uint8_t>& memory_;
  size_t size_ = 0;
  uint64_t held_ = 0;  // less than a byte
  unsigned held_count_ = 0;
};

// Behind the end all bits are 0.
class BitReader {
 public:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  explicit BitReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint64_t get(unsigned count) {
    const uint64_t bits = ahead() & mask(count);
    position_ += count;
    return bits;
  }
  // kNone if no number is there.
  uint64_t get_number(unsigned order) {
    const uint64_t bits = ahead();
    const auto zeros = static_cast<unsigned>(std::countr_zero(bits));
    const unsigned highest = zeros + order;
    uint64_t lower;
    if (zeros + 1 + highest <= kBitsAtOnce) [[likely]] {
      lower = bits >> (zeros + 1) & mask(highest);
      position_ += zeros + 1 + highest;
    } else {
      if (highest > kBitsAtOnce || zeros >= kBitsAtOnce) return kNone;
      position_ += zeros + 1;
      lower = get(highest);
    }
    return (lower | uint64_t{1} << highest) - (uint64_t{1} << order);
  }

 private:
  static uint64_t mask(unsigned count) { return (uint64_t{1} << count) - 1; }
  // The next kBitsAtOnce bits, and up to a byte more.
  uint64_t ahead() const {
    uint64_t bits = 0;
    const size_t byte = position_ / 8;
    if (byte + sizeof bits <= bytes_.size()) [[likely]] {
      std::memcpy(&bits, bytes_.data() + byte, sizeof bits);
    } else {
      for (size_t i = byte; i < bytes_.size(); ++i) bits |= uint64_t{bytes_[i]} << 8 * (i - byte);
    }
    return bits >> position_ % 8;
  }

  std::span<const uint8_t> bytes_;
  size_t position_ = 0;
};

}  // namespace memspan
