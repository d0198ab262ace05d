// AArch64 Advanced SIMD. kernels.hpp says what may not be included here.
#include "simd/neon.hpp"

namespace memspan {

constinit const Kernels kNeonKernels = table_of<Neon, NeonCodes>();

}  // namespace memspan
