// Asks for a line of memory before it is read.
//
// GCC takes a function that does nothing but __builtin_prefetch for one without effects, and drops the calls to it, inline
// or not, without a word. The empty asm is an effect that costs no instruction.
#pragma once

#include <cstddef>

namespace memspan {

[[gnu::always_inline]] inline void prefetch_line(const void* place) {
  __builtin_prefetch(place);
  __asm__ volatile("");
}

// Into the second level, which can wait for more lines at once than the first.
[[gnu::always_inline]] inline void prefetch_line_to_l2(const void* place) {
  __builtin_prefetch(place, 0, 2);
  __asm__ volatile("");
}

[[gnu::always_inline]] inline void prefetch_line_to_write(const void* place) {
  __builtin_prefetch(place, 1);
  __asm__ volatile("");
}

// All lines of an object whose members are read one after the other, each by an address that the one before gave.
template <typename T>
[[gnu::always_inline]] inline void prefetch_whole(const T& object) {
  constexpr size_t kLine = 64;
  const char* const first = reinterpret_cast<const char*>(&object);
  for (size_t at = 0; at < sizeof(T); at += kLine) prefetch_line(first + at);
}

}  // namespace memspan
