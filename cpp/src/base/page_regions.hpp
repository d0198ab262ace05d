// Regions of huge pages, out of which pieces of whole pages of 4 kB are cut (huge_pages.hpp).
//
// Layout: the first page of a region is its head. Complexity: to mark pages, or to look for a run of free ones, takes
// O(pages / 64). Thread safety: as plain data.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/huge_pages.hpp"

namespace memspan::huge_pages {

inline constexpr uint32_t kPages = kRegion / kPage;
inline constexpr uint32_t kWidePages = kWideRegion / kPage;

// Of small pieces that last, of those that pass, and of large ones that last.
enum Kind : uint8_t { kLasting, kPassing, kWide };
inline constexpr size_t kKinds = 3;

struct Run {
  size_t first;  // page
  size_t end;
};

// The head of a region, in its first page.
struct Region {
  std::array<uint64_t, kWidePages / 64> taken = {1};  // a bit for each page
  Region* next = nullptr;                             // in its list
  Region* previous = nullptr;
  uint32_t pages;
  uint32_t longest;  // run of free pages
  uint16_t list = 0;
  Kind kind;

  explicit Region(Kind of) : pages(of == kWide ? kWidePages : kPages), longest(pages - 1), kind(of) {}

  bool empty() const { return longest == pages - 1; }
  std::byte* address(size_t page) { return reinterpret_cast<std::byte*>(this) + page * kPage; }

  // Calls visit(first, length) for each run of free pages, in their order, until it returns true.
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for (size_t page = next_page(0, 0); page < pages;) {
      const size_t end = next_page(page, ~uint64_t{0});
      if (visit(page, end - page)) return;
      page = next_page(end, 0);
    }
  }
  // The free pages around the given one, which is free.
  Run run_around(size_t page) const {
    Run found = {page, page};
    for_each_run([&](size_t first, size_t length) {
      found = {first, first + length};
      return page < found.end;
    });
    return found;
  }
  // The first page from the given one on that is free (flip: 0) or taken (all ones); `pages` if there is none.
  size_t next_page(size_t page, uint64_t flip) const {
    while (page < pages) {
      const uint64_t bits = ~(taken[page / 64] ^ flip) >> page % 64;
      if (bits != 0) return page + static_cast<size_t>(std::countr_zero(bits));
      page = (page / 64 + 1) * 64;
    }
    return pages;
  }
  void mark(size_t first, size_t count, bool as_taken) {
    for (size_t page = first; page < first + count;) {
      const size_t in_word = std::min(64 - page % 64, first + count - page);
      const uint64_t bits = (in_word == 64 ? ~uint64_t{0} : (uint64_t{1} << in_word) - 1) << page % 64;
      taken[page / 64] = as_taken ? taken[page / 64] | bits : taken[page / 64] & ~bits;
      page += in_word;
    }
    longest = 0;
    for_each_run([&](size_t, size_t length) {
      longest = std::max(longest, static_cast<uint32_t>(length));
      return false;
    });
  }
};

// The regions of one kind. List i holds those whose longest run is of 2^(i-1) to 2^i - 1 pages; list 0 the full ones.
struct Regions {
  static constexpr size_t kLists = std::bit_width(kWidePages) + 1;

  size_t region_pages = kPages;
  std::array<Region*, kLists> lists = {};
  size_t empty = 0;

  void link(Region* region) {
    region->list = static_cast<uint16_t>(std::bit_width(region->longest));
    region->previous = nullptr;
    region->next = lists[region->list];
    if (region->next != nullptr) region->next->previous = region;
    lists[region->list] = region;
  }
  void unlink(Region* region) {
    (region->previous != nullptr ? region->previous->next : lists[region->list]) = region->next;
    if (region->next != nullptr) region->next->previous = region->previous;
  }
  // A region with a run of so many pages, or null. Of the list whose runs may be too short, only a few are looked at.
  Region* find(size_t pages) {
    constexpr int kTries = 4;
    const auto list = static_cast<size_t>(std::bit_width(pages));
    Region* region = lists[list];
    for (int i = 0; region != nullptr && i < kTries; ++i, region = region->next) {
      if (region->longest >= pages) return region;
    }
    for (size_t longer = list + 1; longer < kLists; ++longer) {
      if (lists[longer] != nullptr) return lists[longer];
    }
    return nullptr;
  }
  // Takes out what is empty; linked by `next`.
  Region* take_empty() {
    Region* taken = nullptr;
    for (Region* region = lists[std::bit_width(region_pages - 1)]; region != nullptr;) {
      Region* const next = region->next;
      if (region->empty()) {
        unlink(region);
        region->next = taken;
        taken = region;
      }
      region = next;
    }
    empty = 0;
    return taken;
  }
};

}  // namespace memspan::huge_pages
