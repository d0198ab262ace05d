// Memory in huge pages for the arrays of many users.
//
// A search of one user among many finds hardly anything in the caches, and with pages of 4 kB hardly any translation of
// an address either: each line that it reads then waits for a walk through the page tables, which under a hypervisor
// takes longer than the line. So pieces of 4 kB to nearly 2 MB are cut out of regions of huge pages. Smaller ones come
// from operator new, as do those that would be rounded up by more than an eighth. Larger ones are mapped one by one:
// malloc, which has seen a large piece come back, would put the next one among what stays (its threshold grows).
//
// A region is an array of pages of 4 kB, the first of which holds a bit for each that is taken. Regions are kept in
// lists by their longest run of free pages, so that a piece is found, or given back, in O(pages of a region / 64); a
// region that is empty goes back to the system, except one.
//
// There are three kinds. Small pieces lie in regions of one huge page. What a consolidation will give back soon (`passing`)
// has such regions of its own: beside what stays, it would leave holes behind that are too short for anything else, a sixth
// of the memory of users with 1,000 records each. Large pieces that stay, the codes of users with some hundred to some
// thousand records, lie end to end in wide regions, as a single huge page has room for one of 1.2 MB and no second. What is
// given back there returns to the system by whole huge pages: part of one would leave the rest of it in small pages.
// Memory: 0.2 % and what lies idle between pieces.
// Thread safety: every function may be called by any thread at any time, also after a fork.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace memspan::huge_pages {

inline constexpr size_t kPage = 4096;
inline constexpr size_t kRegion = size_t{2} << 20;
inline constexpr size_t kWideRegion = 8 * kRegion;
inline constexpr size_t kLarge = size_t{256} << 10;  // the least bytes of a large piece

constexpr size_t round_up(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Do pieces of so many bytes come from here? False on systems without huge pages.
constexpr bool serve(size_t bytes) {
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
  if (bytes < kPage) return false;
  return round_up(bytes) - bytes <= bytes / 8;
#else
  return bytes == ~size_t{0};
#endif
}

// How long a piece is likely to be needed.
enum class Stay { lasting, passing };

// Of a size that they serve: a multiple of the page's size is its address, of a piece that is mapped alone a region's. Not
// initialised. Throws std::bad_alloc.
void* allocate(size_t bytes, Stay stay = Stay::lasting);
// Size and stay must be those that the piece was asked for with: they say in which kind of region it lies.
void free(void* piece, size_t bytes, Stay stay = Stay::lasting) noexcept;
// Gives the end of a piece back that lasts and is not large. `kept` is a multiple of the page's size, and then the size of
// the piece.
void shrink(void* piece, size_t bytes, size_t kept) noexcept;

// Makes room for a piece of that size ahead, if it is more than 64 kB, and not large where it is to stay. The page of a
// region is provided at the first write to it, all 2 MB at once, which takes a guest of a hypervisor up to 8 ms: so this is to
// be called where nobody waits, by whoever will allocate where somebody does. Without memory nothing happens. O(1).
void prepare(size_t bytes, Stay stay) noexcept;
// The same for smaller pieces, of both kinds, where some of them were needed before; where there is room, a look at two
// flags.
void replenish() noexcept;

// Gives the regions back that are empty. For the end of large work: in between, one is kept for what comes next.
void trim() noexcept;

// Before a fork the pool is locked. Handlers of forks run in the reverse order of their registration: whoever waits there
// for threads, which may need the pool to come to their end, calls this before it registers its own.
void take_part_in_forks();

// Called with the bytes of each piece before it is made, and with their negative when it is given back. Null: nobody
// wants to know. For tests, which count memory and let there be none: it may throw std::bad_alloc if positive.
using Observer = void (*)(ptrdiff_t bytes);
void observe(Observer observer);

// For the standard containers, and for others that know the sizes of their pieces.
template <typename T, Stay kStay = Stay::lasting>
struct Allocator {
  using value_type = T;
  template <typename U>
  struct rebind {
    using other = Allocator<U, kStay>;
  };

  Allocator() = default;
  template <typename U>
  Allocator(const Allocator<U, kStay>&) noexcept {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    return static_cast<T*>(serve(bytes) ? huge_pages::allocate(bytes, kStay) : ::operator new(bytes));
  }
  void deallocate(T* piece, size_t count) noexcept {
    const size_t bytes = count * sizeof(T);
    if (serve(bytes)) {
      huge_pages::free(piece, bytes, kStay);
    } else {
      ::operator delete(piece);
    }
  }
  friend bool operator==(const Allocator&, const Allocator&) { return true; }
};

// For the columns of a batch: what malloc would put among what stays.
template <typename T>
using PassingVector = std::vector<T, Allocator<T, Stay::passing>>;

}  // namespace memspan::huge_pages
