#include "attributes/json_compare.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "memspan/error.hpp"
#include "support/messages.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(json_compare)

using test::Mentions;

json::value value_of(const std::string& text) { return parse_json(text, "value"); }

// In ascending order; every pair is compared in both directions.
BOOST_AUTO_TEST_CASE(numbers_are_ordered_by_value_whatever_their_form) {
  const std::vector<std::string> ascending = {
      "-1e300",
      "-9223372036854777856.0",  // the next double below -2^63
      "-9223372036854775808",
      "-9223372036854775807",
      "-9007199254740993",
      "-9007199254740992.0",
      "-1.5",
      "-1",
      "-0.25",
      "0",
      "1e-300",
      "0.5",
      "1",
      "1.0000000000000002",
      "2",
      "9007199254740992.0",  // 2^53
      "9007199254740993",    // rounds to 2^53 as a double
      "9223372036854775807",
      "9223372036854775808.0",
      "9223372036854775809",
      "18446744073709551615",
      "18446744073709551616.0",
      "1e300",
  };
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const json::value a = value_of(ascending[i]);
      const json::value b = value_of(ascending[j]);
      BOOST_TEST((json_order(a, b) == (i <=> j)), ascending[i] << " and " << ascending[j]);
      BOOST_TEST(json_equal(a, b) == (i == j), ascending[i] << " and " << ascending[j]);
    }
  }
}

BOOST_AUTO_TEST_CASE(numbers_written_differently_are_equal) {
  const std::vector<std::pair<std::string, std::string>> pairs = {{"1", "1.0"},
                                                                  {"0", "-0.0"},
                                                                  {"100", "1e2"},
                                                                  {"-9223372036854775808", "-9223372036854775808.0"},
                                                                  {"9223372036854775808", "9223372036854775808.0"},
                                                                  {"0.1", "1e-1"}};
  for (const auto& [a, b] : pairs) {
    BOOST_TEST(json_equal(value_of(a), value_of(b)), a << " and " << b);
    BOOST_TEST(json_equal(value_of(b), value_of(a)), b << " and " << a);
  }
}

BOOST_AUTO_TEST_CASE(strings_are_ordered_by_code_point) {
  const std::vector<std::string> ascending = {"\"\"", "\"A\"", "\"a\"", "\"ab\"", "\"\\u00e9\"", "\"\\uffee\"", "\"\\ud83d\\ude00\""};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      BOOST_TEST((json_order(value_of(ascending[i]), value_of(ascending[j])) == (i <=> j)));
    }
  }
}

BOOST_AUTO_TEST_CASE(mixed_types_have_no_order_and_are_never_equal) {
  const std::vector<std::string> kinds = {"1", "\"1\"", "true", "null", "[1]", "{\"a\": 1}"};
  for (size_t i = 0; i < kinds.size(); ++i) {
    for (size_t j = 0; j < kinds.size(); ++j) {
      BOOST_TEST(json_equal(value_of(kinds[i]), value_of(kinds[j])) == (i == j), kinds[i] << " and " << kinds[j]);
      if (i == j && i < 2) continue;
      BOOST_TEST((json_order(value_of(kinds[i]), value_of(kinds[j])) == std::partial_ordering::unordered));
    }
  }
}

BOOST_AUTO_TEST_CASE(lists_and_objects_are_equal_as_a_whole) {
  struct Case {
    const char* a;
    const char* b;
    bool equal;
  };
  const std::vector<Case> cases = {
      {"[]", "[]", true},
      {"[1, 2]", "[1.0, 2]", true},
      {"[1, 2]", "[2, 1]", false},
      {"[1]", "[1, 1]", false},
      {"{}", "{}", true},
      {"{}", "[]", false},
      {"{\"a\": 1, \"b\": [2]}", "{\"b\": [2.0], \"a\": 1}", true},
      {"{\"a\": 1}", "{\"b\": 1}", false},
      {"{\"a\": 1}", "{\"a\": 1, \"b\": 1}", false},
      {"{\"a\": {\"b\": null}}", "{\"a\": {\"b\": null}}", true},
      {"{\"a\": {\"b\": null}}", "{\"a\": {\"b\": false}}", false},
  };
  for (const Case& test : cases) {
    BOOST_TEST(json_equal(value_of(test.a), value_of(test.b)) == test.equal, test.a << " and " << test.b);
    BOOST_TEST(json_equal(value_of(test.b), value_of(test.a)) == test.equal, test.b << " and " << test.a);
  }
}

// A snapshot stores metadata as text; the numbers that come back must be the same.
BOOST_AUTO_TEST_CASE(numbers_survive_being_written_and_parsed) {
  std::mt19937_64 random(1);
  int wrong = 0;
  for (int i = 0; i < 20000; ++i) {
    const double number = std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 600) - 330);
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", number);
    const json::value parsed = value_of(text);
    wrong += parsed.to_number<double>() != number;
    wrong += !json_equal(parsed, value_of(json::serialize(parsed)));
  }
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_CASE(parsing_is_strict_and_names_the_place) {
  const std::vector<std::string> wrong = {"", " ", "{", "[1,]", "{\"a\":1,}", "{a: 1}", "'a'", "NaN", "Infinity", "1 2",
                                          "01", "\"\x01\"", "\"\xFF\"", "tru", "{\"a\": 1} x", "// c\n1"};
  for (const std::string& text : wrong) {
    BOOST_CHECK_EXCEPTION(value_of(text), InvalidArgument, (Mentions{"value", "near byte"}));
  }
  BOOST_TEST(json_equal(value_of(" \n{\"a\": 1}\t "), value_of("{\"a\":1}")));
}

BOOST_AUTO_TEST_CASE(numbers_beyond_the_range_of_a_double_are_refused) {
  BOOST_CHECK_THROW(value_of("1e400"), InvalidArgument);
  BOOST_CHECK_THROW(value_of("[-1e400]"), InvalidArgument);
  BOOST_TEST(value_of("1e-400").get_double() == 0.0);
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  BOOST_TEST(value_of(nested(32)).is_array());
  BOOST_CHECK_EXCEPTION(value_of(nested(33)), InvalidArgument, (Mentions{"32 nested levels"}));
  BOOST_CHECK_THROW(value_of(nested(1'000'000)), InvalidArgument);
  BOOST_CHECK_EXCEPTION(parse_json_object("[1]", "metadata"), InvalidArgument, (Mentions{"metadata", "not an object"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
