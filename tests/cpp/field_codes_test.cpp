#include "attributes/field_codes.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "attributes/json_compare.hpp"

namespace memspan {
namespace {

using Codes = std::vector<FieldCodes::Code>;

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
    BOOST_TEST(FieldCodes::of(a) != FieldCodes::kMissing);
    for (const json::value& b : values) {
      if (json_equal(a, b)) BOOST_TEST(FieldCodes::of(a) == FieldCodes::of(b), a << " and " << b);
    }
  }
}

BOOST_AUTO_TEST_CASE(other_values_mostly_have_others) {
  std::set<FieldCodes::Code> codes;
  for (int i = 0; i < 1000; ++i) {
    codes.insert(FieldCodes::of(json::value(i)));
    codes.insert(FieldCodes::of(json::value(i + 0.5)));
    codes.insert(FieldCodes::of(json::value("document " + std::to_string(i))));
  }
  BOOST_TEST(codes.size() > 2800u);  // of 3,000, by chance some 70 share one
}

BOOST_AUTO_TEST_CASE(a_field_is_found_by_its_path) {
  const json::object metadata = parse_json_object(R"({"a": {"b": {"c": 7}}, "a.b": 8, "n": null})", "metadata");
  BOOST_TEST(FieldCodes::of(metadata, {"a", "b", "c"}) == FieldCodes::of(json::value(7)));
  BOOST_TEST(FieldCodes::of(metadata, {"a.b"}) == FieldCodes::of(json::value(8)));
  BOOST_TEST(FieldCodes::of(metadata, {"n"}) == FieldCodes::of(json::value(nullptr)));
  BOOST_TEST(FieldCodes::of(metadata, {"a", "x"}) == FieldCodes::kMissing);
  BOOST_TEST(FieldCodes::of(metadata, {"n", "x"}) == FieldCodes::kMissing);
}

BOOST_AUTO_TEST_CASE(columns_keep_what_they_are_told) {
  std::mt19937 random(1);
  FieldCodes codes;
  BOOST_TEST(codes.find({"a"}) == nullptr);
  std::vector<uint64_t> marks;
  for (size_t slots : {0, 1, 63, 64, 65, 1000}) {
    Codes given(slots);
    for (FieldCodes::Code& code : given) code = static_cast<FieldCodes::Code>(random() % 4);
    const FieldPath path = {"a" + std::to_string(slots)};
    const FieldCodes::Column* const column = codes.make(path, given);
    BOOST_TEST(codes.find(path) == column);
    for (const Codes& wanted : {Codes{}, Codes{0}, Codes{3}, Codes{1, 2}, Codes{9}}) {
      Bitset records;
      records.assign(slots, true);
      for (size_t i = 0; i < slots; i += 3) records.reset(i);
      column->keep(wanted, records, marks);
      for (Slot i = 0; i < slots; ++i) {
        const bool is_one = std::find(wanted.begin(), wanted.end(), given[i]) != wanted.end();
        BOOST_TEST(column->is_any_of(i, wanted) == is_one);
        BOOST_TEST(records.test(i) == (is_one && i % 3 != 0));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(there_are_at_most_so_many_fields) {
  FieldCodes codes;
  for (size_t i = 0; i < FieldCodes::kMost; ++i) {
    BOOST_TEST(!codes.full());
    BOOST_TEST(codes.make({std::to_string(i)}, Codes(1)) != nullptr);
  }
  BOOST_TEST(codes.full());
  BOOST_TEST(codes.make({"more"}, Codes(1)) == nullptr);
  BOOST_TEST(codes.find({"more"}) == nullptr);
  BOOST_TEST(codes.make({"3"}, Codes(1)) == codes.find({"3"}));
}

BOOST_AUTO_TEST_CASE(writes_reach_every_column) {
  FieldCodes codes;
  codes.make({"a"}, Codes(1));
  const FieldCodes::Column* const inner = codes.make({"b", "c"}, Codes(1));
  const size_t before = codes.bytes();
  codes.make_room(5000);
  BOOST_TEST(codes.bytes() >= before + 2 * 2 * 4900);
  const json::object metadata = parse_json_object(R"({"a": 1, "b": {"c": "x"}})", "metadata");
  codes.set(5000, metadata);
  const Codes one = {FieldCodes::of(json::value(1))};
  const Codes x = {FieldCodes::of(json::value("x"))};
  const Codes missing = {FieldCodes::kMissing};
  BOOST_TEST(codes.find({"a"})->is_any_of(5000, one));
  BOOST_TEST(inner->is_any_of(5000, x));
  BOOST_TEST(inner->is_any_of(4999, missing));
  codes.set(5000, {});
  BOOST_TEST(inner->is_any_of(5000, missing));

  FieldCodes moved(std::move(codes));
  BOOST_TEST(moved.find({"b", "c"}) == inner);
  BOOST_TEST(codes.find({"a"}) == nullptr);
  FieldCodes other;
  other.make({"z"}, Codes(1));
  other = std::move(moved);
  BOOST_TEST(other.find({"b", "c"}) == inner);
  BOOST_TEST(other.find({"z"}) == nullptr);
}

BOOST_AUTO_TEST_CASE(threads_make_them_at_once) {
  for (int round = 0; round < 50; ++round) {
    const FieldCodes codes;
    std::vector<std::vector<const FieldCodes::Column*>> made(4);
    {
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < made.size(); ++t) {
        threads.emplace_back([&codes, &mine = made[t]] {
          for (size_t i = 0; i < 2 * FieldCodes::kMost; ++i) mine.push_back(codes.make({std::to_string(i)}, Codes(100)));
        });
      }
    }
    size_t columns = 0;
    for (size_t i = 0; i < 2 * FieldCodes::kMost; ++i) {
      const FieldCodes::Column* const known = codes.find({std::to_string(i)});
      columns += known != nullptr;
      for (const auto& mine : made) BOOST_TEST((mine[i] == known || mine[i] == nullptr));
    }
    BOOST_TEST(columns == FieldCodes::kMost);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
