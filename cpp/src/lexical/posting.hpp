// One entry of an inverted list: a record, how often it holds the term, and its length, in six bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memspan/types.hpp"

namespace memspan {

// Lengths and frequencies are kept beside the slot so that scoring reads nothing else. Layout of the 16-bit code:
//   0 ffff fnnn nnnn nnnn   a length n of at most 1023 tokens; frequency f, 31: that or more
//   1 ffff ffff ffff ffff   a greater length, which is in the index's column; frequency f, 32767: that or more
// Codes of equal frequency are neighbours, and frequencies below the cap come first: `code < (f + 1) << 10` is the test
// for everything that a table over the first f frequencies can score.
class Posting {
 public:
  static constexpr uint32_t kLengthBits = 10;
  static constexpr uint32_t kShortLength = (1u << kLengthBits) - 1;  // the greatest in the code
  static constexpr uint32_t kShortCap = 31;                           // of frequencies beside a length

  Posting() = default;
  Posting(Slot slot, uint32_t frequency, uint32_t length)
      : low_(static_cast<uint16_t>(slot)),
        high_(static_cast<uint16_t>(slot >> 16)),
        code_(static_cast<uint16_t>(length <= kShortLength ? std::min(frequency, kShortCap) << kLengthBits | length
                                                           : kLong | std::min(frequency, kLongCap))) {}

  // The same of another slot.
  Posting moved_to(Slot slot) const {
    Posting moved = *this;
    moved.low_ = static_cast<uint16_t>(slot);
    moved.high_ = static_cast<uint16_t>(slot >> 16);
    return moved;
  }

  Slot slot() const { return static_cast<Slot>(low_) | static_cast<Slot>(high_) << 16; }
  uint32_t code() const { return code_; }

  bool has_length() const { return (code_ & kLong) == 0; }
  uint32_t length() const { return code_ & kShortLength; }  // if it has one
  bool has_frequency() const { return frequency() != (has_length() ? kShortCap : kLongCap); }
  // A lower bound if it has none.
  uint32_t frequency() const { return has_length() ? static_cast<uint32_t>(code_) >> kLengthBits : code_ & kLongCap; }

 private:
  static constexpr uint32_t kLong = 1u << 15;
  static constexpr uint32_t kLongCap = kLong - 1;

  uint16_t low_;  // halves, so that an entry takes six bytes
  uint16_t high_;
  uint16_t code_;
};
static_assert(sizeof(Posting) == 6);

}  // namespace memspan
