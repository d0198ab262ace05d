// AVX2 with FMA and AVX-VNNI, as on processors without AVX-512.
#include "simd/avx2_vnni.hpp"

namespace memspan {

constinit const Kernels kAvx2VnniKernels = table_of<Avx2, Avx2VnniCodes, Avx2, Avx2VnniBlocks>();

}  // namespace memspan
