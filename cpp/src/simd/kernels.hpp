// The inner loops of the core, as a table of plain functions that is chosen once from what the processor can do.
//
// Invariant: within one level, the value of a row depends on nothing but the query, the row and n. `dot`, `dot_rows`
// and `dot_gather` give bit-identical results for it, at any position in a batch, whatever the alignment. Ties between
// equal rows therefore stay ties, however a search was carried out. Levels may differ from each other by rounding.
//
// Included by translation units that are compiled for one instruction set. Nothing here may define an inline function
// or instantiate a template: the linker could keep that unit's copy for everybody and crash older processors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memspan {

// Rows are `row_stride` floats apart, `row_stride >= n`. Pointers need no more than the alignment of a float.
struct Kernels {
  // Inner product of two vectors of n floats.
  float (*dot)(const float* a, const float* b, size_t n);
  // out[i] = dot(query, rows + i * row_stride) for i < count.
  void (*dot_rows)(const float* query, const float* rows, size_t row_stride, size_t count, size_t n, float* out);
  // out[i] = dot(query, rows + slots[i] * row_stride) for i < count.
  void (*dot_gather)(const float* query, const float* rows, size_t row_stride, const uint32_t* slots, size_t count,
                     size_t n, float* out);
  // CRC-32C of some bytes that follow others whose CRC is `crc` (0 when there are none).
  uint32_t (*crc32c)(uint32_t crc, const uint8_t* bytes, size_t size);
};

// The kernels of the best level that this processor runs, or of the level named by the environment variable
// MEMSPAN_SIMD (scalar, avx2, avx512 or neon). The choice is made on the first call and never changes.
// Throws std::runtime_error, at every call, when MEMSPAN_SIMD names a level that is unknown or cannot run here.
// Thread-safe.
const Kernels& kernels();

// Name of the level that `kernels()` uses. Throws as it does.
const char* simd_level();

}  // namespace memspan
