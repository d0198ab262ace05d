#include "attributes/field_columns.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "attributes/field_codes.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(field_columns)

using Codes = std::vector<FieldCode>;

BOOST_AUTO_TEST_CASE(a_field_is_found_by_its_path) {
  const json::object metadata = parse_json_object(R"({"a": {"b": {"c": 7}}, "a.b": 8, "n": null})", "metadata");
  BOOST_TEST(FieldCodes::of(metadata, {"a", "b", "c"}) == CodeOf::of(7));
  BOOST_TEST(FieldCodes::of(metadata, {"a.b"}) == CodeOf::of(8));
  BOOST_TEST(FieldCodes::of(metadata, {"n"}) == CodeOf::of(nullptr));
  BOOST_TEST(FieldCodes::of(metadata, {"a", "x"}) == CodeOf::kMissing);
  BOOST_TEST(FieldCodes::of(metadata, {"n", "x"}) == CodeOf::kMissing);
}

BOOST_AUTO_TEST_CASE(columns_hold_what_they_are_given) {
  FieldCodes columns;
  BOOST_TEST(columns.find({"a"}) == nullptr);
  for (size_t slots : {0, 1, 63, 64, 65, 1000}) {
    Codes codes(FieldCodes::padded(slots));
    for (size_t i = 0; i < slots; ++i) codes[i] = static_cast<FieldCode>(i % 7);
    const FieldPath path = {"a" + std::to_string(slots), "b"};
    const FieldCodes::Column* const column = columns.make(path, codes);
    BOOST_TEST(columns.find(path) == column);
    BOOST_TEST(columns.find({path[0]}) == nullptr);
    BOOST_TEST(column->numbers().size() % 64 == 0u);
    for (Slot i = 0; i < slots; ++i) BOOST_TEST((*column)[i] == codes[i]);
  }
}

BOOST_AUTO_TEST_CASE(there_are_at_most_so_many_fields) {
  FieldCodes columns;
  for (size_t i = 0; i < FieldCodes::kMost; ++i) {
    BOOST_TEST(!columns.full());
    BOOST_TEST(columns.make({std::to_string(i)}, Codes(64)) != nullptr);
  }
  BOOST_TEST(columns.full());
  BOOST_TEST(columns.make({"more"}, Codes(64)) == nullptr);
  BOOST_TEST(columns.find({"more"}) == nullptr);
  BOOST_TEST(columns.make({"3"}, Codes(64)) == columns.find({"3"}));
}

BOOST_AUTO_TEST_CASE(writes_reach_every_column) {
  FieldCodes columns;
  columns.make({"a"}, Codes(64));
  const FieldCodes::Column* const inner = columns.make({"b", "c"}, Codes(64));
  const size_t before = columns.bytes();
  columns.make_room(5000);
  BOOST_TEST(columns.bytes() >= before + 2 * 2 * 4900);
  const json::object metadata = parse_json_object(R"({"a": 1, "b": {"c": "x"}})", "metadata");
  columns.set(5000, metadata);
  BOOST_TEST((*columns.find({"a"}))[5000] == CodeOf::of(1));
  BOOST_TEST((*inner)[5000] == CodeOf::of("x"));
  BOOST_TEST((*inner)[4999] == CodeOf::kMissing);
  columns.set(5000, {});
  BOOST_TEST((*inner)[5000] == CodeOf::kMissing);

  FieldCodes moved(std::move(columns));
  BOOST_TEST(moved.find({"b", "c"}) == inner);
  BOOST_TEST(columns.find({"a"}) == nullptr);
  FieldCodes other;
  other.make({"z"}, Codes(64));
  other = std::move(moved);
  BOOST_TEST(other.find({"b", "c"}) == inner);
  BOOST_TEST(other.find({"z"}) == nullptr);
}

BOOST_AUTO_TEST_CASE(threads_make_them_at_once) {
  for (int round = 0; round < 50; ++round) {
    const FieldCodes columns;
    std::vector<std::vector<const FieldCodes::Column*>> made(4);
    {
      std::vector<std::jthread> threads;
      for (size_t t = 0; t < made.size(); ++t) {
        threads.emplace_back([&columns, &mine = made[t]] {
          for (size_t i = 0; i < 2 * FieldCodes::kMost; ++i) mine.push_back(columns.make({std::to_string(i)}, Codes(128)));
        });
      }
    }
    size_t count = 0;
    for (size_t i = 0; i < 2 * FieldCodes::kMost; ++i) {
      const FieldCodes::Column* const known = columns.find({std::to_string(i)});
      count += known != nullptr;
      for (const auto& mine : made) BOOST_TEST((mine[i] == known || mine[i] == nullptr));
    }
    BOOST_TEST(count == FieldCodes::kMost);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
