// Writers, readers and upkeep on a few users at once, for a bounded number of operations. ThreadSanitizer looks for
// races; in every build the answers are checked while everything changes:
//   - k hits come back whenever k records are admissible: every user keeps kPinned records that are replaced, never removed;
//   - no hit belongs to another user;
//   - no hit was removed by a call that had returned before the search began;
//   - what was added by a call that returned is there.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <exception>
#include <mutex>
#include <source_location>
#include <string>
#include <thread>
#include <vector>

#include "support/amount.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(stress)

using test::Item;

constexpr size_t kDim = 24;  // not a multiple of any vector register
constexpr int kUsers = 3;
constexpr int kPinned = 60;
constexpr int kPassing = test::amount(2000);  // records that come and go, for each user

std::string user_name(int user) { return "user" + std::to_string(user); }
std::string pinned_id(int user, int i) { return user_name(user) + "/pinned" + std::to_string(i); }
std::string passing_id(int user, int i) { return user_name(user) + "/passing" + std::to_string(i); }

Item item_of(int user, std::string id, int i, std::mt19937& random) {
  Item item{.id = std::move(id), .at = static_cast<Micros>(random() % 1000), .text = "opera word" + std::to_string(i % 40)};
  item.tags = {"tag" + std::to_string(i % 12), "group" + std::to_string(i % 3)};
  item.embedding = test::random_vector(kDim, random);
  item.session = "s" + std::to_string(i / 10);
  item.user = user_name(user);
  return item;
}

Item pinned_item(int user, int i, std::mt19937& random) {
  Item item = item_of(user, pinned_id(user, i), i, random);
  item.tags.push_back("pinned");
  return item;
}

// What the threads share. Every passing record is added once and removed at most once, so `removed` only ever rises.
struct Arena {
  test::TemporaryDirectory directory;
  Index index;
  std::atomic<bool> removed[kUsers][kPassing] = {};
  std::atomic<int> writing = kUsers;
  std::atomic<int> wrong = 0;

  Arena(size_t max_resident_bytes, RowFormat format)
      : index(IndexConfig{.dim = kDim, .analyzer = AnalyzerKind::simple, .row_format = format},
              {.max_bytes = max_resident_bytes, .spill_directory = directory.file(".")}) {
    index.consolidate_by_itself();
  }
  void expect(bool holds, std::source_location where = std::source_location::current()) {
    if (!holds) note("line " + std::to_string(where.line()));
  }
  void note(const std::string& what) {
    const std::lock_guard lock(noting);
    ++wrong;
    noted += what + "; ";
  }

  std::mutex noting;
  std::string noted;  // what was wrong
};

void write(Arena& arena, int user) {
  std::mt19937 random(static_cast<uint32_t>(user));
  const std::string name = user_name(user);
  std::vector<int> alive;
  for (int i = 0; i < kPassing; ++i) {
    const std::string id = passing_id(user, i);
    test::add(arena.index, {item_of(user, id, i, random), pinned_item(user, i % kPinned, random)});
    arena.expect(arena.index.contains(name, id));
    alive.push_back(i);
    const bool growing = i % (kPassing * 7 / 20) < kPassing * 6 / 20;
    while (alive.size() > (growing ? kPassing / 4u : 20u)) {  // grows, then loses most at once
      std::swap(alive[random() % alive.size()], alive.back());
      const int gone = alive.back();
      alive.pop_back();
      arena.expect(test::remove(arena.index, name, {passing_id(user, gone)}) == 1);
      arena.removed[user][gone] = true;
    }
    if (i % 20 == 0) arena.index.relate(name, "group" + std::to_string(i % 3), "tag" + std::to_string(i / 20 % 12));
    if (i % 50 == 49) arena.index.drop_tags(name, std::vector<std::string>{"tag" + std::to_string(i / 50 % 12)});
  }
  --arena.writing;
}

// A search whose answer has an invariant: at least `kPinned` records are admissible unless a text must match.
Query any_query(int user, int round, std::mt19937& random) {
  Query query{.user = user_name(user), .embedding = test::random_vector(kDim, random), .k = 20};
  switch (round % 6) {
    case 1: query.text = "opera word" + std::to_string(round % 40); break;
    case 2: query.require_tags = {"pinned"}; query.k = kPinned; break;
    case 3: query.between = {{{0, 500}, {500, 1000}}}; break;
    case 4: query.tags = {"group1"}; query.route = 3; query.neighbors = 1; break;
    case 5: query.exact = true; break;
    default: break;
  }
  return query;
}

void read(Arena& arena, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<bool> gone(kPassing);
  for (int round = 0; arena.writing > 0 || round < 50; ++round) {
    const int user = static_cast<int>(random() % kUsers);
    const std::string mine = user_name(user) + "/";
    for (int i = 0; i < kPassing; ++i) gone[static_cast<size_t>(i)] = arena.removed[user][i];
    const Query query = any_query(user, round, random);
    const SearchResult result = arena.index.search(query);
    arena.expect(result.hits.size() == query.k);
    std::vector<std::string> ids = test::ids_of(result);
    for (const std::string& id : ids) {
      arena.expect(id.starts_with(mine));
      const std::string passing = mine + "passing";
      if (id.starts_with(passing)) arena.expect(!gone[static_cast<size_t>(std::stoi(id.substr(passing.size())))]);
    }
    std::sort(ids.begin(), ids.end());
    arena.expect(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
    for (size_t i = 1; i < result.hits.size(); ++i) arena.expect(result.hits[i - 1].score >= result.hits[i].score);
  }
}

void keep_up(Arena& arena) {
  for (int round = 0; arena.writing > 0; ++round) {
    const std::string name = user_name(round % kUsers);
    arena.index.consolidate(name, true);
    arena.expect(arena.index.stats(name)->records >= static_cast<size_t>(kPinned));
    arena.index.tags(name);
    arena.index.ids(name);
    std::this_thread::yield();
  }
}

// What was saved is whole, though everything goes on.
void save(Arena& arena) {
  const std::string path = arena.directory.file("snapshot");
  while (arena.writing > 0) {
    arena.index.save(path, "");
    const std::unique_ptr<Index> saved = Index::load(path);
    for (int user = 0; user < kUsers; ++user) arena.expect(saved->stats(user_name(user))->records >= size_t{kPinned});
    std::this_thread::yield();
  }
}

void search_many(Arena& arena) {
  std::mt19937 random(7);
  while (arena.writing > 0) {
    std::vector<Query> queries;
    for (int round = 0; round < 30; ++round) queries.push_back(any_query(round % kUsers, round, random));
    const std::vector<SearchResult> results = arena.index.search_many(queries, 2);
    for (size_t i = 0; i < queries.size(); ++i) {
      arena.expect(results[i].hits.size() == queries[i].k);
      for (const Hit& hit : results[i].hits) arena.expect(hit.id.starts_with(queries[i].user));
    }
  }
}

void everything_at_once(size_t max_resident_bytes, RowFormat format) {
  Arena arena(max_resident_bytes, format);
  std::mt19937 random(99);
  std::vector<Item> pinned;
  for (int user = 0; user < kUsers; ++user) {
    for (int i = 0; i < kPinned; ++i) pinned.push_back(pinned_item(user, i, random));
  }
  test::add(arena.index, pinned);
  std::vector<std::thread> threads;
  const auto start = [&](auto work) {
    threads.emplace_back([&arena, work] {
      try {
        work();
      } catch (const std::exception& error) {
        arena.note(error.what());
        arena.writing = 0;
      }
    });
  };
  for (int user = 0; user < kUsers; ++user) start([&, user] { write(arena, user); });
  for (uint32_t reader = 0; reader < 3; ++reader) start([&, reader] { read(arena, 1000 + reader); });
  start([&] { keep_up(arena); });
  start([&] { save(arena); });
  start([&] { search_many(arena); });
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(arena.wrong == 0, arena.noted);
  for (int user = 0; user < kUsers; ++user) {
    size_t removed = 0;
    for (const std::atomic<bool>& gone : arena.removed[user]) removed += gone;
    BOOST_TEST(arena.index.stats(user_name(user))->records == kPinned + kPassing - removed);
  }
}

BOOST_AUTO_TEST_CASE(answers_stay_true_while_everything_changes) { everything_at_once(0, RowFormat::float32); }
// There is room for about half of them.
BOOST_AUTO_TEST_CASE(answers_stay_true_while_users_leave_memory_and_return) {
  everything_at_once(size_t{512} << 10, RowFormat::bfloat16);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
