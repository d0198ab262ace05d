// AVX2 with FMA. Compiled with these instructions; kernels.hpp says what may not be included here.
#include <immintrin.h>

#include "simd/dot_blocks.hpp"
#include "simd/levels.hpp"

namespace memspan {
namespace {

// A window of kLanes entries that starts at kLanes - count has its first `count` entries set.
constexpr int32_t kFirst[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

struct Avx2 {
  using Vector = __m256;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kSums = 2;  // of the 16 registers, 4 rows take 8

  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector load(const float* p) { return _mm256_loadu_ps(p); }
  static Vector load_first(const float* p, size_t count) {
    return _mm256_maskload_ps(p, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(kFirst + kLanes - count)));
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return _mm256_fmadd_ps(a, b, sum); }

  static float reduce(const Vector (&sums)[kSums]) {
    const __m256 sum = _mm256_add_ps(sums[0], sums[1]);
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
  }
};

}  // namespace

const Kernels kAvx2Kernels = {&dot<Avx2>, &dot_rows<Avx2>, &dot_gather<Avx2>, &quantize_query, &quantize_row, &code_rows, &code_gather,
    &code_rows_batch, &select_above, &crc32c_instruction};

}  // namespace memspan
