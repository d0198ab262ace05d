#include "base/crc32c.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>

#include "simd/crc32c_shift.hpp"
#include "simd/levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(crc32c)

// RFC 3720, appendix B.4, and the check value of the catalogue of parametrised CRC algorithms.
BOOST_AUTO_TEST_CASE(known_values) {
  std::string ascending;
  std::string descending;
  for (int i = 0; i < 32; ++i) {
    ascending.push_back(static_cast<char>(i));
    descending.push_back(static_cast<char>(31 - i));
  }
  BOOST_TEST(memspan::crc32c(std::string_view()) == 0u);
  BOOST_TEST(memspan::crc32c("123456789") == 0xe3069283u);
  BOOST_TEST(memspan::crc32c(std::string(32, '\0')) == 0x8a9136aau);
  BOOST_TEST(memspan::crc32c(std::string(32, '\xff')) == 0x62a8ab43u);
  BOOST_TEST(memspan::crc32c(ascending) == 0x46dd794eu);
  BOOST_TEST(memspan::crc32c(descending) == 0x113fdb5cu);
}

BOOST_AUTO_TEST_CASE(bytes_and_text_agree) {
  const std::string text = "the same bytes";
  BOOST_TEST(memspan::crc32c(std::as_bytes(std::span(text))) == memspan::crc32c(text));
}

BOOST_AUTO_TEST_CASE(continues_at_any_split) {
  const std::string text = "The quick brown fox jumps over the lazy dog, twice over.";
  const std::string_view view = text;
  for (size_t split = 0; split <= view.size(); ++split) {
    BOOST_TEST(memspan::crc32c(view.substr(split), memspan::crc32c(view.substr(0, split))) == memspan::crc32c(view));
  }
}

BOOST_AUTO_TEST_CASE(every_level_agrees_at_every_size_and_alignment) {
  constexpr size_t kMost = 10'000;
  std::mt19937 random(7);
  std::string bytes(kMost + 8, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  SimdLevel levels[kMaxSimdLevels];
  const size_t count = supported_levels(levels);
  for (size_t offset = 0; offset < 8; ++offset) {
    const auto* start = reinterpret_cast<const uint8_t*>(bytes.data()) + offset;
    for (size_t size = 0; size <= kMost; size += size < 70 ? 1 : 131) {
      const uint32_t expected = crc32c_table(0, start, size);
      for (size_t i = 0; i < count; ++i) {
        BOOST_TEST(levels[i].kernels->crc32c(0, start, size) == expected, levels[i].name << ", size " << size);
        const size_t split = random() % (size + 1);
        const uint32_t first = levels[i].kernels->crc32c(0, start, split);
        BOOST_TEST(levels[i].kernels->crc32c(first, start + split, size - split) == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_shift_moves_past_any_bytes) {
  constexpr Crc32cShift<1000> past;
  const std::string head = "head";
  const std::string tail(1000, 'x');
  // Without the complements at both ends a checksum is linear: that of both is that of the first, moved, and the second's.
  const uint32_t moved = past(~memspan::crc32c(head)) ^ ~memspan::crc32c(tail, ~0u);
  BOOST_TEST(~moved == memspan::crc32c(head + tail));
}

BOOST_AUTO_TEST_CASE(every_flipped_bit_changes_it) {
  std::string text = "a snapshot block that somebody damages";
  const uint32_t intact = memspan::crc32c(text);
  for (size_t bit = 0; bit < text.size() * 8; ++bit) {
    const char mask = static_cast<char>(1 << (bit % 8));
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ mask);
    BOOST_TEST(memspan::crc32c(text) != intact);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ mask);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
