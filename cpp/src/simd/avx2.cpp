// AVX2 with FMA. Compiled with these instructions; kernels.hpp says what may not be included here.
#include "simd/avx2.hpp"

namespace memspan {

constinit const Kernels kAvx2Kernels = table_of<Avx2, Avx2Codes, Avx2, Avx2Blocks>();

}  // namespace memspan
