// What the program of tests allocates through operator new, and a way to let an allocation fail.
#pragma once

#include <cstddef>

namespace memspan::test {

// Bytes asked for and not given back, by all threads; the allocator's own overhead is not in it.
size_t allocated_bytes();

// How often this thread has allocated.
size_t allocation_calls();

// While one lives, the allocation number `successes` of its thread throws std::bad_alloc, once.
class FailingAllocation {
 public:
  explicit FailingAllocation(long successes);
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  bool failed() const;
};

}  // namespace memspan::test
