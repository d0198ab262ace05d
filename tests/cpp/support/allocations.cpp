#include "support/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

#include "base/huge_pages.hpp"

namespace {

std::atomic<size_t> live_bytes = 0;
thread_local size_t calls = 0;
thread_local long allocations_left = -1;  // negative: none fails

// Each piece starts with a header of its alignment that holds its size.
void* allocate(size_t size, size_t alignment) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  ++calls;
  const size_t total = (size + 2 * alignment - 1) / alignment * alignment;
  auto* start = static_cast<char*>(std::aligned_alloc(alignment, total));
  if (start == nullptr) throw std::bad_alloc();
  *reinterpret_cast<size_t*>(start) = size;
  live_bytes += size;
  return start + alignment;
}

void release(void* piece, size_t alignment) noexcept {
  if (piece == nullptr) return;
  char* start = static_cast<char*>(piece) - alignment;
  live_bytes -= *reinterpret_cast<size_t*>(start);
  std::free(start);
}

// Pieces in huge pages count as what operator new gives, and fail as that does.
void see_huge_piece(ptrdiff_t bytes) {
  if (bytes > 0 && allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  calls += bytes > 0;
  live_bytes += static_cast<size_t>(bytes);
}
[[maybe_unused]] const bool observing = (memspan::huge_pages::observe(see_huge_piece), true);

constexpr size_t kAlignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

// For the whole program of tests. Every form, because sanitizers bring their own of those that are missing.
void* operator new(size_t size) { return allocate(size, kAlignment); }
void* operator new[](size_t size) { return allocate(size, kAlignment); }
void* operator new(size_t size, std::align_val_t alignment) { return allocate(size, static_cast<size_t>(alignment)); }
void* operator new[](size_t size, std::align_val_t alignment) { return allocate(size, static_cast<size_t>(alignment)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size, kAlignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void* operator new[](size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void operator delete(void* piece) noexcept { release(piece, kAlignment); }
void operator delete[](void* piece) noexcept { release(piece, kAlignment); }
void operator delete(void* piece, size_t) noexcept { release(piece, kAlignment); }
void operator delete[](void* piece, size_t) noexcept { release(piece, kAlignment); }
void operator delete(void* piece, const std::nothrow_t&) noexcept { release(piece, kAlignment); }
void operator delete[](void* piece, const std::nothrow_t&) noexcept { release(piece, kAlignment); }
void operator delete(void* piece, std::align_val_t alignment) noexcept { release(piece, static_cast<size_t>(alignment)); }
void operator delete[](void* piece, std::align_val_t alignment) noexcept { release(piece, static_cast<size_t>(alignment)); }
void operator delete(void* piece, size_t, std::align_val_t alignment) noexcept {
  release(piece, static_cast<size_t>(alignment));
}
void operator delete[](void* piece, size_t, std::align_val_t alignment) noexcept {
  release(piece, static_cast<size_t>(alignment));
}

namespace memspan {

size_t test::allocated_bytes() { return live_bytes; }
size_t test::allocation_calls() { return calls; }
test::FailingAllocation::FailingAllocation(long successes) { allocations_left = successes; }
test::FailingAllocation::~FailingAllocation() { allocations_left = -1; }
bool test::FailingAllocation::failed() const { return allocations_left < 0; }

}  // namespace memspan
