#include "attributes/field_keys.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "attributes/json_compare.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(field_keys)

using namespace std::string_view_literals;

std::vector<json::value> some_values() {
  std::vector<json::value> values;
  for (const char* text :
       {"null", "true", "0", "-0.0", "1", "1.0", "1.5", "-1", "-1.5", "2", "1e300", "-1e300", "5e-324", "-5e-324", "9007199254740993",
        "9007199254740992.0", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615", "\"\"",
        "\"a\"", "\"ab\"", "\"b\"", "\"2024-05-01\"", "\"2024-05-02\"", "\"2024-06-01\"", "\"\xc3\xa9\"", "\"\xf0\x9f\x98\x80\"",
        "\"\\u0000\"", "[1]", "{}"}) {
    values.push_back(parse_json(text, "value"));
  }
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    values.emplace_back(static_cast<int64_t>(random()) >> (random() % 64));
    values.emplace_back(static_cast<double>(static_cast<int64_t>(random())) / 3e15);
    for (const std::string_view characters : {"abc"sv, "0129-:"sv, "\x01\x02 +=>?@AZ\x7f"sv, "\0a0\xc3\xa9\xff"sv}) {
      std::string text;
      for (size_t size = random() % 12; size > 0; --size) text += characters[random() % characters.size()];
      values.emplace_back(text);
    }
  }
  return values;
}

BOOST_AUTO_TEST_CASE(they_are_in_the_order_of_the_values) {
  const std::vector<json::value> values = some_values();
  for (const json::value& a : values) {
    for (const json::value& b : values) {
      const std::partial_ordering order = json_order(a, b);
      BOOST_TEST_CONTEXT(a << " and " << b) {
        if (order < 0) BOOST_TEST(KeyOf::of(a) <= KeyOf::of(b));
        if (order == 0) BOOST_TEST(KeyOf::of(a) == KeyOf::of(b));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(ranges_hold_all_that_compares) {
  const std::vector<json::value> values = some_values();
  for (const json::value& end : values) {
    if (!end.is_number() && !end.is_string()) {
      BOOST_TEST(KeyOf::of(end) == KeyOf::kMissing);
      continue;
    }
    for (const json::value& value : values) {
      const std::partial_ordering order = json_order(value, end);
      BOOST_TEST_CONTEXT(value << " and " << end) {
        BOOST_TEST((order != std::partial_ordering::unordered) ==
                   (keys_from(end).contains(KeyOf::of(value)) || keys_up_to(end).contains(KeyOf::of(value))));
        if (order >= 0) BOOST_TEST(keys_from(end).contains(KeyOf::of(value)));
        if (order <= 0) BOOST_TEST(keys_up_to(end).contains(KeyOf::of(value)));
        if (keys_from(end).decides(KeyOf::of(value))) BOOST_TEST((order > 0));
        if (keys_up_to(end).decides(KeyOf::of(value))) BOOST_TEST((order < 0));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(near_numbers_and_days_are_told_apart) {
  BOOST_TEST(KeyOf::of(1700000000) < KeyOf::of(1700000001));
  BOOST_TEST(KeyOf::of(1700000000.25) < KeyOf::of(1700000000.5));
  BOOST_TEST(KeyOf::of(-2) < KeyOf::of(-1));
  BOOST_TEST(KeyOf::of(json::value("2024-05-01")) < KeyOf::of(json::value("2024-05-02")));
  BOOST_TEST(KeyOf::of(json::value("2024-05-01T23:00")) < KeyOf::of(json::value("2024-05-02T01:00")));
  BOOST_TEST(KeyOf::of(json::value("")) < KeyOf::of(json::value("a")));
}

BOOST_AUTO_TEST_CASE(inside_of_a_range_is_what_it_decides) {
  const FieldKey key = KeyOf::of(5);
  for (const KeyRange range : {KeyRange{key - 1, key + 1}, KeyRange{key, key + 2}, KeyRange{key - 2, key}, KeyRange{key + 1, key - 1}}) {
    BOOST_TEST(range.decides(key) == range.inside().contains(key));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
