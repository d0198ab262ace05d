// AVX-512 in C++, by SIMDe, for units that are compiled without these instructions: included before all else, it takes the
// place of the compiler's functions of the same names. What SIMDe 0.7 lacks is written out here, lane by lane.
#pragma once

#include <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <cmath>
#include <cstdint>

namespace emulated {

inline simde__m512 maskz_loadu_ps(simde__mmask16 mask, const void* p) {
  float lanes[16];
  for (int i = 0; i < 16; ++i) lanes[i] = (mask >> i & 1) != 0 ? static_cast<const float*>(p)[i] : 0.0f;
  return simde_mm512_loadu_ps(lanes);
}
inline __m256 extractf32x8_ps(simde__m512 v, int half) {
  float lanes[16];
  simde_mm512_storeu_ps(lanes, v);
  return _mm256_loadu_ps(lanes + 8 * half);
}
inline float reduce_max_ps(simde__m512 v) {
  float lanes[16];
  simde_mm512_storeu_ps(lanes, v);
  float most = lanes[0];
  for (const float lane : lanes) most = lane > most ? lane : most;
  return most;
}
inline int32_t reduce_add_epi32(simde__m512i v) {
  uint32_t lanes[16];
  simde_mm512_storeu_si512(lanes, v);
  uint32_t sum = 0;
  for (const uint32_t lane : lanes) sum += lane;
  return static_cast<int32_t>(sum);
}
inline simde__m512 cvtepi32_ps(simde__m512i v) {
  int32_t lanes[16];
  float out[16];
  simde_mm512_storeu_si512(lanes, v);
  for (int i = 0; i < 16; ++i) out[i] = static_cast<float>(lanes[i]);
  return simde_mm512_loadu_ps(out);
}
// Halves to even, and what no integer of 32 bits holds to the smallest, as the instruction does.
inline simde__m512i cvtps_epi32(simde__m512 v) {
  float lanes[16];
  int32_t out[16];
  simde_mm512_storeu_ps(lanes, v);
  for (int i = 0; i < 16; ++i) {
    const float whole = std::nearbyint(lanes[i]);
    out[i] = whole >= -2147483648.0f && whole < 2147483648.0f ? static_cast<int32_t>(whole) : INT32_MIN;
  }
  return simde_mm512_loadu_si512(out);
}
inline simde__m512d cvtps_pd(__m256 v) {
  float lanes[8];
  double out[8];
  _mm256_storeu_ps(lanes, v);
  for (int i = 0; i < 8; ++i) out[i] = static_cast<double>(lanes[i]);
  return simde_mm512_loadu_pd(out);
}
inline __m256 cvtpd_ps(simde__m512d v) {
  double lanes[8];
  float out[8];
  simde_mm512_storeu_pd(lanes, v);
  for (int i = 0; i < 8; ++i) out[i] = static_cast<float>(lanes[i]);
  return _mm256_loadu_ps(out);
}

inline simde__m512i cvtepu16_epi32(__m256i v) {
  uint16_t lanes[16];
  uint32_t out[16];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), v);
  for (int i = 0; i < 16; ++i) out[i] = lanes[i];
  return simde_mm512_loadu_si512(out);
}
inline __m256i maskz_loadu_epi16(uint16_t mask, const void* p) {
  uint16_t lanes[16];
  for (int i = 0; i < 16; ++i) lanes[i] = (mask >> i & 1) != 0 ? static_cast<const uint16_t*>(p)[i] : 0;
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes));
}

}  // namespace emulated

#define _mm512_maskz_loadu_ps emulated::maskz_loadu_ps
#define _mm512_extractf32x8_ps emulated::extractf32x8_ps
#define _mm512_reduce_max_ps emulated::reduce_max_ps
#define _mm512_reduce_add_epi32 emulated::reduce_add_epi32
#define _mm512_cvtepi32_ps emulated::cvtepi32_ps
#define _mm512_cvtps_epi32 emulated::cvtps_epi32
#define _mm512_cvtps_pd emulated::cvtps_pd
#define _mm512_cvtpd_ps emulated::cvtpd_ps
#define _mm512_cvtepu16_epi32 emulated::cvtepu16_epi32
#define _mm256_maskz_loadu_epi16 emulated::maskz_loadu_epi16
