// Plain C++ for any processor; compiled for the baseline of the architecture, never with wider instructions.
#include "simd/levels.hpp"

namespace memspan {
namespace {

// Independent partial sums let the compiler use the baseline's vector registers without reordering additions.
constexpr size_t kLanes = 8;

float dot(const float* a, const float* b, size_t n) {
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  }
  for (size_t lane = 0; i + lane < n; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void dot_rows(const float* query, const float* rows, size_t row_stride, size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = dot(query, rows + i * row_stride, n);
}

void dot_gather(const float* query, const float* rows, size_t row_stride, const uint32_t* slots, size_t count, size_t n,
                float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = dot(query, rows + slots[i] * row_stride, n);
}

}  // namespace

const Kernels kScalarKernels = {&dot, &dot_rows, &dot_gather, &crc32c_table};

}  // namespace memspan
