// What the loops need of AArch64 Advanced SIMD.
#pragma once

#include <arm_neon.h>

#include "simd/tables.hpp"

namespace memspan {
namespace {

struct Neon {
  using Vector = float32x4_t;
  using Ints = int32x4_t;
  static constexpr size_t kLanes = 4;
  static constexpr size_t kSums = 4;

  static Vector zero() { return vdupq_n_f32(0.0f); }
  static Vector fill(float value) { return vdupq_n_f32(value); }
  static Vector load(const float* p) { return vld1q_f32(p); }
  static Vector load_first(const float* p, size_t count) {
    float lanes[kLanes] = {};
    for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return vld1q_f32(lanes);
  }
  static Vector load(const uint16_t* p) { return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16)); }
  static Vector load_first(const uint16_t* p, size_t count) {
    uint16_t lanes[kLanes] = {};
    for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return load(lanes);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return vfmaq_f32(sum, a, b); }

  static Vector soften(Vector s) { return vdivq_f32(s, vsqrtq_f32(vfmaq_f32(vdupq_n_f32(1.0f), s, s))); }

  static float reduce(const Vector (&sums)[kSums]) {
    const float32x4_t sum = vaddq_f32(vaddq_f32(sums[0], sums[2]), vaddq_f32(sums[1], sums[3]));
    const float32x2_t pair = vadd_f32(vget_low_f32(sum), vget_high_f32(sum));
    return vget_lane_f32(pair, 0) + vget_lane_f32(pair, 1);
  }

  static Vector max_magnitude(Vector max, Vector v) { return vmaxq_f32(max, vabsq_f32(v)); }
  static float largest(Vector v) { return vmaxvq_f32(v); }

  static Ints to_ints(Vector v, Vector factor) { return vcvtnq_s32_f32(vmulq_f32(v, factor)); }
  static Ints no_ints() { return vdupq_n_s32(0); }
  static Ints add(Ints a, Ints b) { return vaddq_s32(a, b); }
  static Ints add_if_greater(Ints ints, Vector a, Vector b) { return vsubq_s32(ints, vreinterpretq_s32_u32(vcgtq_f32(a, b))); }
  static void store_ints(Ints ints, uint32_t* out) { vst1q_u32(out, vreinterpretq_u32_s32(ints)); }
  static int32_t total(Ints ints) { return vaddvq_s32(ints); }
  static void store_bytes(Ints ints, uint8_t flip, uint8_t* out) {
    const int16x4_t words = vqmovn_s32(ints);
    const int8x8_t bytes = vqmovn_s16(vcombine_s16(words, words));
    const uint32_t four = vget_lane_u32(vreinterpret_u32_u8(veor_u8(vreinterpret_u8_s8(bytes), vdup_n_u8(flip))), 0);
    __builtin_memcpy(out, &four, sizeof four);
  }

  using Doubles = float64x2_t;
  static constexpr size_t kDoubles = 2;
  static Doubles no_doubles() { return vdupq_n_f64(0.0); }
  static Doubles fill_doubles(double value) { return vdupq_n_f64(value); }
  static Doubles widen(const float* p) { return vcvt_f64_f32(vld1_f32(p)); }
  static Doubles add_square(Doubles sum, Doubles v) { return vfmaq_f64(sum, v, v); }
  static void store_doubles(Doubles v, double* out) { vst1q_f64(out, v); }
  static void store_floats(Doubles v, Doubles factor, float* out) { vst1_f32(out, vcvt_f32_f64(vmulq_f64(v, factor))); }

  static uint32_t at_least(Vector v, Vector threshold) {
    const uint32x4_t bits = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(vcgeq_f32(v, threshold), bits));
  }
  static void store_chosen(uint32_t mask, uint32_t first, uint32_t* out) {
    for (; mask != 0; mask &= mask - 1) *out++ = first + static_cast<uint32_t>(__builtin_ctz(mask));
  }

  using Words = uint64x2_t;
  static constexpr size_t kWords = 2;

  static Words no_words() { return vdupq_n_u64(0); }
  static Words load_words(const uint64_t* p) { return vld1q_u64(p); }
  static Words add_ones(Words sums, Words words) {
    return vpadalq_u32(sums, vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(words)))));
  }
  static size_t total_ones(Words sums) { return vaddvq_u64(sums); }
  static uint32_t equal(const uint16_t* p, uint16_t wanted) {
    const uint16x8_t each = vdupq_n_u16(wanted);
    const uint16x8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    uint32_t all = 0;
    for (unsigned i = 0; i < 4; ++i) {
      all |= static_cast<uint32_t>(vaddvq_u16(vandq_u16(vceqq_u16(vld1q_u16(p + 8 * i), each), bits))) << (8 * i);
    }
    return all;
  }
  static uint32_t within(const uint64_t* p, uint64_t least, uint64_t width) {
    const uint64x2_t bits = {1, 2};
    const uint64x2_t distances = vsubq_u64(vld1q_u64(p), vdupq_n_u64(least));
    return static_cast<uint32_t>(vaddvq_u64(vandq_u64(vcleq_u64(distances, vdupq_n_u64(width)), bits)));
  }
};

// The bias is taken off the rows, since a product's operands have the same signedness; so the sums lack it already.
struct NeonCodes {
  using Sum = int32x4_t;
  using Row = int8x16_t;
  using Query = int8x16_t;
  static constexpr size_t kStep = 16;
  static constexpr size_t kGroup = 4;
  using Resident = Steps<>;
  static constexpr size_t kRows = 4;
  static constexpr size_t kQueries = 4;

  static Sum zero() { return vdupq_n_s32(0); }
  static Row row(const uint8_t* p) { return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(128))); }
  static Query query(const int8_t* p) { return vld1q_s8(p); }
  static Sum step(Sum sum, Row row, Query query) {
    // Two products of codes fit into 16 bits.
    const int16x8_t low = vmull_s8(vget_low_s8(row), vget_low_s8(query));
    return vpadalq_s16(sum, vmlal_s8(low, vget_high_s8(row), vget_high_s8(query)));
  }
  static void complete(const Sum* sums, const int32_t*, const float* scales, float* out) {
    const int32x4_t total = vpaddq_s32(vpaddq_s32(sums[0], sums[1]), vpaddq_s32(sums[2], sums[3]));
    vst1q_f32(out, vmulq_f32(vcvtq_f32_s32(total), vld1q_f32(scales)));
  }
};

}  // namespace
}  // namespace memspan
