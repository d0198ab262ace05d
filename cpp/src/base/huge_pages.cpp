#include "base/huge_pages.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/page_regions.hpp"

namespace memspan::huge_pages {
namespace {

// Fewer free pages in a row than these are soon used up.
constexpr size_t kFewPages = 16;

// Mapping, the first write to what is mapped, and giving pages back take long: never under the mutex.
struct Pool {
  std::mutex mutex;
  std::array<Regions, kKinds> regions;
  std::array<std::atomic<bool>, 2> low = {};  // of small kinds: there are but few pages left in a row

  Pool() { regions[kWide].region_pages = kWidePages; }
  void note_low(Kind kind) {
    if (kind != kWide && regions[kind].find(kFewPages) == nullptr) low[kind].store(true, std::memory_order_relaxed);
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

// Whole pages, at a multiple of `alignment`.
std::byte* map(size_t size, size_t alignment = kRegion) {
  // More, and what lies around goes back.
  void* const mapped = ::mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const bytes = static_cast<std::byte*>(mapped);
  const size_t before = (alignment - reinterpret_cast<uintptr_t>(bytes) % alignment) % alignment;
  if (before != 0) ::munmap(bytes, before);
  if (before != alignment) ::munmap(bytes + before + size, alignment - before);
#if defined(MADV_HUGEPAGE)
  ::madvise(bytes + before, size, MADV_HUGEPAGE);  // only advice: a failure costs speed
#endif
  return bytes + before;
}

size_t region_bytes(Kind kind) { return kind == kWide ? kWideRegion : kRegion; }

Region* make_region(Kind kind) { return new (map(region_bytes(kind), region_bytes(kind))) Region(kind); }

void make_ahead(size_t pages, Kind kind) noexcept try {
  Pool& pool = huge_pages::pool();
  {
    const std::lock_guard lock(pool.mutex);
    if (pool.regions[kind].find(pages) != nullptr) return;
  }
  Region* const made = make_region(kind);
  const std::lock_guard lock(pool.mutex);
  ++pool.regions[kind].empty;
  pool.regions[kind].link(made);
} catch (const std::bad_alloc&) {
}

std::atomic<Observer> observing = nullptr;

void tell(ptrdiff_t bytes) {
  if (const Observer observer = observing.load(std::memory_order_relaxed)) observer(bytes);
}

size_t pages_of(size_t bytes) { return (bytes + kPage - 1) / kPage; }

// Has a mapping of its own.
bool alone(size_t bytes) { return bytes > kRegion - 2 * kPage; }

Kind kind_of(size_t bytes, Stay stay) {
  if (stay == Stay::passing) return kPassing;
  return bytes >= kLarge ? kWide : kLasting;
}

// Which huge pages become whole ones with the given pages of a region, as soon as these are free.
Run whole_pages(const Region& region, Run freed) {
  const Run around = region.run_around(freed.first);
  const size_t first = std::max(around.first, freed.first / kPages * kPages);
  const size_t end = std::min(around.end, (freed.end + kPages - 1) / kPages * kPages);
  return {(first + kPages - 1) / kPages * kPages, end / kPages * kPages};
}

}  // namespace

void observe(Observer observer) { observing = observer; }

void take_part_in_forks() { huge_pages::pool(); }

void* allocate(size_t bytes, Stay stay) {
  tell(static_cast<ptrdiff_t>(bytes));
  const size_t pages = pages_of(bytes);
  if (alone(bytes)) return map(pages * kPage);
  const Kind kind = kind_of(bytes, stay);
  Pool& pool = huge_pages::pool();
  std::unique_lock lock(pool.mutex);
  Regions& regions = pool.regions[kind];
  Region* region = regions.find(pages);
  if (region == nullptr) {
    lock.unlock();
    region = make_region(kind);
    lock.lock();
  } else {
    regions.unlink(region);
    if (region->empty()) --regions.empty;
  }
  // The shortest run that is long enough.
  size_t first = 0;
  size_t best = region->pages;
  region->for_each_run([&](size_t page, size_t length) {
    if (length >= pages && length < best) first = page, best = length;
    return length == pages;
  });
  region->mark(first, pages, true);
  regions.link(region);
  pool.note_low(kind);
  return region->address(first);
}

void prepare(size_t bytes, Stay stay) noexcept {
  const Kind kind = kind_of(bytes, stay);
  if (kind != kWide && serve(bytes) && !alone(bytes) && pages_of(bytes) > kFewPages) make_ahead(pages_of(bytes), kind);
}

void replenish() noexcept {
  for (const Kind kind : {kLasting, kPassing}) {
    std::atomic<bool>& low = pool().low[kind];
    if (low.load(std::memory_order_relaxed) && low.exchange(false, std::memory_order_relaxed)) make_ahead(kFewPages, kind);
  }
}

void free(void* piece, size_t bytes, Stay stay) noexcept {
  tell(-static_cast<ptrdiff_t>(bytes));
  if (alone(bytes)) {
    ::munmap(piece, pages_of(bytes) * kPage);
    return;
  }
  const Kind kind = kind_of(bytes, stay);
  // What a consolidation leaves behind would otherwise stay as long as anything else lies in its regions.
  if (kind == kPassing && bytes >= kLarge) ::madvise(piece, pages_of(bytes) * kPage, MADV_DONTNEED);
  const auto address = reinterpret_cast<uintptr_t>(piece);
  auto* const region = reinterpret_cast<Region*>(address / region_bytes(kind) * region_bytes(kind));
  const size_t first = address % region_bytes(kind) / kPage;
  const Run freed = {first, first + pages_of(bytes)};
  Pool& pool = huge_pages::pool();
  std::unique_lock lock(pool.mutex);
  Regions& regions = pool.regions[kind];
  regions.unlink(region);
  region->mark(freed.first, freed.end - freed.first, false);
  if (kind == kWide && !region->empty()) {
    if (const Run whole = whole_pages(*region, freed); whole.first < whole.end) {
      // Nobody may take them meanwhile.
      region->mark(whole.first, whole.end - whole.first, true);
      regions.link(region);
      lock.unlock();
      ::madvise(region->address(whole.first), (whole.end - whole.first) * kPage, MADV_DONTNEED);
      lock.lock();
      regions.unlink(region);
      region->mark(whole.first, whole.end - whole.first, false);
    }
  }
  if (region->empty()) {
    if (regions.empty > 0) {
      lock.unlock();
      ::munmap(region, region_bytes(kind));
      return;
    }
    ++regions.empty;
  }
  regions.link(region);
}

void shrink(void* piece, size_t bytes, size_t kept) noexcept {
  if (kept < bytes) huge_pages::free(static_cast<std::byte*>(piece) + kept, bytes - kept, Stay::lasting);
}

void trim() noexcept {
  Pool& pool = huge_pages::pool();
  std::array<Region*, kKinds> taken;
  {
    const std::lock_guard lock(pool.mutex);
    for (const Kind kind : {kLasting, kPassing, kWide}) {
      taken[kind] = pool.regions[kind].take_empty();
      if (taken[kind] != nullptr) pool.note_low(kind);
    }
  }
  for (Region* region : taken) {
    while (region != nullptr) {
      Region* const next = region->next;
      ::munmap(region, region_bytes(region->kind));
      region = next;
    }
  }
}

}  // namespace memspan::huge_pages
