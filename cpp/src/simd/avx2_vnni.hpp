// Codes by VNNI on 256-bit registers: four products of bytes and their sum in one instruction, without saturation. Two
// encodings of it exist, and a unit is compiled for one of them.
#pragma once

#include "simd/avx2.hpp"

namespace memspan {
namespace {

struct Avx2VnniCodes {
  using Sum = __m256i;
  using Row = __m256i;
  using Query = __m256i;
  static constexpr size_t kStep = 32;
  static constexpr size_t kGroup = 4;
  using Resident = Steps<>;
  static constexpr size_t kRows = 4;
  static constexpr size_t kQueries = 2;

  static Sum zero() { return _mm256_setzero_si256(); }
  static Row row(const uint8_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
  static Query query(const int8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)); }
  static Sum step(Sum sum, Row row, Query query) {
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(sum, row, query);
#else
    return _mm256_dpbusd_epi32(sum, row, query);
#endif
  }
  static void complete(const Sum* sums, const int32_t* offsets, const float* scales, float* out) {
    const __m128i bias = _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(offsets));
    Avx2Codes::complete_total(_mm_sub_epi32(Avx2Codes::total(sums), bias), scales, out);
  }
};

struct Avx2VnniBlocks : Avx2Blocks {
  static Sum step(Sum sum, Row row, const int8_t* query) { return Avx2VnniCodes::step(sum, row, quad(query)); }
  static Sum step(Sum sum, Words words, const int16_t* query) {
#if defined(__AVXVNNI__)
    return _mm256_dpwssd_avx_epi32(sum, words, pair(query));
#else
    return _mm256_dpwssd_epi32(sum, words, pair(query));
#endif
  }
};

}  // namespace
}  // namespace memspan
