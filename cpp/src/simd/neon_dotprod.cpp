// AArch64 Advanced SIMD with the dot product instructions of ARMv8.2, which later versions require.
#include "simd/neon.hpp"

namespace memspan {
namespace {

struct NeonDotprodCodes : NeonCodes {
  static Sum step(Sum sum, Row row, Query query) { return vdotq_s32(sum, row, query); }
};

}  // namespace

constinit const Kernels kNeonDotprodKernels = table_of<Neon, NeonDotprodCodes>();

}  // namespace memspan
