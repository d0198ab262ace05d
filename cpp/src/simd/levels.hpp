// The levels behind `kernels()`, for the dispatcher and for tests that compare them. The rule of kernels.hpp on inline
// functions and templates holds here too.
#pragma once

#include "simd/kernels.hpp"

namespace memspan {

struct SimdLevel {
  const char* name;
  const Kernels* kernels;
};

inline constexpr size_t kMaxSimdLevels = 3;

// Writes the levels that were compiled in and that this processor runs, slowest first; returns how many.
size_t supported_levels(SimdLevel (&levels)[kMaxSimdLevels]);

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
#endif

float quantize_query(const float* vector, size_t n, int8_t* codes, int32_t* offset);
float quantize_row(const float* vector, size_t n, uint8_t* codes);
void code_rows(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
               size_t count, size_t n, float* out);
void code_gather(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                 const uint32_t* positions, size_t count, size_t n, float* out);
void code_rows_batch(const int8_t* queries, const int32_t* offsets, size_t query_count, const uint8_t* rows,
                     size_t stride, const float* scales, size_t count, size_t n, float* out);
size_t select_above(const float* scores, size_t count, float threshold, uint32_t* out);

uint32_t crc32c_table(uint32_t crc, const uint8_t* bytes, size_t size);
#if defined(__x86_64__) || defined(__aarch64__)
uint32_t crc32c_instruction(uint32_t crc, const uint8_t* bytes, size_t size);
#endif

}  // namespace memspan
