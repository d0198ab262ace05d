// AArch64 Advanced SIMD. kernels.hpp says what may not be included here.
#include <arm_neon.h>

#include "simd/dot_blocks.hpp"
#include "simd/levels.hpp"

namespace memspan {
namespace {

struct Neon {
  using Vector = float32x4_t;
  static constexpr size_t kLanes = 4;
  static constexpr size_t kSums = 4;

  static Vector zero() { return vdupq_n_f32(0.0f); }
  static Vector load(const float* p) { return vld1q_f32(p); }
  static Vector load_first(const float* p, size_t count) {
    float lanes[kLanes] = {};
    for (size_t i = 0; i < count; ++i) lanes[i] = p[i];
    return vld1q_f32(lanes);
  }
  static Vector multiply_add(Vector a, Vector b, Vector sum) { return vfmaq_f32(sum, a, b); }

  static float reduce(const Vector (&sums)[kSums]) {
    const float32x4_t sum = vaddq_f32(vaddq_f32(sums[0], sums[2]), vaddq_f32(sums[1], sums[3]));
    const float32x2_t pair = vadd_f32(vget_low_f32(sum), vget_high_f32(sum));
    return vget_lane_f32(pair, 0) + vget_lane_f32(pair, 1);
  }
};

}  // namespace

const Kernels kNeonKernels = {&dot<Neon>, &dot_rows<Neon>, &dot_gather<Neon>, &quantize_query, &quantize_row, &code_rows, &code_gather,
    &code_rows_batch, &select_above, &crc32c_instruction};

}  // namespace memspan
