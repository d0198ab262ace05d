#include "lexical/utf8.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(utf8)

DecodedChar decode(std::string_view text) { return decode_utf8(text.data(), text.data() + text.size()); }

// As a number, which Boost.Test can print.
uint32_t code_point(std::string_view text) { return decode(text).code_point; }

BOOST_AUTO_TEST_CASE(every_code_point_survives_a_round_trip) {
  std::string encoded;
  for (char32_t original = 0; original <= 0x10FFFF; ++original) {
    if (original == 0xD800) original = 0xE000;
    encoded.clear();
    append_utf8(original, encoded);
    const DecodedChar decoded = decode(encoded);
    if (decoded.code_point != original || decoded.size != encoded.size()) {
      BOOST_FAIL("code point " << static_cast<uint32_t>(original));
    }
  }
}

BOOST_AUTO_TEST_CASE(bad_bytes_are_reported_one_at_a_time) {
  const std::string_view bad[] = {
      "\x80",              // continuation without a lead
      "\xBF\x80",
      "\xC0\xAF",          // overlong
      "\xC1\xBF",
      "\xE0\x9F\xBF",
      "\xF0\x8F\xBF\xBF",
      "\xED\xA0\x80",      // surrogates
      "\xED\xBF\xBF",
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xF5\x80\x80\x80",
      "\xFF",
      "\xC3",              // cut short
      "\xE2\x82",
      "\xF0\x9F\x98",
      "\xC3\x28",          // a lead, then something else
      "\xE2\x28\xA1",
      "\xF0\x9F\x98\x41",
  };
  for (const std::string_view text : bad) {
    BOOST_TEST(code_point(text) == uint32_t{kBadByte});
    BOOST_TEST(decode(text).size == 1u);
  }
}

BOOST_AUTO_TEST_CASE(borders_of_the_lengths_are_read) {
  BOOST_TEST(code_point("\xC2\x80") == 0x80u);
  BOOST_TEST(code_point("\xDF\xBF") == 0x7FFu);
  BOOST_TEST(code_point("\xE0\xA0\x80") == 0x800u);
  BOOST_TEST(code_point("\xED\x9F\xBF") == 0xD7FFu);
  BOOST_TEST(code_point("\xEE\x80\x80") == 0xE000u);
  BOOST_TEST(code_point("\xEF\xBF\xBF") == 0xFFFFu);
  BOOST_TEST(code_point("\xF0\x90\x80\x80") == 0x10000u);
  BOOST_TEST(code_point("\xF4\x8F\xBF\xBF") == 0x10FFFFu);
}

BOOST_AUTO_TEST_CASE(a_prefix_never_cuts_a_character) {
  const std::string_view text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80";  // 1 + 2 + 3 + 4 bytes
  const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
  for (size_t limit = 0; limit < std::size(expected); ++limit) {
    BOOST_TEST(utf8_prefix(text, limit).size() == expected[limit]);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
