// AVX-512 (F, BW, DQ, VL). Compiled with these instructions; kernels.hpp says what may not be included here.
#include <immintrin.h>

#include "simd/dot_blocks.hpp"
#include "simd/levels.hpp"

namespace memspan {
namespace {

struct Avx512 {
  using Vector = __m512;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kSums = 2;

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* p) { return _mm512_loadu_ps(p); }
  static Vector load_first(const float* p, size_t count) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return _mm512_fmadd_ps(a, b, sum); }

  static float reduce(const Vector (&sums)[kSums]) {
    const __m512 sum = _mm512_add_ps(sums[0], sums[1]);
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1));
    const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
  }
};

}  // namespace

const Kernels kAvx512Kernels = {&dot<Avx512>, &dot_rows<Avx512>, &dot_gather<Avx512>, &quantize_query, &quantize_row, &code_rows, &code_gather,
    &code_rows_batch, &select_above, &crc32c_instruction};

}  // namespace memspan
