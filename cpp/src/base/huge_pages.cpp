#include "base/huge_pages.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>

namespace memspan::huge_pages {
namespace {

constexpr size_t kPages = kRegion / kPage;
constexpr size_t kWords = kPages / 64;

// Fewer free pages in a row than these are soon used up.
constexpr size_t kFewPages = 16;

// The pages of larger pieces go back to the system at once.
constexpr size_t kLarge = size_t{256} << 10;

// The head of a region, in its first page.
struct Region {
  std::array<uint64_t, kWords> taken = {1};  // a bit for each page
  Region* next = nullptr;                    // in its list
  Region* previous = nullptr;
  uint32_t longest = kPages - 1;             // run of free pages
  uint16_t list = 0;
  Stay stay = Stay::lasting;

  bool empty() const { return longest == kPages - 1; }

  // Calls visit(first, length) for each run of free pages, in their order, until it returns true.
  template <typename Visit>
  void for_each_run(Visit visit) const {
    for (size_t page = next_page(0, 0); page < kPages;) {
      const size_t end = next_page(page, ~uint64_t{0});
      if (visit(page, end - page)) return;
      page = next_page(end, 0);
    }
  }
  // The first page from the given one on that is free (flip: 0) or taken (all ones); kPages if there is none.
  size_t next_page(size_t page, uint64_t flip) const {
    while (page < kPages) {
      const uint64_t bits = ~(taken[page / 64] ^ flip) >> page % 64;
      if (bits != 0) return page + static_cast<size_t>(std::countr_zero(bits));
      page = (page / 64 + 1) * 64;
    }
    return kPages;
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
  static constexpr size_t kLists = std::bit_width(kPages) + 1;

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
    for (Region* region = lists[std::bit_width(kPages - 1)]; region != nullptr;) {
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

// Mapping, and the first write to what is mapped, take long: never under the mutex.
struct Pool {
  std::mutex mutex;
  std::array<Regions, 2> regions;            // by Stay
  std::array<std::atomic<bool>, 2> low = {};  // by Stay: there are but few pages left in a row

  Regions& of(Stay stay) { return regions[static_cast<size_t>(stay)]; }
  std::atomic<bool>& is_low(Stay stay) { return low[static_cast<size_t>(stay)]; }
  void note_low(Stay stay) {
    if (of(stay).find(kFewPages) == nullptr) is_low(stay).store(true, std::memory_order_relaxed);
  }
};

// Never destroyed: objects that live as long as the process give memory back at its end.
Pool& pool() {
  static Pool* const made = [] {
    static std::aligned_storage_t<sizeof(Pool), alignof(Pool)> memory;
    auto* const pool = new (&memory) Pool;
    pthread_atfork([] { huge_pages::pool().mutex.lock(); }, [] { huge_pages::pool().mutex.unlock(); },
                   [] { huge_pages::pool().mutex.unlock(); });
    return pool;
  }();
  return *made;
}

// Whole pages at the address of a region.
std::byte* map(size_t size) {
  // A region more, and what lies around goes back.
  void* const mapped = ::mmap(nullptr, size + kRegion, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const bytes = static_cast<std::byte*>(mapped);
  const size_t before = (kRegion - reinterpret_cast<uintptr_t>(bytes) % kRegion) % kRegion;
  if (before != 0) ::munmap(bytes, before);
  if (before != kRegion) ::munmap(bytes + before + size, kRegion - before);
#if defined(MADV_HUGEPAGE)
  ::madvise(bytes + before, size, MADV_HUGEPAGE);  // only advice: a failure costs speed
#endif
  return bytes + before;
}

Region* make_region(Stay stay) {
  auto* const region = new (map(kRegion)) Region;
  region->stay = stay;
  return region;
}

void make_ahead(size_t pages, Stay stay) noexcept try {
  Pool& pool = huge_pages::pool();
  {
    const std::lock_guard lock(pool.mutex);
    if (pool.of(stay).find(pages) != nullptr) return;
  }
  Region* const made = make_region(stay);
  const std::lock_guard lock(pool.mutex);
  ++pool.of(stay).empty;
  pool.of(stay).link(made);
} catch (const std::bad_alloc&) {
}

std::atomic<Observer> observing = nullptr;

void tell(ptrdiff_t bytes) {
  if (const Observer observer = observing.load(std::memory_order_relaxed)) observer(bytes);
}

size_t pages_of(size_t bytes) { return (bytes + kPage - 1) / kPage; }

// Has a mapping of its own.
bool alone(size_t bytes) { return bytes > kRegion - 2 * kPage; }

}  // namespace

void observe(Observer observer) { observing = observer; }

void take_part_in_forks() { huge_pages::pool(); }

void* allocate(size_t bytes, Stay stay) {
  tell(static_cast<ptrdiff_t>(bytes));
  const size_t pages = pages_of(bytes);
  if (alone(bytes)) return map(pages * kPage);
  Pool& pool = huge_pages::pool();
  std::unique_lock lock(pool.mutex);
  Regions& regions = pool.of(stay);
  Region* region = regions.find(pages);
  if (region == nullptr) {
    lock.unlock();
    region = make_region(stay);
    lock.lock();
  } else {
    regions.unlink(region);
    if (region->empty()) --regions.empty;
  }
  // The shortest run that is long enough.
  size_t first = 0;
  size_t best = kPages;
  region->for_each_run([&](size_t page, size_t length) {
    if (length >= pages && length < best) first = page, best = length;
    return length == pages;
  });
  region->mark(first, pages, true);
  regions.link(region);
  pool.note_low(stay);
  return reinterpret_cast<std::byte*>(region) + first * kPage;
}

void prepare(size_t bytes, Stay stay) noexcept {
  if (serve(bytes) && !alone(bytes) && pages_of(bytes) > kFewPages) make_ahead(pages_of(bytes), stay);
}

void replenish() noexcept {
  for (const Stay stay : {Stay::lasting, Stay::passing}) {
    std::atomic<bool>& low = pool().is_low(stay);
    if (low.load(std::memory_order_relaxed) && low.exchange(false, std::memory_order_relaxed)) make_ahead(kFewPages, stay);
  }
}

void shrink(void* piece, size_t bytes, size_t kept) noexcept {
  if (kept < bytes) huge_pages::free(static_cast<std::byte*>(piece) + kept, bytes - kept);
}

void free(void* piece, size_t bytes) noexcept {
  tell(-static_cast<ptrdiff_t>(bytes));
  if (alone(bytes)) {
    ::munmap(piece, pages_of(bytes) * kPage);
    return;
  }
  // What a consolidation leaves behind would otherwise stay as long as anything else lies in its regions.
  if (bytes >= kLarge) ::madvise(piece, pages_of(bytes) * kPage, MADV_DONTNEED);
  const auto address = reinterpret_cast<uintptr_t>(piece);
  auto* const region = reinterpret_cast<Region*>(address / kRegion * kRegion);
  Pool& pool = huge_pages::pool();
  std::unique_lock lock(pool.mutex);
  Regions& regions = pool.of(region->stay);
  regions.unlink(region);
  region->mark(address % kRegion / kPage, pages_of(bytes), false);
  if (region->empty()) {
    if (regions.empty > 0) {
      lock.unlock();
      ::munmap(region, kRegion);
      return;
    }
    ++regions.empty;
  }
  regions.link(region);
}

void trim() noexcept {
  Pool& pool = huge_pages::pool();
  std::array<Region*, 2> taken;
  {
    const std::lock_guard lock(pool.mutex);
    for (const Stay stay : {Stay::lasting, Stay::passing}) {
      taken[static_cast<size_t>(stay)] = pool.of(stay).take_empty();
      if (taken[static_cast<size_t>(stay)] != nullptr) pool.note_low(stay);
    }
  }
  for (Region* region : taken) {
    while (region != nullptr) {
      Region* const next = region->next;
      ::munmap(region, kRegion);
      region = next;
    }
  }
}

}  // namespace memspan::huge_pages
