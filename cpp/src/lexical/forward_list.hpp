// The terms of one record in bytes: how many terms, then for each, ascending, twice the distance to the one before, plus
// 1 if a frequency greater than 1 follows. Numbers take seven bits a byte, the lowest first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lexical/byte_chains.hpp"
#include "lexical/term_table.hpp"

namespace memspan {

struct Occurrence {
  TermId term;
  uint32_t frequency;
};

namespace forward_list {

inline void put_number(uint64_t number, std::vector<uint8_t>& out) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<uint8_t>(number | 0x80));
  out.push_back(static_cast<uint8_t>(number));
}

inline uint64_t get_number(ByteChains::Reader& in) {
  uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = in.next();
    number |= uint64_t{byte & 0x7Fu} << shift;
    if (byte < 0x80) break;
  }
  return number;
}

// The terms must be distinct and ascending.
inline void write(std::span<const Occurrence> terms, std::vector<uint8_t>& out) {
  out.clear();
  put_number(terms.size(), out);
  TermId last = 0;
  for (const Occurrence& each : terms) {
    put_number(uint64_t{each.term - last} << 1 | (each.frequency > 1), out);
    if (each.frequency > 1) put_number(each.frequency, out);
    last = each.term;
  }
}

// Calls visit(Occurrence) in the order of the terms' numbers until it returns false. Safe on any bytes: what a snapshot
// may claim falsely, terms that do not ascend or are not below `numbers`, ends the list.
template <typename Visit>
void read(ByteChains::Reader in, size_t numbers, Visit visit) {
  uint64_t term = 0;
  bool first = true;
  for (uint64_t left = get_number(in); left > 0; --left, first = false) {
    const uint64_t head = get_number(in);
    const uint64_t distance = head >> 1;
    if (distance >= numbers - term || (distance == 0 && !first)) return;
    term += distance;
    const uint64_t frequency = (head & 1) != 0 ? get_number(in) : 1;
    if (!visit(Occurrence{static_cast<TermId>(term), static_cast<uint32_t>(frequency)})) return;
  }
}

}  // namespace forward_list
}  // namespace memspan
