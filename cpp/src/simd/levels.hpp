// The levels behind `kernels()`, for the dispatcher and for tests that compare them. The rule of kernels.hpp on inline
// functions and templates holds here too.
#pragma once

#include "simd/kernels.hpp"

namespace memspan {

// A level may exist in variants, which differ by an instruction that not every processor of the level has. They share
// the level's name, and the last one is chosen by it.
struct SimdLevel {
  const char* name;
  const char* variant;
  const Kernels* kernels;
};

inline constexpr size_t kMaxSimdLevels = 6;

// Writes the levels and variants that were compiled in and that this processor runs, slowest first; returns how many.
size_t supported_levels(SimdLevel (&levels)[kMaxSimdLevels]);

extern const Kernels kScalarKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx2VnniKernels;  // only where MEMSPAN_AVX_VNNI is defined: older compilers lack it
extern const Kernels kAvx2Vnni512Kernels;
extern const Kernels kAvx512Kernels;
extern const Kernels kAvx512VnniKernels;
#elif defined(__aarch64__)
extern const Kernels kNeonKernels;
extern const Kernels kNeonDotprodKernels;
#endif

uint32_t crc32c_table(uint32_t crc, const uint8_t* bytes, size_t size);
#if defined(__x86_64__) || defined(__aarch64__)
uint32_t crc32c_instruction(uint32_t crc, const uint8_t* bytes, size_t size);
#endif

}  // namespace memspan
