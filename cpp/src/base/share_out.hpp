// Work in small parts that threads take one after the other, where its length is not known beforehand; for parts of equal
// length: base/in_parallel.hpp.
#pragma once

#include <cstddef>
#include <functional>

namespace memspan {

// Calls work(first, last) for parts of [0, count), of at most `at_a_time` each, on `workers` threads; rethrows the
// first failure, after which no other part is begun.
void share_out(size_t workers, size_t count, size_t at_a_time, const std::function<void(size_t, size_t)>& work);

}  // namespace memspan
