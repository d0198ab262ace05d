// The terms of one record in bits (base/bits.hpp):
//
//   list := gamma terms   5 bits: how many low bits k of a distance stand by themselves
//           for each term, ascending: gamma (distance >> k) + 1, and the k bits   1 bit: more than once, and then
//           gamma frequency - 1
//
// A distance is how many numbers lie between a term and the one before. So a term takes 11 bits where 10,000 records hold 25,000
// terms, with the common ones, which came early, beside rare ones (Teuhola 1978).
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bits.hpp"
#include "lexical/term_table.hpp"

namespace memspan {

struct Occurrence {
  TermId term;
  uint32_t frequency;
};

namespace forward_list {

inline constexpr unsigned kWidthBits = 5;  // of k

// Two bits less than the mean distance has, as most are shorter than that: the least on made and on real texts.
inline unsigned low_bits(std::span<const Occurrence> terms) {
  const uint64_t mean = (uint64_t{terms.back().term} + 1) / terms.size();
  const auto width = static_cast<unsigned>(std::bit_width(mean));
  return width > 3 ? width - 3 : 0;
}

// The terms must be distinct and ascending, and one at least.
inline void write(std::span<const Occurrence> terms, std::vector<uint8_t>& bytes) {
  bytes.clear();
  BitWriter out(bytes);
  out.put_gamma(terms.size());
  const unsigned low = low_bits(terms);
  out.put(low, kWidthBits);
  uint64_t next = 0;
  for (const Occurrence& each : terms) {
    const uint64_t distance = each.term - next;
    out.put_gamma((distance >> low) + 1);
    out.put(distance & ((uint64_t{1} << low) - 1), low);
    out.put(each.frequency > 1, 1);
    if (each.frequency > 1) out.put_gamma(uint64_t{each.frequency} - 1);
    next = uint64_t{each.term} + 1;
  }
  out.finish();
}

// Calls visit(Occurrence) in the order of the terms' numbers until it returns false. Safe on any bytes: what a snapshot
// may claim falsely, numbers that are none or terms that are not below `numbers`, ends the list.
template <typename Visit>
void read(std::span<const uint8_t> bytes, size_t numbers, Visit visit) {
  BitReader in(bytes);
  uint64_t left = in.get_gamma();
  const auto low = static_cast<unsigned>(in.get(kWidthBits));
  for (uint64_t next = 0; left > 0; --left) {
    const uint64_t head = in.get_gamma();
    if (head == 0) return;
    const uint64_t distance = (head - 1) << low | in.get(low);
    if (next >= numbers || distance >= numbers - next) return;
    uint64_t frequency = 1;
    if (in.get(1) != 0) {
      const uint64_t more = in.get_gamma();
      if (more == 0) return;
      frequency += more;
    }
    next += distance + 1;
    if (!visit(Occurrence{static_cast<TermId>(next - 1), static_cast<uint32_t>(frequency)})) return;
  }
}

}  // namespace forward_list
}  // namespace memspan
