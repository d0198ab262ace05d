// What the loops need of AVX-512 (F, BW, DQ, VL). Only for units compiled with these instructions.
#pragma once

#include "simd/avx2.hpp"

namespace memspan {
namespace {

struct Avx512 {
  using Vector = __m512;
  using Ints = __m512i;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kSums = 2;

  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector fill(float value) { return _mm512_set1_ps(value); }
  static Vector load(const float* p) { return _mm512_loadu_ps(p); }
  static Vector load_first(const float* p, size_t count) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << count) - 1), p);
  }
  static Vector from_bfloat16(__m256i bfloat16) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bfloat16), 16));
  }
  static Vector load(const uint16_t* p) { return from_bfloat16(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p))); }
  static Vector load_first(const uint16_t* p, size_t count) {
    return from_bfloat16(_mm256_maskz_loadu_epi16(static_cast<__mmask16>((1u << count) - 1), p));
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return _mm512_fmadd_ps(a, b, sum); }

  static Vector soften(Vector s) {
    return _mm512_div_ps(s, _mm512_sqrt_ps(_mm512_fmadd_ps(s, s, _mm512_set1_ps(1.0f))));
  }

  static float reduce(const Vector (&sums)[kSums]) {
    const __m512 sum = _mm512_add_ps(sums[0], sums[1]);
    const __m256 half = _mm256_add_ps(_mm512_castps512_ps256(sum), _mm512_extractf32x8_ps(sum, 1));
    const __m128 quarter = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
    const __m128 pair = _mm_add_ps(quarter, _mm_movehl_ps(quarter, quarter));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
  }

  static Vector max_magnitude(Vector max, Vector v) { return _mm512_max_ps(max, _mm512_abs_ps(v)); }
  static float largest(Vector v) { return _mm512_reduce_max_ps(v); }

  static Ints to_ints(Vector v, Vector factor) { return _mm512_cvtps_epi32(_mm512_mul_ps(v, factor)); }
  static Ints no_ints() { return _mm512_setzero_si512(); }
  static Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }
  static Ints add_if_greater(Ints ints, Vector a, Vector b) {
    return _mm512_mask_add_epi32(ints, _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), ints, _mm512_set1_epi32(1));
  }
  static void store_ints(Ints ints, uint32_t* out) { _mm512_storeu_si512(out, ints); }
  static int32_t total(Ints ints) { return _mm512_reduce_add_epi32(ints); }
  static void store_bytes(Ints ints, uint8_t flip, uint8_t* out) {
    const __m128i bytes = _mm512_cvtsepi32_epi8(ints);
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(out), _mm_xor_si128(bytes, _mm_set1_epi8(static_cast<char>(flip))));
  }

  using Doubles = __m512d;
  static constexpr size_t kDoubles = 8;
  static Doubles no_doubles() { return _mm512_setzero_pd(); }
  static Doubles fill_doubles(double value) { return _mm512_set1_pd(value); }
  static Doubles widen(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
  static Doubles add_square(Doubles sum, Doubles v) { return _mm512_fmadd_pd(v, v, sum); }
  static void store_doubles(Doubles v, double* out) { _mm512_storeu_pd(out, v); }
  static void store_floats(Doubles v, Doubles factor, float* out) { _mm256_storeu_ps(out, _mm512_cvtpd_ps(_mm512_mul_pd(v, factor))); }

  static uint32_t at_least(Vector v, Vector threshold) { return _mm512_cmp_ps_mask(v, threshold, _CMP_GE_OQ); }
  // Compressed in a register: to do it while storing is many times slower on some processors.
  static void store_chosen(uint32_t mask, uint32_t first, uint32_t* out) {
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i chosen = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), lanes);
    _mm512_storeu_si512(out, _mm512_add_epi32(chosen, _mm512_set1_epi32(static_cast<int32_t>(first))));
  }
};

}  // namespace
}  // namespace memspan
