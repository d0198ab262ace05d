// AVX-512 (F, BW, DQ, VL). Compiled with these instructions; kernels.hpp says what may not be included here.
#include "simd/avx512.hpp"

namespace memspan {

// Codes as at the level below: without VNNI, wider registers would need more instructions for the signs.
constinit const Kernels kAvx512Kernels = table_of<Avx512, Avx2Codes, Avx2, Avx2Blocks>();

}  // namespace memspan
