#include "base/crc32c.hpp"

#include "simd/kernels.hpp"

namespace memspan {

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t crc) {
  return kernels().crc32c(crc, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

uint32_t crc32c(std::string_view bytes, uint32_t crc) { return crc32c(std::as_bytes(std::span(bytes)), crc); }

}  // namespace memspan
