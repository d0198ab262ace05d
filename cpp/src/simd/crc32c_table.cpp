// CRC-32C (Castagnoli) by slicing: eight table look-ups consume eight bytes.
#include "simd/levels.hpp"

namespace memspan {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // bits reversed
constexpr size_t kSlices = 8;

struct Tables {
  uint32_t value[kSlices][256];
};

constexpr Tables make_tables() {
  Tables tables = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    tables.value[0][byte] = crc;
  }
  for (size_t slice = 1; slice < kSlices; ++slice) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t previous = tables.value[slice - 1][byte];
      tables.value[slice][byte] = (previous >> 8) ^ tables.value[0][previous & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

uint32_t crc32c_table(uint32_t crc, const uint8_t* bytes, size_t size) {
  crc = ~crc;
  for (; size >= kSlices; bytes += kSlices, size -= kSlices) {
    const uint32_t low = crc ^ (static_cast<uint32_t>(bytes[0]) | static_cast<uint32_t>(bytes[1]) << 8 |
                                static_cast<uint32_t>(bytes[2]) << 16 | static_cast<uint32_t>(bytes[3]) << 24);
    crc = kTables.value[7][low & 0xff] ^ kTables.value[6][(low >> 8) & 0xff] ^ kTables.value[5][(low >> 16) & 0xff] ^
          kTables.value[4][low >> 24] ^ kTables.value[3][bytes[4]] ^ kTables.value[2][bytes[5]] ^
          kTables.value[1][bytes[6]] ^ kTables.value[0][bytes[7]];
  }
  for (; size > 0; ++bytes, --size) crc = (crc >> 8) ^ kTables.value[0][(crc ^ *bytes) & 0xff];
  return ~crc;
}

}  // namespace memspan
