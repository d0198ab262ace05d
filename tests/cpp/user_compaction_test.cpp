// After the removal of most of a user's records those that are left are numbered anew, beside the searches.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <thread>

#include "support/allocations.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(user_compaction)

using test::Item;
using test::same_hits;

constexpr size_t kDim = 16;

Item random_item(int id, std::mt19937& random) {
  Item item{.id = "r" + std::to_string(id), .at = static_cast<Micros>(random() % 5000)};
  for (size_t i = 0; i < 2 + random() % 6; ++i) item.text += "word" + std::to_string(random() % 60) + " ";
  for (size_t i = 0; i < random() % 3; ++i) item.tags.push_back("t" + std::to_string(random() % 8));
  if (random() % 5 != 0) item.embedding = test::random_vector(kDim, random);
  if (random() % 3 != 0) item.session = "s" + std::to_string(random() % 90);
  item.speaker = random() % 2 == 0 ? "ana" : "bob";
  item.metadata = "{\"n\": " + std::to_string(random() % 4) + "}";
  item.kind = static_cast<Kind>(random() % kKindCount);
  if (random() % 4 == 0) item.until = item.at + static_cast<Micros>(random() % 900);
  if (random() % 4 == 0) item.importance = static_cast<float>(random() % 10) / 10.0f;
  if (random() % 9 == 0) item.retired_at = item.at + static_cast<Micros>(random() % 900);
  item.pinned = random() % 20 == 0;
  return item;
}

std::vector<Item> random_items(int first, int last, std::mt19937& random) {
  std::vector<Item> items;
  for (int id = first; id < last; ++id) items.push_back(random_item(id, random));
  return items;
}

void remove_all(Index& index, std::span<const Item> items) {
  std::vector<std::string_view> ids;
  for (const Item& item : items) ids.push_back(item.id);
  BOOST_REQUIRE(index.remove("ana", ids) == items.size());
}

void check_same_answers(const Index& a, const Index& b, std::mt19937& random, int queries = 60) {
  BOOST_REQUIRE(a.ids("ana") == b.ids("ana"));
  for (int i = 0; i < queries; ++i) {
    Query query{.user = "ana", .k = 1 + static_cast<uint32_t>(random() % 60)};
    if (random() % 2 == 0) query.text = "word1 word7 word20";
    if (random() % 2 == 0) query.embedding = test::random_vector(kDim, random);
    query.exact = random() % 2 == 0;
    if (random() % 3 == 0) query.tags = {"t1", "t5"};
    if (random() % 3 == 0) query.where = R"({"n": {"$lt": 2}})";
    if (random() % 3 == 0) query.between = {{1000, 3000}, {50, 70}};
    if (random() % 3 == 0) query.kinds = {Kind::vault, Kind::episodic, Kind::semantic};
    if (random() % 3 == 0) query.valid_at = static_cast<Micros>(random() % 5000);
    if (random() % 3 == 0) query.neighbors = 2;
    BOOST_REQUIRE(same_hits(a.search(query), b.search(query)));
  }
}

struct Fixture {
  std::mt19937 random{1};
  Index index{IndexConfig{.dim = kDim}};
  Index plain{IndexConfig{.dim = kDim}};  // which never held anything else
  std::vector<Item> gone = random_items(0, 5000, random);
  std::vector<Item> kept = random_items(5000, 6000, random);

  Fixture() {
    test::add(index, gone);
    test::add(index, kept);
    test::add(plain, kept);
  }
};

BOOST_AUTO_TEST_CASE(long_vectors_leave_fewer_dead_slots) {
  std::mt19937 random(1);
  Index index{IndexConfig{.dim = 1024}};
  std::vector<Item> items;
  for (int id = 0; id < 600; ++id) items.push_back({.id = "r" + std::to_string(id), .at = id, .embedding = test::random_vector(1024, random)});
  test::add(index, items);
  const std::span<const Item> gone = std::span(items).first(560);
  for (const Item& item : gone) remove_all(index, {&item, 1});
  BOOST_TEST(index.stats("ana")->dead_slots <= 256u);  // a mebibyte's
  BOOST_TEST(index.stats("ana")->bytes < 3u << 20);
  BOOST_TEST(index.ids("ana").size() == 40u);
}

BOOST_FIXTURE_TEST_CASE(everything_that_is_known_of_a_record_stays, Fixture, *boost::unit_test::label("long_under_tsan")) {
  for (Index* each : {&index, &plain}) {
    each->relate("ana", "t1", "t2");
    each->track_uses();
  }
  const std::vector<float> about = test::random_vector(kDim, random);
  const auto routed = [&](const Index& each) { return each.route("ana", about, 3, RouteMethod::automatic); };
  BOOST_TEST(!routed(index).empty());  // so that there is something to follow
  index.consolidate("ana", true);
  remove_all(index, gone);
  BOOST_TEST(index.stats("ana")->dead_slots == 0u);
  BOOST_TEST(index.stats("ana")->mapped_bytes == 0u);  // nothing of it lies in a file
  check_same_answers(index, plain, random);
  BOOST_TEST((routed(index) == routed(plain)));
  const UserStats a = index.stats("ana").value();
  const UserStats b = plain.stats("ana").value();
  BOOST_TEST(a.terms == b.terms);
  BOOST_TEST(a.tags == b.tags);
  BOOST_TEST(a.sessions == b.sessions);
  BOOST_TEST(a.pinned == b.pinned);
  BOOST_TEST(a.retired == b.retired);

  // And as any other it is changed, consolidated, saved and loaded.
  const std::vector<Item> others = random_items(5900, 6200, random);
  for (Index* each : {&index, &plain}) test::add(*each, others);
  check_same_answers(index, plain, random);
  index.consolidate("ana", true);
  check_same_answers(index, plain, random);
  const test::TemporaryDirectory directory;
  index.save(directory.file("i"), "");
  check_same_answers(*Index::load(directory.file("i")), plain, random);
}

BOOST_FIXTURE_TEST_CASE(memory_goes_back, Fixture) {
  const size_t before = index.stats("ana")->bytes;
  remove_all(index, gone);
  BOOST_TEST(index.stats("ana")->bytes < before / 3);
}

BOOST_FIXTURE_TEST_CASE(a_consolidation_leaves_no_third_behind, Fixture) {
  remove_all(index, std::span(gone).first(4000));
  BOOST_TEST(index.stats("ana")->dead_slots == 4000u);
  const size_t before = index.stats("ana")->bytes;
  index.consolidate("ana", false);
  BOOST_TEST(index.stats("ana")->dead_slots == 0u);
  BOOST_TEST(index.stats("ana")->bytes < before / 2);
  remove_all(index, std::span(gone).subspan(4000).first(400));
  index.consolidate("ana", true);
  BOOST_TEST(index.stats("ana")->dead_slots == 400u);  // a fifth: others will take their places
  remove_all(index, std::span(gone).subspan(4400));
  index.consolidate("ana", true);
  plain.consolidate("ana", true);
  check_same_answers(index, plain, random);
}

BOOST_FIXTURE_TEST_CASE(without_memory_everything_stays_as_it_is, Fixture) {
  remove_all(index, std::span(gone).first(4500));
  std::span<const Item> left = std::span(gone).subspan(4500);
  BOOST_TEST(index.stats("ana")->dead_slots == 4500u);  // three times as many as are left: the next one is too many
  int failures = 0;
  for (long successes = 0; index.stats("ana")->dead_slots >= 4500; successes += 1 + successes / 8) {
    const std::string_view id = left.front().id;
    left = left.subspan(1);
    const test::FailingAllocation failing(successes);
    BOOST_REQUIRE(index.remove("ana", std::span(&id, 1)) == 1u);
    failures += failing.failed();
  }
  BOOST_TEST(failures > 20);
  BOOST_TEST(index.stats("ana")->dead_slots == 0u);
  remove_all(index, left);
  check_same_answers(index, plain, random, 20);
}

BOOST_FIXTURE_TEST_CASE(searches_go_on_and_their_uses_count, Fixture) {
  index.track_uses();
  remove_all(index, std::span(gone).first(10));
  std::atomic<bool> stop = false;
  std::map<std::string, uint32_t> brought;
  std::map<std::string, uint32_t> counted;
  const auto take = [&] {
    const Uses uses = index.take_uses("ana");
    for (size_t i = 0; i < uses.ids.size(); ++i) counted[uses.ids[i]] += uses.counts[i];
  };
  int unknown = 0;
  {
    std::jthread taking([&] {
      while (!stop) take();
    });
    std::jthread searching([&] {
      std::mt19937 own(9);
      while (!stop) {
        const Query query{.user = "ana", .text = "word3 word9", .embedding = test::random_vector(kDim, own), .k = 20};
        for (const Hit& hit : index.search(query).hits) {
          ++brought[hit.id];
          unknown += hit.id.empty();
        }
      }
    });
    for (size_t first = 10; first < gone.size(); first += 499) {
      remove_all(index, std::span(gone).subspan(first, std::min<size_t>(499, gone.size() - first)));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    BOOST_TEST(index.stats("ana")->dead_slots < 4096u);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stop = true;
  }
  BOOST_TEST(unknown == 0);
  take();
  for (const Item& item : gone) {
    brought.erase(item.id);
    counted.erase(item.id);
  }
  BOOST_TEST(!counted.empty());
  BOOST_TEST((counted == brought));
  check_same_answers(index, plain, random, 20);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
