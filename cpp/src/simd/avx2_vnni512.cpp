// AVX2 with FMA and the VNNI of AVX-512 on its shorter registers.
#include "simd/avx2_vnni.hpp"

namespace memspan {

constinit const Kernels kAvx2Vnni512Kernels = table_of<Avx2, Avx2VnniCodes, Avx2, Avx2VnniBlocks>();

}  // namespace memspan
