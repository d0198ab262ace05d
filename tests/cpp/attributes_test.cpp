#include "attributes/attributes.hpp"

#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>

#include "memspan/error.hpp"

namespace memspan {
namespace {

BOOST_AUTO_TEST_SUITE(attributes)

struct Fixture {
  Attributes attributes;
  Slot next = 0;

  Slot add(Kind kind, std::string_view session, std::string_view speaker, std::string_view metadata) {
    RecordInput record;
    record.kind = kind;
    record.until = 100 + next;
    record.recorded_at = 200 + next;
    record.session = session;
    record.speaker = speaker;
    attributes.add(next, record, metadata.empty() ? json::object() : parse_json_object(metadata, "metadata"));
    return next++;
  }
};

void check_slot(const Attributes& attributes, Slot slot, Slot original, Kind kind, std::string_view session,
                std::string_view speaker, const std::string& metadata) {
  BOOST_TEST((attributes.kind(slot) == kind));
  BOOST_TEST(attributes.until(slot) == 100 + original);
  BOOST_TEST(attributes.recorded_at(slot) == 200 + original);
  BOOST_TEST(attributes.session_text(slot) == session);
  BOOST_TEST(attributes.speaker_text(slot) == speaker);
  BOOST_TEST(json::serialize(attributes.metadata(slot)) == metadata);
}

BOOST_FIXTURE_TEST_CASE(columns_keep_what_was_added, Fixture) {
  add(Kind::vault, "s1", "ana", R"({"a": 1})");
  add(Kind::episodic, "", "", "");
  check_slot(attributes, 0, 0, Kind::vault, "s1", "ana", R"({"a":1})");
  check_slot(attributes, 1, 1, Kind::episodic, "", "", "{}");
  BOOST_TEST(attributes.count(Kind::vault) == 1u);
  BOOST_TEST(attributes.count(Kind::semantic) == 0u);
  BOOST_TEST(attributes.session(1) == StringPool::kNone);
}

BOOST_FIXTURE_TEST_CASE(sessions_with_one_name_have_one_symbol, Fixture) {
  add(Kind::episodic, "s", "s", "");
  add(Kind::episodic, "s", "", "");
  add(Kind::episodic, "t", "", "");
  BOOST_TEST(attributes.session(0) == attributes.session(1));
  BOOST_TEST(attributes.session(0) != attributes.session(2));
}

BOOST_FIXTURE_TEST_CASE(a_removed_slot_keeps_no_text, Fixture) {
  add(Kind::semantic, "s", "ana", R"({"secret": "x"})");
  attributes.remove(0);
  BOOST_TEST(attributes.count(Kind::semantic) == 0u);
  BOOST_TEST(attributes.session_text(0) == "");
  BOOST_TEST(attributes.speaker_text(0) == "");
  BOOST_TEST(attributes.metadata(0).empty());
}

BOOST_FIXTURE_TEST_CASE(remap_and_a_round_trip_keep_the_live_slots, Fixture) {
  add(Kind::semantic, "s", "ana", R"({"x": 1})");
  add(Kind::vault, "s", "bob", R"({"x": 0.1, "list": [1, null, "\u00e9\n"]})");
  add(Kind::resource, "t", "", "");
  attributes.remove(0);
  ByteWriter out;
  attributes.save(out, std::vector<Slot>{1, 2});
  Attributes loaded;
  ByteReader in(out.bytes(), "file", 0);
  loaded.load(in, 2);
  BOOST_TEST(in.left() == 0u);
  attributes.remap(std::vector<Slot>{kNoSlot, 0, 1}, 2);
  for (const Attributes* each : {&attributes, &loaded}) {
    check_slot(*each, 0, 1, Kind::vault, "s", "bob", json::serialize(attributes.metadata(0)));
    check_slot(*each, 1, 2, Kind::resource, "t", "", "{}");
    BOOST_TEST(each->count(Kind::vault) == 1u);
    BOOST_TEST(each->count(Kind::semantic) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(bad_columns_are_refused) {
  const auto load = [](uint8_t kind, std::string_view metadata) {
    ByteWriter out;
    out.put<uint8_t>(kind);
    out.put<int64_t>(kForever);
    out.put<int64_t>(0);
    out.put_text("s");
    out.put_text("");
    out.put_text(metadata);
    Attributes attributes;
    ByteReader in(out.bytes(), "file", 0);
    attributes.load(in, 1);
  };
  load(0, "");
  load(4, "{}");
  BOOST_CHECK_THROW(load(5, ""), CorruptSnapshot);
  BOOST_CHECK_THROW(load(0, "[]"), CorruptSnapshot);
  BOOST_CHECK_THROW(load(0, "{\"a\":"), CorruptSnapshot);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
