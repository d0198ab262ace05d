// The readers of the strings in unicode_tables.cpp. Their format is described in cpp/tools/make_unicode_tables.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memspan {

// Reads the numbers of a packed table: five bits a character from '#' up, lowest first, bit 5 set if more follow.
class VarintReader {
 public:
  explicit VarintReader(std::string_view packed) : packed_(packed) {}

  bool done() const { return position_ == packed_.size(); }

  uint32_t next() {
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 5) {
      const char c = packed_[position_++];
      const auto six = static_cast<uint32_t>((c == '~' ? '\\' : c) - '#');
      value |= (six & 31u) << shift;
      if (six < 32u) return value;
    }
  }

  // A signed number relative to `base`, stored zigzag.
  char32_t next_relative(char32_t base) {
    const uint32_t value = next();
    return (value & 1u) != 0 ? base - ((value + 1) >> 1) : base + (value >> 1);
  }

 private:
  std::string_view packed_;
  size_t position_ = 0;
};

// Code point -> what replaces it, in two array reads.
class FoldTable {
 public:
  explicit FoldTable(std::string_view packed) {
    pages_.emplace_back();
    char32_t source = 0;
    for (VarintReader reader(packed); !reader.done();) {
      source += reader.next();
      const uint32_t head = reader.next();
      if ((head & 1u) != 0) {
        read_string(reader, source, head >> 1);
      } else {
        read_run(reader, source, head);
      }
    }
  }

  // Calls emit(code point) for each code point that stands for the given one.
  template <typename Emit>
  void fold(char32_t code_point, Emit emit) const {
    const uint32_t entry = pages_[page_of_[code_point >> 8]][code_point & 0xFF];
    if (entry == kItself) {
      emit(code_point);
    } else if ((entry & kString) == 0) {
      emit(static_cast<char32_t>(entry));
    } else {
      const uint32_t offset = entry & 0xFFFF;
      const uint32_t length = (entry >> 16) & 0x7F;
      for (uint32_t i = 0; i < length; ++i) emit(strings_[offset + i]);
    }
  }

 private:
  // An entry is kItself, another code point, or kString | length << 16 | offset in strings_; length 0 deletes.
  static constexpr uint32_t kItself = 0;
  static constexpr uint32_t kString = 1u << 31;

  uint32_t& entry(char32_t code_point) {
    uint16_t& page = page_of_[code_point >> 8];
    if (page == 0) {
      page = static_cast<uint16_t>(pages_.size());
      pages_.emplace_back();
    }
    return pages_[page][code_point & 0xFF];
  }

  void read_string(VarintReader& reader, char32_t source, uint32_t length) {
    entry(source) = kString | (length << 16) | static_cast<uint32_t>(strings_.size());
    for (uint32_t i = 0; i < length; ++i) strings_.push_back(reader.next_relative(source));
  }

  void read_run(VarintReader& reader, char32_t source, uint32_t head) {
    const uint32_t stride = (head & 2u) != 0 ? 2 : 1;
    const uint32_t step = (head & 4u) != 0 ? stride : 0;
    const char32_t target = reader.next_relative(source);
    for (uint32_t i = 0; i <= head >> 3; ++i) {
      entry(source + i * stride) = target == 0 ? kString : static_cast<uint32_t>(target + i * step);
    }
  }

  std::array<uint16_t, 0x1100> page_of_ = {};
  std::vector<std::array<uint32_t, 256>> pages_;  // the first: every code point stands for itself
  std::u32string strings_;
};

}  // namespace memspan
