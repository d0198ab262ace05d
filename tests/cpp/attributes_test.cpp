#include "attributes/attributes.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "memspan/error.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(attributes)

const std::array<std::string_view, 3> texts = {"why?", "why? because", "so"};

struct Fixture {
  Attributes attributes;
  Slot next = 0;

  Slot add(Kind kind, std::string_view session, std::string_view speaker, std::string_view metadata) {
    RecordInput record;
    record.kind = kind;
    record.until = 100 + next;
    record.recorded_at = 200 + next;
    record.session = session;
    record.pinned = next == 1;
    record.expires_at = 300 + next;
    record.speaker = speaker;
    record.text = texts[next % texts.size()];
    record.metadata = metadata;
    attributes.add(next, record, metadata.empty() ? json::object() : parse_json_object(metadata, "metadata"));
    return next++;
  }
};

void check_slot(const Attributes& attributes, Slot slot, Slot original, Kind kind, std::string_view session,
                std::string_view speaker, const std::string& metadata) {
  BOOST_TEST((attributes.kind(slot) == kind));
  BOOST_TEST(attributes.until(slot) == 100 + original);
  BOOST_TEST(attributes.recorded_at(slot) == 200 + original);
  BOOST_TEST(attributes.states().pinned(slot) == (original == 1));
  BOOST_TEST(attributes.states().expires_at(slot) == 300 + original);
  BOOST_TEST(attributes.text(attributes.session(slot)) == session);
  BOOST_TEST(attributes.speaker_text(slot) == speaker);
  BOOST_TEST(attributes.traits(slot) == traits_of(texts[original % texts.size()]));
  BOOST_TEST((attributes.speaker(slot) == StringPool::kNone) == speaker.empty());
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
  BOOST_TEST(attributes.text(attributes.session(0)) == "");
  BOOST_TEST(attributes.speaker_text(0) == "");
  BOOST_TEST(attributes.metadata(0).empty());
  BOOST_TEST(attributes.states().expiring() == 0u);
}

BOOST_FIXTURE_TEST_CASE(equal_metadata_is_kept_once, Fixture) {
  const std::string run = R"({"agent":"cook","run":7})";
  add(Kind::episodic, "", "", run);
  add(Kind::episodic, "", "", R"({"agent":"cook","run":8})");
  add(Kind::episodic, "", "", run);
  add(Kind::episodic, "", "", "");
  const MetadataPool::Symbol shared = attributes.metadata_symbol(0);
  BOOST_TEST(attributes.metadata_symbol(2) == shared);
  BOOST_TEST(attributes.metadata_symbol(1) != shared);
  BOOST_TEST(attributes.metadata_symbol(3) == MetadataPool::kNone);
  BOOST_TEST(attributes.metadata_symbols() == 3u);
  attributes.remove(0);
  BOOST_TEST(json::serialize(attributes.metadata(2)) == run);
  const size_t bytes = attributes.bytes();
  attributes.remove(2);
  BOOST_TEST(attributes.bytes() < bytes);
  BOOST_TEST(attributes.metadata(2).empty());
  add(Kind::episodic, "", "", R"({"other":[1]})");  // takes the symbol that is free
  BOOST_TEST(attributes.metadata_symbols() == 3u);
  BOOST_TEST(json::serialize(attributes.metadata(4)) == R"({"other":[1]})");
  BOOST_TEST(json::serialize(attributes.metadata(1)) == R"({"agent":"cook","run":8})");
}

// Numbers that are equal are not always the same, and texts of one hash are not always equal.
BOOST_AUTO_TEST_CASE(metadata_is_shared_only_where_it_is_the_same) {
  MetadataPool pool;
  const auto acquire = [&](std::string_view text, std::string_view hashed) {
    return pool.acquire(hashed, parse_json_object(text, "metadata"));
  };
  const auto one = acquire(R"({"n":1})", "x");
  const auto one_point = acquire(R"({"n":1.0})", "x");
  const auto two = acquire(R"({"n":2})", "x");
  BOOST_TEST(acquire(R"({"n":1})", "x") == one);
  BOOST_TEST(one != one_point);
  BOOST_TEST(one != two);
  BOOST_TEST(acquire("{}", "{}") == MetadataPool::kNone);
  pool.release(one);
  BOOST_TEST(json::serialize(pool.object(one)) == R"({"n":1})");
  pool.release(one);
  BOOST_TEST(acquire(R"({"n":3})", "y") == one);
  BOOST_TEST(json::serialize(pool.object(two)) == R"({"n":2})");
}

struct Speaking : Fixture {
  bool said(std::string_view speaker, bool retired = false) {
    RecordInput record;
    record.session = "Bo";  // a session's name is nobody's
    record.speaker = speaker;
    if (retired) record.retired_at = 10;
    return attributes.add(next++, record, json::object());
  }
  static std::vector<std::string> speakers(const Attributes& attributes) {
    std::vector<std::string> found;
    attributes.for_each_speaker([&](StringPool::Symbol symbol) { found.emplace_back(attributes.text(symbol)); });
    std::sort(found.begin(), found.end());
    return found;
  }
};

const std::vector<std::string> kNobody;
const std::vector<std::string> kAna = {"Ana"};

BOOST_FIXTURE_TEST_CASE(who_speaks_is_known_by_what_is_there, Speaking) {
  BOOST_TEST(said("Ana"));
  BOOST_TEST(!said("Ana"));
  BOOST_TEST(!said(""));
  BOOST_TEST(said("Bo", true));
  BOOST_TEST(speakers(attributes) == kAna);
  BOOST_TEST(said("Bo"));
  BOOST_TEST(speakers(attributes) == (std::vector<std::string>{"Ana", "Bo"}));
  BOOST_TEST(!attributes.remove(0));
  BOOST_TEST(attributes.remove(1));
  BOOST_TEST(!attributes.remove(2));
  BOOST_TEST(attributes.remove(4));
  BOOST_TEST(attributes.remove(3));
  BOOST_TEST(speakers(attributes) == kNobody);
}

BOOST_FIXTURE_TEST_CASE(who_speaks_is_known_of_loaded_columns, Speaking) {
  said("Ana");
  said("Bo", true);
  said("");
  ByteWriter out;
  attributes.save(out, std::vector<Slot>{0, 1, 2});
  Attributes loaded;
  ByteReader in(out.bytes(), "file", 0);
  loaded.load(in, 3);
  BOOST_TEST(speakers(loaded) == kAna);
  BOOST_TEST(loaded.remove(0));
  BOOST_TEST(speakers(loaded) == kNobody);
}

BOOST_FIXTURE_TEST_CASE(a_round_trip_keeps_the_live_slots, Fixture) {
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
  check_slot(loaded, 0, 1, Kind::vault, "s", "bob", json::serialize(attributes.metadata(1)));
  check_slot(loaded, 1, 2, Kind::resource, "t", "", "{}");
  BOOST_TEST(loaded.count(Kind::vault) == 1u);
  BOOST_TEST(loaded.count(Kind::semantic) == 0u);
}

BOOST_AUTO_TEST_CASE(bad_columns_are_refused) {
  struct Columns {
    uint64_t kinds = 1;
    uint8_t kind = 0;
    uint8_t traits = 0;
    uint64_t placed = 1;
    uint32_t session = 0;
    std::vector<std::string> strings = {"s"};
    uint32_t ending = 0;
    uint32_t described = 0;
    std::vector<uint32_t> descriptions = {0};
    std::vector<std::string> metadata = {"{}"};
  };
  const auto load = [](const Columns& columns) {
    ByteWriter out;
    out.put<uint64_t>(columns.kinds);
    out.put<uint8_t>(columns.kind);
    out.put<uint8_t>(columns.traits);
    out.put<uint8_t>(0);
    out.put_array<int64_t>(std::array<int64_t, 1>{0});
    out.put<uint64_t>(columns.placed);
    out.put<uint32_t>(columns.session);
    out.put<uint32_t>(StringPool::kNone);
    out.put<uint64_t>(columns.strings.size());
    put_texts(out, columns.strings.size(), [&](size_t i) { return columns.strings[i]; });
    out.put_array<uint32_t>(std::array{columns.ending});
    out.put<int64_t>(5);
    out.put<uint64_t>(columns.metadata.size());
    for (const std::string& text : columns.metadata) out.put_text(text);
    out.put_array<uint32_t>(std::array{columns.described});
    out.put_array<uint32_t>(columns.descriptions);
    RecordStates().save(out, {});
    Attributes attributes;
    ByteReader in(out.bytes(), "file", 0);
    attributes.load(in, 1);
    BOOST_TEST(in.left() == 0u);
  };
  load({});
  load({.kind = 4, .metadata = {R"({"a": [1]})"}});
  load({.metadata = {R"({"b": 1})", R"({"b": 1})", "{}"}});
  load({.traits = kAllTraits});
  for (const Columns& bad : std::vector<Columns>{
           {.kinds = 2}, {.kind = 5}, {.traits = kAllTraits + 1}, {.traits = 128}, {.session = 1}, {.session = StringPool::kNone},
           {.placed = 2}, {.strings = {"s", "t"}}, {.strings = {""}},
           {.strings = {std::string(limits::kNameBytes + 1, 's')}}, {.ending = 1}, {.described = 1}, {.descriptions = {1}},
           {.descriptions = {}}, {.descriptions = {0, 0}}, {.metadata = {}}, {.metadata = {"[]"}}, {.metadata = {"{\"a\":"}}, {.metadata = {""}}}) {
    BOOST_CHECK_THROW(load(bad), CorruptSnapshot);
  }
}

BOOST_FIXTURE_TEST_CASE(fields_get_codes_when_many_records_are_asked, Fixture) {
  const FieldPath path = {"a"};
  for (int i = 0; i < 2000; ++i) add(Kind::episodic, "", "", i % 5 == 0 ? "" : R"({"a": )" + std::to_string(i % 7) + "}");
  BOOST_TEST(attributes.field_codes(path, 1023) == nullptr);
  const size_t before = attributes.bytes();
  const FieldCodes::Column* const column = attributes.field_codes(path, 1024);
  BOOST_REQUIRE(column != nullptr);
  BOOST_TEST(attributes.bytes() >= before + 4000);
  BOOST_TEST(attributes.field_codes(path, 1) == column);
  const FieldKeys::Column* const keys = attributes.field_keys(path, 1024);
  BOOST_REQUIRE(keys != nullptr);
  const auto check = [&] {
    for (Slot slot = 0; slot < next; ++slot) {
      BOOST_TEST((*column)[slot] == FieldCodes::of(attributes.metadata(slot), path));
      BOOST_TEST((*keys)[slot] == FieldKeys::of(attributes.metadata(slot), path));
    }
  };
  check();
  for (int i = 0; i < 300; ++i) add(Kind::episodic, "", "", i % 2 == 0 ? "" : R"({"a": "x"})");
  for (Slot slot = 0; slot < 1000; slot += 3) attributes.remove(slot);
  for (Slot slot = 0; slot < 1000; slot += 6) {
    RecordInput record;
    record.metadata = R"({"a": 9})";
    attributes.add(slot, record, slot % 12 == 0 ? json::object() : parse_json_object(record.metadata, "metadata"));
  }
  for (Slot slot = 3; slot < 1000; slot += 6) attributes.add(slot, {}, {});
  check();
  Attributes few;
  BOOST_TEST(few.field_codes(path, 0) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
