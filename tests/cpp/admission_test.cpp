#include "query/admission.hpp"

#include <boost/test/unit_test.hpp>
#include <random>

#include "query/refusals.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(admission)

using test::Ids;
using test::Item;
using test::search_ids;

// Records r0 to r9 at times 0 to 9; a query without views lists them, newest first.
struct Fixture {
  Index index{IndexConfig{.dim = 2}};
  Query query{.user = "ana"};

  Fixture() {
    std::vector<Item> items;
    for (int i = 0; i < 10; ++i) {
      items.push_back({.id = "r" + std::to_string(i), .at = i, .metadata = "{\"n\": " + std::to_string(i) + "}"});
    }
    items[1].kind = Kind::semantic;
    items[2].kind = Kind::vault;
    items[3].tags = {"Blue", "sky"};
    items[4].tags = {"blue"};
    items[5].until = 7;
    items[6].recorded_at = 50;
    test::add(index, items);
  }
  Ids ids() const { return search_ids(index, query); }
  SearchExplanation explain() {
    query.explain = true;
    return index.search(query).explanation.value();
  }
  const Refusal& refused(const SearchExplanation& explanation, Filter filter) const {
    return explanation.refused[static_cast<size_t>(filter)];
  }
};

BOOST_FIXTURE_TEST_CASE(without_filters_all_but_the_vault, Fixture) {
  BOOST_TEST(ids() == (Ids{"r9", "r8", "r7", "r6", "r5", "r4", "r3", "r1", "r0"}));
}

BOOST_FIXTURE_TEST_CASE(intervals_are_closed_open_and_merged, Fixture) {
  query.between = {{7, 9}, {3, 5}, {4, 5}};
  BOOST_TEST(ids() == (Ids{"r8", "r7", "r4", "r3"}));
  query.between = {{8, kForever}, {std::numeric_limits<Micros>::min(), 1}};
  BOOST_TEST(ids() == (Ids{"r9", "r8", "r0"}));
  query.between = {{5, 5}};
  BOOST_TEST(ids().empty());
}

BOOST_FIXTURE_TEST_CASE(kinds_and_the_vault, Fixture) {
  query.kinds = {Kind::semantic};
  BOOST_TEST(ids() == Ids{"r1"});
  query.kinds = {Kind::vault};
  BOOST_TEST(ids() == Ids{"r2"});
  query.kinds = {Kind::vault, Kind::semantic};
  BOOST_TEST(ids() == (Ids{"r2", "r1"}));
}

BOOST_FIXTURE_TEST_CASE(every_required_tag_must_be_there, Fixture) {
  query.require_tags = {"BLUE"};
  BOOST_TEST(ids() == (Ids{"r4", "r3"}));
  query.require_tags = {"blue", "sky"};
  BOOST_TEST(ids() == Ids{"r3"});
  query.require_tags = {"blue", "unknown"};
  BOOST_TEST(ids().empty());
}

BOOST_FIXTURE_TEST_CASE(knowledge_and_validity, Fixture) {
  query.as_of = 49;
  BOOST_TEST(ids() == (Ids{"r9", "r8", "r7", "r5", "r4", "r3", "r1", "r0"}));
  query.as_of = 50;
  BOOST_TEST(ids().size() == 9u);
  query.as_of = {};
  query.valid_at = 6;
  BOOST_TEST(ids() == (Ids{"r6", "r5", "r4", "r3", "r1", "r0"}));
  query.valid_at = 7;
  BOOST_TEST(ids() == (Ids{"r7", "r6", "r4", "r3", "r1", "r0"}));
}

// Times of the system lie far from the events' here: what was retired was so at 100, what expired did so in 1970.
struct Ended : Fixture {
  Ended() {
    query.k = 100;
    test::add(index, {
      Item{.id = "retired", .at = 4, .until = 6, .recorded_at = 60, .retired_at = 100},
      Item{.id = "cut", .at = 3, .metadata = R"({"ended": {"until": 9}})", .until = 6, .recorded_at = 60,
           .retired_at = 100},
      Item{.id = "never", .at = 5, .until = 5, .recorded_at = 60, .retired_at = 100},
      Item{.id = "expired", .at = 2, .expires_at = 1'000},
      Item{.id = "secret", .at = 4, .kind = Kind::vault, .retired_at = 100},
      Item{.id = "lives", .at = 1, .recorded_at = 60, .expires_at = kMaxTime},
    });
  }
  bool has(const char* id) const {
    const Ids found = ids();
    return std::find(found.begin(), found.end(), id) != found.end();
  }
};

BOOST_FIXTURE_TEST_CASE(by_default_what_is_believed_and_lives, Ended) {
  query.between = {{1, 6}};
  BOOST_TEST(ids() == (Ids{"r5", "r4", "r3", "lives", "r1"}));
  query.between.reset();
  BOOST_TEST(ids().size() == 10u);
  query.require_tags = {"blue"};
  BOOST_TEST(ids() == (Ids{"r4", "r3"}));
  SearchResult latest;
  index.latest("ana", {}, 100, latest);
  BOOST_TEST(test::ids_of(latest).size() == 10u);
}

BOOST_FIXTURE_TEST_CASE(what_was_believed_then, Ended) {
  query.as_of = 59;
  BOOST_TEST(!has("retired"));
  query.as_of = 60;
  BOOST_TEST(has("retired"));
  query.as_of = 99;
  BOOST_TEST((has("retired") && has("cut") && has("never") && has("lives") && !has("expired") && !has("secret")));
  query.as_of = 100;
  BOOST_TEST((!has("retired") && !has("cut") && !has("never") && has("lives")));
  query.as_of = 99;
  query.kinds = {Kind::vault};
  BOOST_TEST(ids() == (Ids{"secret", "r2"}));
}

BOOST_FIXTURE_TEST_CASE(what_was_true_then, Ended) {
  query.valid_at = 5;
  BOOST_TEST((has("retired") && has("cut") && !has("never") && !has("expired")));
  query.valid_at = 6;
  BOOST_TEST((!has("retired") && !has("cut")));
}

BOOST_FIXTURE_TEST_CASE(what_was_believed_then_to_be_true_at_another_time, Ended) {
  query.as_of = 99;
  query.valid_at = 1'000;
  BOOST_TEST((has("retired") && has("never")));  // the ends that they got at 100 were not known
  BOOST_TEST(!has("cut"));                       // this one had an end
  query.valid_at = 8;
  BOOST_TEST(has("cut"));
  query.as_of = 100;
  BOOST_TEST((!has("retired") && !has("cut") && !has("never")));
}

BOOST_FIXTURE_TEST_CASE(refusals_of_what_ended, Ended) {
  const SearchExplanation explanation = explain();
  BOOST_TEST(explanation.admissible == 10u);
  BOOST_TEST(refused(explanation, Filter::retired).ids == (Ids{"never", "retired", "cut"}));
  BOOST_TEST(refused(explanation, Filter::expired).count == 1u);
  BOOST_TEST(refused(explanation, Filter::expired).ids.empty());  // as good as erased
  BOOST_TEST(refused(explanation, Filter::vault).count == 2u);
  query.as_of = 100;
  const SearchExplanation then = explain();
  BOOST_TEST(refused(then, Filter::retired).count == 0u);
  BOOST_TEST(refused(then, Filter::as_of).count == 3u);
}

BOOST_FIXTURE_TEST_CASE(what_ended_is_written_anew_and_removed, Ended) {
  test::add(index, {Item{.id = "retired", .at = 4}, Item{.id = "expired", .at = 2}});
  BOOST_TEST((has("retired") && has("expired")));
  test::remove(index, "ana", {"cut", "never", "lives", "secret"});
  query.explain = true;
  BOOST_TEST(index.search(query).explanation->refused[static_cast<size_t>(Filter::retired)].count == 0u);
  BOOST_TEST(ids().size() == 11u);
}

BOOST_FIXTURE_TEST_CASE(metadata_and_excluded_ids, Fixture) {
  query.where = R"({"n": {"$gte": 7}})";
  BOOST_TEST(ids() == (Ids{"r9", "r8", "r7"}));
  query.exclude = {"r8", "unknown", "r8"};
  BOOST_TEST(ids() == (Ids{"r9", "r7"}));
}

BOOST_FIXTURE_TEST_CASE(each_filter_counts_what_the_ones_before_let_through, Fixture) {
  query.between = {{1, kForever}};        // refuses r0
  query.kinds = {Kind::episodic};         // r1, and the vault's r2
  query.as_of = 49;                       // r6
  query.valid_at = 8;                     // r9 and r5
  query.where = R"({"n": {"$ne": 8}})";   // r8
  query.exclude = {"r7", "r1"};           // r7; r1 is gone already
  const SearchExplanation explanation = explain();
  BOOST_TEST(explanation.records == 10u);
  BOOST_TEST(explanation.admissible == 2u);
  BOOST_TEST(refused(explanation, Filter::between).ids == Ids{"r0"});
  BOOST_TEST(refused(explanation, Filter::kinds).ids == Ids{"r1"});
  BOOST_TEST(refused(explanation, Filter::vault).count == 1u);
  BOOST_TEST(refused(explanation, Filter::require_tags).count == 0u);
  BOOST_TEST(refused(explanation, Filter::as_of).ids == Ids{"r6"});
  BOOST_TEST(refused(explanation, Filter::valid_at).ids == (Ids{"r9", "r5"}));
  BOOST_TEST(refused(explanation, Filter::where).ids == Ids{"r8"});
  BOOST_TEST(refused(explanation, Filter::exclude).ids == Ids{"r7"});
  BOOST_TEST(ids() == (Ids{"r4", "r3"}));
}

BOOST_FIXTURE_TEST_CASE(refusals_of_several_tags_add_up, Fixture) {
  query.require_tags = {"blue", "sky"};
  const SearchExplanation explanation = explain();
  BOOST_TEST(refused(explanation, Filter::require_tags).count == 8u);
  BOOST_TEST(explanation.admissible == 1u);
}

BOOST_FIXTURE_TEST_CASE(at_most_ten_refused_ids_are_shown_the_newest, Fixture) {
  std::vector<Item> more;
  for (int i = 100; i < 140; ++i) more.push_back({.id = "m" + std::to_string(i), .at = i});
  test::add(index, more);
  query.between = {{0, 100}};
  const SearchExplanation explanation = explain();
  const Refusal& refusal = refused(explanation, Filter::between);
  BOOST_TEST(refusal.count == 40u);
  BOOST_TEST(refusal.ids.size() == 10u);
  BOOST_TEST(refusal.ids.front() == "m139");
  BOOST_TEST(refusal.ids.back() == "m130");
}

BOOST_FIXTURE_TEST_CASE(ids_of_the_vault_are_never_shown_unless_named, Fixture) {
  const auto shows_vault = [&] {
    for (const Refusal& refusal : explain().refused) {
      for (const std::string& id : refusal.ids) {
        if (id == "r2") return true;
      }
    }
    return false;
  };
  BOOST_TEST(!shows_vault());
  query.between = {{5, 9}};
  BOOST_TEST(!shows_vault());
  query.exclude = {"r2"};
  query.where = R"({"n": 5})";
  query.require_tags = {"blue"};
  BOOST_TEST(!shows_vault());
  query.kinds = {Kind::episodic};
  BOOST_TEST(!shows_vault());
  query.kinds = {Kind::vault};
  BOOST_TEST(shows_vault());
}

BOOST_FIXTURE_TEST_CASE(erased_records_are_neither_admitted_nor_counted, Fixture) {
  test::remove(index, "ana", {"r9", "r2"});
  BOOST_TEST(ids().front() == "r8");
  const SearchExplanation explanation = explain();
  BOOST_TEST(explanation.records == 8u);
  BOOST_TEST(explanation.admissible == 8u);
  for (const Refusal& refusal : explanation.refused) BOOST_TEST(refusal.count == 0u);
}

// Random records and filters: every form of the set holds what the filters, applied one after the other, leave.
struct RandomRecords {
  std::mt19937 random{3};
  UserColumns user{1};

  explicit RandomRecords(Slot records = 700) {
    for (Slot slot = 0; slot < records; ++slot) {
      RecordInput record;
      record.at = static_cast<Micros>(random() % 300);
      record.until = random() % 3 == 0 ? record.at + static_cast<Micros>(random() % 100) : kForever;
      record.recorded_at = static_cast<Micros>(random() % 300);
      record.kind = random() % 4 == 0 ? static_cast<Kind>(random() % kKindCount) : Kind::episodic;
      const std::string id = "r" + std::to_string(slot);
      user.ids.add(id, IdTable::hash(id));
      user.ats.push_back(record.at);
      user.live.resize(slot + 1);
      user.live.set(slot);
      json::object metadata;
      metadata["n"] = static_cast<int64_t>(slot % 700);
      user.attributes.add(slot, record, std::move(metadata));
      user.timeline.insert(slot, user.recency());
      std::vector<std::string> tags;
      for (const unsigned rarity : {2u, 3u, 40u}) {
        if (random() % rarity == 0) tags.push_back("t" + std::to_string(rarity));
      }
      user.tags.add_record(slot, tags);
    }
    for (Slot slot = 0; slot < records; slot += 5) {  // dead slots
      user.timeline.erase(slot, user.recency());
      user.tags.remove_record(slot, [](TagId) {});
      user.attributes.remove(slot);
      user.live.reset(slot);
      user.ids.remove(slot);
      user.ats[slot] = 0;
    }
  }

  bool chance(unsigned one_in) { return random() % one_in == 0; }
  Query make_query() {
    Query filters{.user = "ana"};
    if (chance(2)) {
      filters.between.emplace();
      for (size_t i = 1 + random() % 3; i > 0; --i) {
        const auto start = static_cast<Micros>(random() % 320) - 10;
        filters.between->push_back({start, start + static_cast<Micros>(random() % 400)});
      }
    }
    if (chance(3)) {
      for (const char* tag : {"t2", "t3", "t40", "unknown"}) {
        if (chance(tag[0] == 'u' ? 8 : 2)) filters.require_tags.push_back(tag);
      }
    }
    if (chance(2)) filters.kinds = {{Kind::episodic, Kind::semantic, Kind::procedural, Kind::resource, Kind::vault}};
    if (chance(5)) filters.kinds = {{Kind::semantic}};
    if (chance(5)) filters.as_of = static_cast<Micros>(random() % 300);
    if (chance(5)) filters.valid_at = static_cast<Micros>(random() % 300);
    if (chance(5)) filters.where = R"({"n": {"$gt": 200}})";
    if (chance(5)) filters.exclude = {"r5", "r6", "r7", "r666", "unknown"};
    return filters;
  }
};

// What a set holds, asked in every way.
void check(const Admission& admission, const UserColumns& user, std::vector<Slot> slots, const Bitset& wanted) {
  const Recency recency = user.recency();
  user.live.for_each([&](Slot slot) { BOOST_REQUIRE(admission.admits(slot) == wanted.test(slot)); });
  const Bitset* const mask = admission.mask();
  const SlotTest also = admission.open_test();
  user.live.for_each([&](Slot slot) {
    const bool in_time = admission.intervals().empty() || find_interval(admission.intervals(), user.ats[slot]) != nullptr;
    BOOST_REQUIRE(((mask == nullptr || mask->test(slot)) && (!also || also(slot)) && in_time) == wanted.test(slot));
  });
  std::vector<Slot> every;
  admission.for_every(1, [&](Slot slot) { every.push_back(slot); });
  std::sort(every.begin(), every.end());
  BOOST_REQUIRE(every == slots);

  BOOST_REQUIRE(admission.exact_count() == slots.size());
  BOOST_REQUIRE(admission.count() == slots.size());
  user.live.for_each([&](Slot slot) { BOOST_REQUIRE(admission.admits(slot) == wanted.test(slot)); });
  std::sort(slots.begin(), slots.end(), recency);
  for (const size_t limit : {size_t{1}, size_t{20}, size_t{600}}) {
    std::vector<Slot> newest;
    admission.newest(limit, newest);
    BOOST_REQUIRE(std::equal(newest.begin(), newest.end(), slots.begin(),
                             slots.begin() + static_cast<std::ptrdiff_t>(std::min(limit, slots.size()))));
  }
  std::vector<Slot> listed(admission.slots().begin(), admission.slots().end());
  std::sort(listed.begin(), listed.end(), recency);
  BOOST_REQUIRE(listed == slots);
  BOOST_REQUIRE(admission.bits().count() == slots.size());
  for (Slot slot : slots) BOOST_REQUIRE(admission.bits().test(slot));
}

// How many sets came in each form, and how many of them open.
struct Forms {
  std::array<int, 4> all = {};
  std::array<int, 4> open = {};
};

Forms admit_at_random(RandomRecords& records, int rounds) {
  const Analyzer analyzer(AnalyzerKind::simple);
  PreparedQuery prepared;
  Admission admission;
  Forms forms;
  for (int round = 0; round < rounds; ++round) {
    const Query filters = records.make_query();
    prepare(filters, IndexConfig{.dim = 1}, analyzer, prepared);
    Refusals refusals;
    const Bitset wanted = find_refusals(records.user, prepared, refusals);
    std::vector<Slot> slots;
    wanted.for_each([&](Slot slot) { slots.push_back(slot); });
    admission.admit(records.user, prepared);
    const auto form = static_cast<size_t>(admission.form());
    ++forms.all[form];
    if (admission.open()) {
      ++forms.open[form];
      BOOST_TEST(admission.count() > slots.size() / 2);
      BOOST_TEST(admission.count() < slots.size() * 2);
    }
    check(admission, records.user, slots, wanted);
  }
  return forms;
}

BOOST_AUTO_TEST_CASE(every_form_holds_the_same_records) {
  RandomRecords records;
  const Forms forms = admit_at_random(records, 1500);
  for (const int count : forms.all) BOOST_TEST(count > 20);
  for (const int count : forms.open) BOOST_TEST(count == 0);
}

BOOST_AUTO_TEST_CASE(open_sets_hold_what_all_filters_leave, *boost::unit_test::label("long_under_asan")) {
  RandomRecords records(16000);
  const Forms forms = admit_at_random(records, 150);
  for (const auto form : {Admission::Form::all, Admission::Form::spans, Admission::Form::bits}) {
    BOOST_TEST(forms.open[static_cast<size_t>(form)] > 0);
  }
  BOOST_TEST(forms.open[static_cast<size_t>(Admission::Form::slots)] == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
