#include "attributes/where.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "lexical/utf8.hpp"
#include "memspan/error.hpp"
#include "support/messages.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(where)

using test::Mentions;

constexpr const char* kMetadata = R"({
  "city": "Oslo", "days": 3, "cost": 12.5, "paid": true, "guide": null, "big": 9007199254740993,
  "tags": ["fjord", 7, [1]], "trip": {"days": 4, "leg": {"by": "train"}}, "empty": {}, "$odd": 1,
  "file.name": "a", "c:\\dir": {"x.y": 2}})";

bool matches(const std::string& filter) {
  static const json::object metadata = parse_json_object(kMetadata, "metadata");
  return Where(filter).matches(metadata);
}

struct Case {
  const char* filter;
  bool expected;
};

void check(const std::vector<Case>& cases) {
  for (const Case& test : cases) BOOST_TEST(matches(test.filter) == test.expected, test.filter);
}

bool is_utf8(const std::string& text) {
  const char* end = text.data() + text.size();
  for (const char* place = text.data(); place < end;) {
    const DecodedChar decoded = decode_utf8(place, end);
    if (decoded.code_point == kBadByte) return false;
    place += decoded.size;
  }
  return true;
}

BOOST_AUTO_TEST_CASE(equality) {
  check({{R"({})", true},
         {R"({"city": "Oslo"})", true},
         {R"({"city": "oslo"})", false},
         {R"({"city": {"$eq": "Oslo"}})", true},
         {R"({"days": 3.0})", true},
         {R"({"days": "3"})", false},
         {R"({"paid": true})", true},
         {R"({"paid": 1})", false},
         {R"({"guide": null})", true},
         {R"({"missing": null})", false},
         {R"({"big": 9007199254740993})", true},
         {R"({"big": 9007199254740992})", false},
         {R"({"big": 9007199254740992.0})", false},
         {R"({"tags": ["fjord", 7.0, [1]]})", true},
         {R"({"tags": "fjord"})", false},
         {R"({"trip": {"leg": {"by": "train"}, "days": 4}})", true},
         {R"({"trip": {"days": 4}})", false},
         {R"({"empty": {}})", true},
         {R"({"city": "Oslo", "days": 4})", false},
         {R"({"city": {"$ne": "Oslo"}})", false},
         {R"({"city": {"$ne": 5}})", true},
         {R"({"missing": {"$ne": "x"}})", true}});
}

BOOST_AUTO_TEST_CASE(order) {
  check({{R"({"days": {"$gt": 2}})", true},
         {R"({"days": {"$gt": 3}})", false},
         {R"({"days": {"$gte": 3}})", true},
         {R"({"days": {"$lt": 3.5}})", true},
         {R"({"days": {"$lte": 2.9999}})", false},
         {R"({"days": {"$gt": 2, "$lt": 4}})", true},
         {R"({"days": {"$gt": 2, "$lt": 3}})", false},
         {R"({"big": {"$gt": 9007199254740992.0}})", true},
         {R"({"city": {"$gt": "Bergen"}})", true},
         {R"({"city": {"$lt": "Oslo2"}})", true},
         {R"({"days": {"$gt": "2"}})", false},
         {R"({"days": {"$lte": "2"}})", false},
         {R"({"paid": {"$gte": 0}})", false},
         {R"({"guide": {"$lte": 0}})", false},
         {R"({"missing": {"$lt": 5}})", false},
         {R"({"missing": {"$gte": 5}})", false}});
}

BOOST_AUTO_TEST_CASE(membership) {
  check({{R"({"city": {"$in": ["Rome", "Oslo"]}})", true},
         {R"({"city": {"$in": []}})", false},
         {R"({"city": {"$nin": []}})", true},
         {R"({"city": {"$nin": ["Oslo"]}})", false},
         {R"({"days": {"$in": [3.0]}})", true},
         {R"({"missing": {"$in": [null]}})", false},
         {R"({"missing": {"$nin": ["x"]}})", true},
         {R"({"tags": {"$contains": "fjord"}})", true},
         {R"({"tags": {"$contains": 7.0}})", true},
         {R"({"tags": {"$contains": [1]}})", true},
         {R"({"tags": {"$contains": "fjo"}})", false},
         {R"({"city": {"$contains": "slo"}})", true},
         {R"({"city": {"$contains": ""}})", true},
         {R"({"city": {"$contains": 5}})", false},
         {R"({"days": {"$contains": 3}})", false},
         {R"({"missing": {"$contains": "x"}})", false}});
}

BOOST_AUTO_TEST_CASE(existence_and_nested_paths) {
  check({{R"({"guide": {"$exists": true}})", true},
         {R"({"guide": {"$exists": false}})", false},
         {R"({"missing": {"$exists": false}})", true},
         {R"({"missing": {"$exists": true}})", false},
         {R"({"trip.days": 4})", true},
         {R"({"trip.leg.by": {"$in": ["train"]}})", true},
         {R"({"trip.leg.by.more": {"$exists": true}})", false},
         {R"({"city.more": {"$exists": false}})", true},
         {R"({"tags.0": "fjord"})", false},
         {R"({"empty.x": {"$ne": 1}})", true}});
}

BOOST_AUTO_TEST_CASE(names_with_dots_dollars_and_backslashes) {
  check({{R"({"file\\.name": "a"})", true},
         {R"({"file.name": {"$exists": true}})", false},
         {R"({"\\$odd": 1})", true},
         {R"({"\\$odd": 2})", false},
         {R"({"c:\\dir.x\\.y": {"$gte": 2}})", true},
         {R"({"c:\\\\dir.x\\.y": 2})", true},
         {R"({"trip\\.days": 4})", false}});
}

BOOST_AUTO_TEST_CASE(combinations) {
  check({{R"({"$and": [{"city": "Oslo"}, {"days": 3}]})", true},
         {R"({"$and": [{"city": "Oslo"}, {"days": 4}]})", false},
         {R"({"$or": [{"city": "Rome"}, {"days": 3}]})", true},
         {R"({"$or": [{"city": "Rome"}, {"days": 4}]})", false},
         {R"({"$not": {"city": "Rome"}})", true},
         {R"({"$not": {"city": "Oslo"}})", false},
         {R"({"$not": {}})", false},
         {R"({"$not": {"missing": 1}})", true},
         {R"({"days": {"$not": {"$gt": 5}}})", true},
         {R"({"missing": {"$not": {"$gt": 5}}})", true},
         {R"({"days": {"$or": [{"$lt": 1}, {"$gt": 2}]}})", true},
         {R"({"days": {"$and": [{"$lt": 1}, {"$gt": 2}]}})", false},
         {R"({"days": {"$or": [3, 8]}})", true},
         {R"({"city": "Rome", "$or": [{"days": 3}]})", false},
         {R"({"$or": [{"$and": [{"city": "Oslo"}, {"$not": {"paid": false}}]}, {"city": "Rome"}]})", true}});
}

BOOST_AUTO_TEST_CASE(malformed_filters_are_refused_by_place_and_with_what_is_accepted) {
  struct Malformed {
    std::string filter;
    std::string place;
    std::string says;
  };
  const std::vector<Malformed> cases = {
      {"", "where", "near byte 0"},
      {"{\"a\": }", "where", "near byte"},
      {"[]", "where", "accepted: an object"},
      {"5", "where", "got 5"},
      {"{\"$near\": 1}", "where.$near", "'$near'"},
      {"{\"a\": {\"$near\": 1}}", "where.a.$near", "$eq $ne $gt"},
      {"{\"$gt\": 5}", "where.$gt", "without a field"},
      {"{\"$and\": {}}", "where.$and", "non-empty list"},
      {"{\"$or\": []}", "where.$or", "non-empty list"},
      {"{\"$or\": [5]}", "where.$or[0]", "an object"},
      {"{\"$not\": 5}", "where.$not", "an object"},
      {"{\"a\": {\"$gt\": true}}", "where.a.$gt", "a number or a string"},
      {"{\"a\": {\"$lte\": null}}", "where.a.$lte", "a number or a string"},
      {"{\"a\": {\"$in\": 5}}", "where.a.$in", "a list of values"},
      {"{\"a\": {\"$nin\": \"x\"}}", "where.a.$nin", "a list of values"},
      {"{\"a\": {\"$exists\": 1}}", "where.a.$exists", "true or false"},
      {"{\"a\": {\"$gt\": 1, \"b\": 2}}", "where.a.b", "'b'"},
      {"{\"a\": {\"b\": 2, \"$gt\": 1}}", "where.a", "$gt"},
      {"{\"a..b\": 1}", "where.a..b", "non-empty names"},
      {"{\"\": 1}", "where.", "non-empty names"},
      {"{\".a\": 1}", "where..a", "non-empty names"},
      {std::string(40, '[') + std::string(40, ']'), "where", "32 nested levels"},
  };
  for (const Malformed& test : cases) {
    BOOST_CHECK_EXCEPTION(Where(test.filter), InvalidWhere, (Mentions{test.place, test.says, "accepted: "}));
  }
}

// A message that is cut inside a character could not be turned into a Python string.
BOOST_AUTO_TEST_CASE(messages_are_short_and_valid_text) {
  for (size_t padding = 0; padding < 4; ++padding) {
    std::string text(padding, 'x');
    for (int i = 0; i < 1000; ++i) text += "\xF0\x9F\x98\x80";
    for (const std::string& filter : {"\"" + text + "\"", "{\"$" + text + "\": 1}", "{\"a." + text + ".\": 1}",
                                      "{\"" + text + "\": {\"$in\": 1}}"}) {
      try {
        Where refused(filter);
        BOOST_FAIL("accepted");
      } catch (const InvalidWhere& error) {
        const std::string message = error.what();
        BOOST_TEST(message.size() < 600u);
        BOOST_TEST(is_utf8(message));
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_fields_must_equal) {
  const auto equal = [](const std::string& filter) {
    const Where where(filter);
    std::string all;
    for (const Where::Equal& each : where.equal()) {
      for (const std::string& name : *each.path) all += name + ".";
      all += std::to_string(each.codes.size()) + " ";
    }
    return all;
  };
  BOOST_TEST(equal(R"({})") == "");
  BOOST_TEST(equal(R"({"city": "Oslo", "trip.days": {"$in": [3, 4]}})") == "city.1 trip.days.2 ");
  BOOST_TEST(equal(R"({"$and": [{"a": 1}, {"b": {"$eq": 2, "$gt": 1}}]})") == "a.1 b.1 ");
  BOOST_TEST(equal(R"({"a": {"$in": []}})") == "a.0 ");
  BOOST_TEST(equal(R"({"a": {"$in": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}})") == "");
  BOOST_TEST(equal(R"({"a": {"$ne": 1}, "b": {"$nin": [1]}, "c": {"$gte": 1}, "d": {"$contains": 1}, "e": {"$exists": true}})") == "");
  BOOST_TEST(equal(R"({"$or": [{"a": 1}, {"b": 1}], "$not": {"c": 1}, "d": {"$not": {"$eq": 1}}})") == "");
  const Where where(R"({"a": 1.0})");
  BOOST_TEST(where.equal()[0].codes[0] == CodeOf::of(json::value(1)));
}

BOOST_AUTO_TEST_CASE(long_lists_of_values) {
  json::array list = {nullptr, true, 1.5, "Oslo", json::array{1, 2}, json::array{2, 1}, json::object{{"b", 1}}};
  for (int i = 0; i < 3000; ++i) list.push_back(2 * i);
  const std::string values = json::serialize(list);
  const Where in(R"({"a": {"$in": )" + values + "}}");
  const Where nin(R"({"a": {"$nin": )" + values + "}}");
  const auto check = [&](const json::value& value, bool expected) {
    BOOST_TEST(in.matches({{"a", value}}) == expected, json::serialize(value));
    BOOST_TEST(nin.matches({{"a", value}}) == !expected, json::serialize(value));
  };
  for (const json::value& value : list) check(value, true);
  check(4.0, true);
  for (const json::value& value : json::array{3, 5999, 6000, -2, 2.5, false, "oslo", "2", json::array{}, json::array{1, 2, 3}, json::object{}}) {
    check(value, false);
  }
  BOOST_TEST(!in.matches({}));
  BOOST_TEST(nin.matches({}));
}

BOOST_AUTO_TEST_CASE(what_fields_must_lie_between) {
  const auto within = [](const std::string& filter, const json::value& value) {
    const Where where(filter);
    BOOST_REQUIRE(where.within().size() == 1u);
    return where.within()[0].range.contains(KeyOf::of(value));
  };
  BOOST_TEST(within(R"({"a": {"$gte": 3}})", 3));
  BOOST_TEST(within(R"({"a": {"$gte": 3}})", 1e300));
  BOOST_TEST(!within(R"({"a": {"$gte": 3}})", 2));
  BOOST_TEST(!within(R"({"a": {"$gte": 3}})", "4"));
  BOOST_TEST(!within(R"({"a": {"$gte": 3}})", nullptr));
  BOOST_TEST(within(R"({"a": {"$lt": "2024-05"}})", "2024-04-30"));
  BOOST_TEST(!within(R"({"a": {"$lt": "2024-05"}})", "2024-06"));
  BOOST_TEST(!within(R"({"a": {"$lt": "2024-05"}})", 5));
  BOOST_TEST(within(R"({"a": {"$gt": 3, "$lte": 5}})", 4));
  BOOST_TEST(!within(R"({"a": {"$gt": 3, "$lte": 5}})", 6));
  BOOST_TEST(!within(R"({"$and": [{"a": {"$gt": 3}}, {"a": {"$lt": 3}}]})", 4));
  BOOST_TEST(!within(R"({"a": {"$gt": 3, "$lt": "x"}})", 4));
  BOOST_TEST(Where(R"({"a": {"$gt": 3}, "b": {"$gt": 3}, "a.b": {"$lt": 3}})").within().size() == 3u);
  BOOST_TEST(Where(R"({"$or": [{"a": {"$gt": 3}}], "b": {"$not": {"$gt": 3}}, "c": 3})").within().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
