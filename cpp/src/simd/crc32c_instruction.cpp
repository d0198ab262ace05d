// CRC-32C by the processor's own instruction: SSE4.2 on x86-64, the CRC extension on AArch64.
#include "simd/levels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_acle.h>
#endif

namespace memspan {
namespace {

#if defined(__x86_64__)
uint32_t step8(uint32_t crc, uint64_t word) { return static_cast<uint32_t>(_mm_crc32_u64(crc, word)); }
uint32_t step1(uint32_t crc, uint8_t byte) { return _mm_crc32_u8(crc, byte); }
#else
uint32_t step8(uint32_t crc, uint64_t word) { return __crc32cd(crc, word); }
uint32_t step1(uint32_t crc, uint8_t byte) { return __crc32cb(crc, byte); }
#endif

}  // namespace

uint32_t crc32c_instruction(uint32_t crc, const uint8_t* bytes, size_t size) {
  crc = ~crc;
  for (; size >= sizeof(uint64_t); bytes += sizeof(uint64_t), size -= sizeof(uint64_t)) {
    uint64_t word;
    __builtin_memcpy(&word, bytes, sizeof word);
    crc = step8(crc, word);
  }
  for (; size > 0; ++bytes, --size) crc = step1(crc, *bytes);
  return ~crc;
}

}  // namespace memspan
