// CRC-32C by the processor's own instruction: SSE4.2 on x86-64, the CRC extension on AArch64. It takes three cycles and
// can begin anew in each, so that long messages are read in three places at once.
#include "simd/crc32c_shift.hpp"
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

uint64_t word_at(const uint8_t* bytes) {
  uint64_t word;
  __builtin_memcpy(&word, bytes, sizeof word);
  return word;
}

// Of each of the three places: to put the parts together costs as much as reading some 200 bytes.
constexpr size_t kStride = 1024;
constexpr Crc32cShift<kStride> kPastStride;

}  // namespace

uint32_t crc32c_instruction(uint32_t crc, const uint8_t* bytes, size_t size) {
  crc = ~crc;
  for (; size >= 3 * kStride; bytes += 3 * kStride, size -= 3 * kStride) {
    uint32_t second = 0;
    uint32_t third = 0;
    for (size_t i = 0; i < kStride; i += sizeof(uint64_t)) {
      crc = step8(crc, word_at(bytes + i));
      second = step8(second, word_at(bytes + kStride + i));
      third = step8(third, word_at(bytes + 2 * kStride + i));
    }
    crc = kPastStride(kPastStride(crc) ^ second) ^ third;
  }
  for (; size >= sizeof(uint64_t); bytes += sizeof(uint64_t), size -= sizeof(uint64_t)) {
    crc = step8(crc, word_at(bytes));
  }
  for (; size > 0; ++bytes, --size) crc = step1(crc, *bytes);
  return ~crc;
}

}  // namespace memspan
