// AVX-512 (F, BW, DQ, VL) with VNNI: four products of bytes and their sum in one instruction, without saturation.
#include "simd/avx512.hpp"

namespace memspan {
namespace {

struct Avx512VnniCodes {
  using Sum = __m512i;
  using Row = __m512i;
  using Query = __m512i;
  static constexpr size_t kStep = 64;
  static constexpr size_t kGroup = 16;
  using Resident = Steps<2, 4, 6, 8, 12, 16>;
  static constexpr size_t kRows = 4;
  static constexpr size_t kQueries = 4;

  static Sum zero() { return _mm512_setzero_si512(); }
  static Row row(const uint8_t* p) { return _mm512_load_si512(p); }
  static Query query(const int8_t* p) { return _mm512_loadu_si512(p); }
  static void keep([[maybe_unused]] Query& query) {
#if defined(__AVX512F__)  // which emulation does without
    asm volatile("" : "+v"(query));
#endif
  }
  static Sum step(Sum sum, Row row, Query query) { return _mm512_dpbusd_epi32(sum, row, query); }

  static __m512i add_quarters(__m512i a, __m512i b) {
    return _mm512_add_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
  }
  // A transposition that adds on the way: each step halves the registers and the lanes still to be added.
  static void complete(const Sum* sums, const int32_t* offsets, const float* scales, float* out) {
    __m512i fours[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; ++i) {
      const Sum* four = sums + 4 * i;
      const __m512i low =
          _mm512_add_epi32(_mm512_unpacklo_epi32(four[0], four[1]), _mm512_unpackhi_epi32(four[0], four[1]));
      const __m512i high =
          _mm512_add_epi32(_mm512_unpacklo_epi32(four[2], four[3]), _mm512_unpackhi_epi32(four[2], four[3]));
      fours[i] = _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high));
    }
    const __m512i total = add_quarters(add_quarters(fours[0], fours[1]), add_quarters(fours[2], fours[3]));
    const __m512i unbiased = _mm512_sub_epi32(total, _mm512_loadu_si512(offsets));
    _mm512_storeu_ps(out, _mm512_mul_ps(_mm512_cvtepi32_ps(unbiased), _mm512_loadu_ps(scales)));
  }
};

struct Avx512VnniBlocks {
  using Sum = __m512i;
  using Row = __m512i;
  static constexpr size_t kLanes = 16;

  static Sum zero() { return _mm512_setzero_si512(); }
  static Row row(const uint8_t* p) { return _mm512_load_si512(p); }
  static Row low_nibbles(Row row) { return _mm512_and_si512(row, _mm512_set1_epi8(15)); }
  static Row high_nibbles(Row row) { return low_nibbles(_mm512_srli_epi16(row, 4)); }
  static Sum step(Sum sum, Row row, const int8_t* query) {
    int32_t four;
    __builtin_memcpy(&four, query, sizeof four);
    return _mm512_dpbusd_epi32(sum, row, _mm512_set1_epi32(four));
  }
  static uint32_t at_least(Sum sum, const int32_t* slack, int32_t least) {
    return _mm512_cmpge_epi32_mask(_mm512_add_epi32(sum, _mm512_loadu_si512(slack)), _mm512_set1_epi32(least));
  }
  static void store(Sum sum, float* out) { _mm512_storeu_ps(out, _mm512_cvtepi32_ps(sum)); }

  using Words = __m512i;
  using Best = __m512;

  static Words words(const int8_t* p) {
    return _mm512_cvtepi8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)));
  }
  static Sum step(Sum sum, Words words, const int16_t* query) {
    int32_t two;
    __builtin_memcpy(&two, query, sizeof two);
    return _mm512_dpwssd_epi32(sum, words, _mm512_set1_epi32(two));
  }
  static Best none() { return _mm512_set1_ps(-FLT_MAX); }
  static Best better(Best best, Sum sum, const float* scales) {
    return _mm512_max_ps(best, _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_loadu_ps(scales)));
  }
  static float largest(Best best) { return _mm512_reduce_max_ps(best); }
};

}  // namespace

constinit const Kernels kAvx512VnniKernels = table_of<Avx512, Avx512VnniCodes, Avx2, Avx512VnniBlocks>();

}  // namespace memspan
