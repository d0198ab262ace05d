// The terms of one record in bits, numbers in exponential Golomb codes (base/bits.hpp):
//
//   list := number of terms (of order 0)   5 bits: an order k
//           for each term, ascending: twice the distance, plus 1 if it occurs more than once (of order k + 1), and then its frequency
//           less 2 (of order 0)
//
// A distance is how many numbers lie between a term and the one before. So a term takes 11 bits where 10,000 records hold 25,000
// terms, with the common ones, which came early, beside rare ones.
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

inline constexpr unsigned kOrderBits = 5;

// Two bits less than the mean distance has, as most are shorter than that: the least on made and on real texts.
inline unsigned order_of(std::span<const Occurrence> terms) {
  const uint64_t mean = (uint64_t{terms.back().term} + 1) / terms.size();
  const auto width = static_cast<unsigned>(std::bit_width(mean));
  return width > 3 ? width - 3 : 0;
}

// The terms must be distinct and ascending, and one at least. Valid until `memory` changes.
inline std::span<const uint8_t> write(std::span<const Occurrence> terms, std::vector<uint8_t>& memory) {
  BitWriter out(memory);
  out.put_number(terms.size(), 0);
  const unsigned order = order_of(terms);
  out.put(order, kOrderBits);
  uint64_t next = 0;
  for (const Occurrence& each : terms) {
    const bool again = each.frequency > 1;
    out.put_number((each.term - next) << 1 | again, order + 1);
    if (again) out.put_number(each.frequency - 2, 0);
    next = uint64_t{each.term} + 1;
  }
  return out.bytes();
}

// Calls visit(Occurrence) in the order of the terms' numbers until it returns false. Safe on any bytes: what a snapshot
// may claim falsely, numbers that are none or terms that are not below `numbers`, ends the list.
template <typename Visit>
void read(std::span<const uint8_t> bytes, size_t numbers, Visit visit) {
  BitReader in(bytes);
  uint64_t left = in.get_number(0);
  if (left == BitReader::kNone) return;
  const unsigned order = static_cast<unsigned>(in.get(kOrderBits)) + 1;
  if (order > kMostOrder) return;
  for (uint64_t next = 0; left > 0; --left) {
    const uint64_t head = in.get_number(order);  // kNone is far enough
    const uint64_t distance = head >> 1;
    if (next >= numbers || distance >= numbers - next) return;
    uint64_t frequency = 1;
    if ((head & 1) != 0) {
      frequency = in.get_number(0);
      if (frequency > ~uint32_t{0} - 2) return;
      frequency += 2;
    }
    next += distance + 1;
    if (!visit(Occurrence{static_cast<TermId>(next - 1), static_cast<uint32_t>(frequency)})) return;
  }
}

}  // namespace forward_list
}  // namespace memspan
