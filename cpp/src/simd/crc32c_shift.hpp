// CRC-32C of a message from those of its parts: a checksum moved past bytes that come after, without reading them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace memspan {

// Polynomials over GF(2) of degree below 32, the coefficient of x^0 in the highest bit; products modulo the polynomial
// of CRC-32C.
constexpr uint32_t crc32c_product(uint32_t a, uint32_t b) {
  constexpr uint32_t kPolynomial = 0x82f63b78;
  uint32_t product = 0;
  for (uint32_t bit = 1u << 31; bit != 0; bit >>= 1) {
    if (a & bit) product ^= b;
    b = (b >> 1) ^ ((b & 1) ? kPolynomial : 0);
  }
  return product;
}

// x^(8 `bytes`): the factor that moves a checksum past as many bytes.
constexpr uint32_t crc32c_power(size_t bytes) {
  uint32_t power = 1u << 31;   // x^0
  uint32_t square = 1u << 23;      // x^8
  for (; bytes != 0; bytes >>= 1) {
    if (bytes & 1) power = crc32c_product(power, square);
    square = crc32c_product(square, square);
  }
  return power;
}

// Moves checksums past Bytes bytes by four look-ups (4 KiB of tables, made by the compiler).
template <size_t Bytes>
class Crc32cShift {
 public:
  constexpr Crc32cShift() {
    const uint32_t power = crc32c_power(Bytes);
    for (size_t byte = 0; byte < 4; ++byte) {
      for (uint32_t bit = 0; bit < 8; ++bit) {
        tables_[byte][size_t{1} << bit] = crc32c_product(power, 1u << (8 * byte + bit));
      }
      for (size_t value = 1; value < 256; ++value) {
        tables_[byte][value] = tables_[byte][value & (value - 1)] ^ tables_[byte][value & (~value + 1)];
      }
    }
  }
  constexpr uint32_t operator()(uint32_t crc) const {
    return tables_[0][crc & 255] ^ tables_[1][crc >> 8 & 255] ^ tables_[2][crc >> 16 & 255] ^ tables_[3][crc >> 24];
  }

 private:
  std::array<std::array<uint32_t, 256>, 4> tables_{};
};

}  // namespace memspan
