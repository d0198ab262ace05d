// Texts of up to 518 bytes in a SmallArena: u16 size, then the bytes. A text costs its bytes, two more and what
// rounding to 8 adds; its place is 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/prefetch.hpp"
#include "base/small_arena.hpp"

namespace memspan {

class TextArena {
 public:
  using Ref = SmallArena::Ref;
  static constexpr Ref kNone = SmallArena::kNone;
  static constexpr size_t kMaxBytes = SmallArena::kMaxBytes - sizeof(uint16_t);

  Ref add(std::string_view text) {
    const Ref place = arena_.allocate(sizeof(uint16_t) + text.size());
    const auto size = static_cast<uint16_t>(text.size());
    std::memcpy(arena_.data(place), &size, sizeof size);
    std::memcpy(arena_.data(place) + sizeof size, text.data(), text.size());
    return place;
  }
  // Erases the bytes.
  void remove(Ref place) noexcept { arena_.release(place, sizeof(uint16_t) + text(place).size()); }

  // Valid until the next change.
  std::string_view text(Ref place) const {
    const std::byte* data = arena_.data(place);
    uint16_t size;
    std::memcpy(&size, data, sizeof size);
    return {reinterpret_cast<const char*>(data) + sizeof size, size};
  }

  // Asks for the first bytes of the text.
  void prefetch(Ref place) const { prefetch_line(arena_.data(place)); }

  size_t bytes() const { return arena_.bytes(); }

 private:
  SmallArena arena_;
};

}  // namespace memspan
