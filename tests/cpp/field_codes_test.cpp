#include "attributes/field_codes.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <string>
#include <vector>

#include "attributes/json_compare.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(field_codes)

BOOST_AUTO_TEST_CASE(equal_values_have_equal_codes) {
  const std::vector<const char*> texts = {
      "null", "true", "false", "0", "-0", "0.0", "-0.0", "1", "1.0", "1e0", "1.5", "-1", "-1.0", "\"1\"", "\"\"", "\"a\"", "\"b\"",
      "9007199254740993", "9007199254740992", "9007199254740992.0", "9223372036854775807", "9223372036854775808",
      "9223372036854775808.0", "-9223372036854775808", "-9223372036854775808.0", "18446744073709551615", "18446744073709551616.0",
      "1e300", "[]", "[1]", "[1.0]", "[2]", "{}", R"({"a":1})", R"({"a":1.0})", R"({"b":1})"};
  std::vector<json::value> values;
  for (const char* text : texts) values.push_back(parse_json(text, "value"));
  for (const json::value& a : values) {
    BOOST_TEST(CodeOf::of(a) != CodeOf::kMissing);
    for (const json::value& b : values) {
      if (json_equal(a, b)) BOOST_TEST(CodeOf::of(a) == CodeOf::of(b), a << " and " << b);
    }
  }
}

BOOST_AUTO_TEST_CASE(other_values_mostly_have_others) {
  std::set<FieldCode> codes;
  for (int i = 0; i < 1000; ++i) {
    codes.insert(CodeOf::of(json::value(i)));
    codes.insert(CodeOf::of(json::value(i + 0.5)));
    codes.insert(CodeOf::of(json::value("document " + std::to_string(i))));
  }
  BOOST_TEST(codes.size() > 2800u);  // of 3,000, by chance some 70 share one
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
