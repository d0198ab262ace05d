// What is stored of one user has two parts: a head, which is read and checked as a whole when the user is loaded, and a
// body, whose pieces can be used where they lie in a mapped file, at the first time that they are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.hpp"

namespace memspan {

// Takes the pieces of a body while a user is saved.
class BodyWriter {
 public:
  static constexpr size_t kAlignment = 64;

  virtual ~BodyWriter() = default;
  // Puts the bytes at the next multiple of kAlignment; returns where that is, counted from the body's start.
  virtual uint64_t append(std::span<const std::byte> bytes) = 0;
};

// A body that was read or mapped. Its memory is private: what is written to it is never seen by the file. Nothing of it
// has been checked.
struct Body {
  std::byte* data = nullptr;    // at a multiple of BodyWriter::kAlignment or, of an empty body, null
  uint64_t size = 0;
  std::shared_ptr<void> owner;  // keeps `data` valid; null if there is nothing to keep
  bool on_heap = false;         // its bytes count among those of whoever uses them

  // Where the piece of `bytes` begins whose place, as append() returned it, comes next in the head. Throws CorruptSnapshot with
  // the reason if it lies outside the body.
  std::byte* piece(ByteReader& head, uint64_t bytes, const char* reason) const {
    const auto place = head.get<uint64_t>();
    head.check(place % BodyWriter::kAlignment == 0 && bytes <= size && place <= size - bytes, reason);
    return data + place;
  }
};

}  // namespace memspan
