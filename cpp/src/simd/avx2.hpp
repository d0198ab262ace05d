// What the loops need of AVX2 with FMA. Only for units compiled with these instructions.
#pragma once

#include <immintrin.h>

#include "simd/tables.hpp"

namespace memspan {
namespace {

// A window of kLanes entries that starts at kLanes - count has its first `count` entries set.
constexpr int32_t kFirst[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

// The positions of the bits of a byte, one a byte, lowest first.
struct BitPositions {
  uint64_t of[256];
};

constexpr BitPositions positions_of_bits() {
  BitPositions positions = {};
  for (unsigned byte = 0; byte < 256; ++byte) {
    unsigned found = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((byte >> bit & 1) != 0) positions.of[byte] |= uint64_t{bit} << (8 * found++);
    }
  }
  return positions;
}

constexpr BitPositions kBitPositions = positions_of_bits();

struct Avx2 {
  using Vector = __m256;
  using Ints = __m256i;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kSums = 2;  // of the 16 registers, 4 rows take 8

  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector fill(float value) { return _mm256_set1_ps(value); }
  static Vector load(const float* p) { return _mm256_loadu_ps(p); }
  static Vector load_first(const float* p, size_t count) {
    return _mm256_maskload_ps(p, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(kFirst + kLanes - count)));
  }
  static Vector from_bfloat16(__m128i bfloat16) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bfloat16), 16));
  }
  static Vector load(const uint16_t* p) { return from_bfloat16(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p))); }
  static Vector load_first(const uint16_t* p, size_t count) {
    uint16_t lanes[kLanes] = {};
    for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return load(lanes);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return _mm256_fmadd_ps(a, b, sum); }

  static Vector soften(Vector s) {
    return _mm256_div_ps(s, _mm256_sqrt_ps(_mm256_fmadd_ps(s, s, _mm256_set1_ps(1.0f))));
  }

  static float reduce(const Vector (&sums)[kSums]) {
    const __m256 sum = _mm256_add_ps(sums[0], sums[1]);
    const __m128 half = _mm_add_ps(_mm256_castps256_ps128(sum), _mm256_extractf128_ps(sum, 1));
    const __m128 pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(pair, _mm_movehdup_ps(pair)));
  }

  static Vector max_magnitude(Vector max, Vector v) {
    return _mm256_max_ps(max, _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v));
  }
  static float largest(Vector v) {
    const __m128 half = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    const __m128 pair = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(pair, _mm_movehdup_ps(pair)));
  }

  static Ints to_ints(Vector v, Vector factor) { return _mm256_cvtps_epi32(_mm256_mul_ps(v, factor)); }
  static Ints no_ints() { return _mm256_setzero_si256(); }
  static Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }
  static Ints add_if_greater(Ints ints, Vector a, Vector b) {
    return _mm256_sub_epi32(ints, _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_GT_OQ)));
  }
  static void store_ints(Ints ints, uint32_t* out) { _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(out), ints); }
  static int32_t total(Ints ints) {
    const __m128i half = _mm_add_epi32(_mm256_castsi256_si128(ints), _mm256_extracti128_si256(ints, 1));
    const __m128i pair = _mm_add_epi32(half, _mm_unpackhi_epi64(half, half));
    return _mm_cvtsi128_si32(pair) + _mm_extract_epi32(pair, 1);
  }
  static void store_bytes(Ints ints, uint8_t flip, uint8_t* out) {
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(ints), _mm256_extracti128_si256(ints, 1));
    const __m128i bytes = _mm_packs_epi16(words, words);
    _mm_storel_epi64(reinterpret_cast<__m128i_u*>(out), _mm_xor_si128(bytes, _mm_set1_epi8(static_cast<char>(flip))));
  }

  using Doubles = __m256d;
  static constexpr size_t kDoubles = 4;
  static Doubles no_doubles() { return _mm256_setzero_pd(); }
  static Doubles fill_doubles(double value) { return _mm256_set1_pd(value); }
  static Doubles widen(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
  static Doubles add_square(Doubles sum, Doubles v) { return _mm256_fmadd_pd(v, v, sum); }
  static void store_doubles(Doubles v, double* out) { _mm256_storeu_pd(out, v); }
  static void store_floats(Doubles v, Doubles factor, float* out) { _mm_storeu_ps(out, _mm256_cvtpd_ps(_mm256_mul_pd(v, factor))); }

  static uint32_t at_least(Vector v, Vector threshold) {
    return static_cast<uint32_t>(_mm256_movemask_ps(_mm256_cmp_ps(v, threshold, _CMP_GE_OQ)));
  }
  static void store_chosen(uint32_t mask, uint32_t first, uint32_t* out) {
    const __m256i positions = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(kBitPositions.of[mask])));
    _mm256_storeu_si256(reinterpret_cast<__m256i_u*>(out),
                        _mm256_add_epi32(positions, _mm256_set1_epi32(static_cast<int32_t>(first))));
  }

  using Words = __m256i;
  static constexpr size_t kWords = 4;

  static Words no_words() { return _mm256_setzero_si256(); }
  static Words load_words(const uint64_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p)); }
  // The bits of each half byte are looked up in a table; then the bytes of a word are added.
  static Words add_ones(Words sums, Words words) {
    const __m256i table = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i half = _mm256_set1_epi8(15);
    const __m256i low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, half));
    const __m256i high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), half));
    return _mm256_add_epi64(sums, _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
  }
  static size_t total_ones(Words sums) {
    const __m128i half = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return static_cast<size_t>(_mm_cvtsi128_si64(half) + _mm_extract_epi64(half, 1));
  }
  static uint32_t equal(const uint16_t* p, uint16_t wanted) {
    const auto* const halves = reinterpret_cast<const __m256i_u*>(p);
    const __m256i each = _mm256_set1_epi16(static_cast<int16_t>(wanted));
    const __m256i first = _mm256_cmpeq_epi16(_mm256_loadu_si256(halves), each);
    const __m256i second = _mm256_cmpeq_epi16(_mm256_loadu_si256(halves + 1), each);
    // Packing takes turns between the two, eight values at a time.
    const __m256i bytes = _mm256_permute4x64_epi64(_mm256_packs_epi16(first, second), 0b11011000);
    return static_cast<uint32_t>(_mm256_movemask_epi8(bytes));
  }
  // Distances from least, less 2^63 as the comparison is one of signed numbers.
  static uint32_t within(const uint64_t* p, uint64_t least, uint64_t width) {
    constexpr uint64_t kSign = uint64_t{1} << 63;
    const __m256i distances = _mm256_sub_epi64(load_words(p), _mm256_set1_epi64x(static_cast<int64_t>(least ^ kSign)));
    const __m256i beyond = _mm256_cmpgt_epi64(distances, _mm256_set1_epi64x(static_cast<int64_t>(width ^ kSign)));
    return static_cast<uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(beyond))) ^ 15;
  }
};

// Codes without an instruction for dot products of bytes. The one that multiplies bytes adds two products with
// saturation, which unsigned rows would reach: so the bias is taken off, the query's signs are moved to the row, and
// its magnitudes, as the unsigned side, keep every pair within 2 * 127 * 127.
struct Avx2Codes {
  struct Query {
    __m256i codes;
    __m256i magnitudes;
  };
  using Sum = __m256i;
  using Row = __m256i;
  static constexpr size_t kStep = 32;
  static constexpr size_t kGroup = 4;
  using Resident = Steps<>;
  static constexpr size_t kRows = 4;
  static constexpr size_t kQueries = 2;

  static Sum zero() { return _mm256_setzero_si256(); }
  static Row row(const uint8_t* p) {
    return _mm256_xor_si256(_mm256_load_si256(reinterpret_cast<const __m256i*>(p)), _mm256_set1_epi8(-128));
  }
  static Query query(const int8_t* p) {
    const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(p));
    return {codes, _mm256_abs_epi8(codes)};
  }
  static Sum step(Sum sum, Row row, const Query& query) {
    const __m256i pairs = _mm256_maddubs_epi16(query.magnitudes, _mm256_sign_epi8(row, query.codes));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  // The sums lack the bias already.
  static void complete(const Sum* sums, const int32_t*, const float* scales, float* out) {
    complete_total(total(sums), scales, out);
  }

  static __m128i total(const Sum* sums) {
    const __m256i halves = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
    return _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256(halves, 1));
  }
  static void complete_total(__m128i total, const float* scales, float* out) {
    _mm_storeu_ps(out, _mm_mul_ps(_mm_cvtepi32_ps(total), _mm_loadu_ps(scales)));
  }
};

// Short codes: their products, two at a time, fit 16 bits.
struct Avx2Blocks {
  using Sum = __m256i;
  using Row = __m256i;
  static constexpr size_t kLanes = 8;

  static Sum zero() { return _mm256_setzero_si256(); }
  static Row row(const uint8_t* p) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); }
  static Row low_nibbles(Row row) { return _mm256_and_si256(row, _mm256_set1_epi8(15)); }
  static Row high_nibbles(Row row) { return low_nibbles(_mm256_srli_epi16(row, 4)); }
  static __m256i quad(const int8_t* query) {
    int32_t four;
    __builtin_memcpy(&four, query, sizeof four);
    return _mm256_set1_epi32(four);
  }
  static Sum step(Sum sum, Row row, const int8_t* query) {
    const __m256i pairs = _mm256_maddubs_epi16(row, quad(query));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  static uint32_t at_least(Sum sum, const int32_t* slack, int32_t least) {
    const __m256i sums = _mm256_add_epi32(sum, _mm256_loadu_si256(reinterpret_cast<const __m256i_u*>(slack)));
    const __m256i less = _mm256_cmpgt_epi32(_mm256_set1_epi32(least), sums);
    return ~static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(less))) & 0xff;
  }
  static void store(Sum sum, float* out) { _mm256_storeu_ps(out, _mm256_cvtepi32_ps(sum)); }

  using Words = __m256i;
  using Best = __m256;

  static Words words(const int8_t* p) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i_u*>(p)));
  }
  static __m256i pair(const int16_t* query) {
    int32_t two;
    __builtin_memcpy(&two, query, sizeof two);
    return _mm256_set1_epi32(two);
  }
  static Sum step(Sum sum, Words words, const int16_t* query) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(words, pair(query)));
  }
  static Best none() { return _mm256_set1_ps(-FLT_MAX); }
  static Best better(Best best, Sum sum, const float* scales) {
    return _mm256_max_ps(best, _mm256_mul_ps(_mm256_cvtepi32_ps(sum), _mm256_loadu_ps(scales)));
  }
  static float largest(Best best) { return Avx2::largest(best); }
};

}  // namespace
}  // namespace memspan
