// Meant for ThreadSanitizer, but every other build checks what the threads see.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <latch>
#include <thread>

#include "support/sample_index.hpp"
#include "support/temporary_directory.hpp"

// Read by ThreadSanitizer. hnswlib locks its nodes in changing order while it adds a point, which looks like a deadlock to
// come; but the router lets one thread add at a time. Data races are still found.
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_options() { return "detect_deadlocks=0"; }

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(concurrency)

using test::Item;
using test::same_hits;

constexpr size_t kDim = 8;

// Boost.Test's checks are not thread-safe: threads count what is wrong, the test looks at the sum.
class Team {
 public:
  template <typename Work>
  void start(Work work) {
    threads_.emplace_back([this, work] {
      try {
        work(wrong_);
      } catch (...) {
        ++wrong_;
      }
    });
  }
  int join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return wrong_;
  }

 private:
  std::atomic<int> wrong_ = 0;
  std::vector<std::thread> threads_;
};

Item item_of(const std::string& user, int i, std::mt19937& random) {
  Item item{.id = "r" + std::to_string(i), .at = i % 17, .text = "opera word" + std::to_string(i % 9)};
  item.tags = {"t" + std::to_string(i % 6), "all"};
  item.embedding = test::random_vector(kDim, random);
  item.session = "s" + std::to_string(i % 3);
  item.user = user;
  return item;
}

void readers_and_writers(size_t max_resident_bytes) {
  test::TemporaryDirectory directory;
  Index index(IndexConfig{.dim = kDim}, {.max_bytes = max_resident_bytes, .spill_directory = directory.file(".")});
  std::atomic<bool> stop = false;
  Team writers;
  Team readers;
  for (int w = 0; w < 3; ++w) {
    writers.start([&, w](std::atomic<int>& wrong) {
      std::mt19937 random(static_cast<uint32_t>(w));
      const std::string own = "user" + std::to_string(w);
      for (int i = 0; i < 150; ++i) {
        test::add(index, {item_of(own, i % 100, random), item_of("shared", i % 50, random)});
        if (i % 5 == 0) test::remove(index, "shared", {"r" + std::to_string(i % 50)});
        if (i % 7 == 0) index.relate("shared", "all", "t" + std::to_string(i % 6));
        if (i % 11 == 0) index.drop_tags("shared", std::vector<std::string>{"t" + std::to_string(i % 6)});
        if (i % 40 == 39) {
          wrong += index.forget(own) == 0;
        } else {
          wrong += !index.contains(own, "r" + std::to_string(i % 100));
        }
      }
    });
  }
  for (int r = 0; r < 3; ++r) {
    readers.start([&, r](std::atomic<int>& wrong) {
      std::mt19937 random(100 + static_cast<uint32_t>(r));
      for (int round = 0; !stop; ++round) {
        const std::string user = round % 2 == 0 ? "shared" : "user" + std::to_string(round % 3);
        const SearchResult result = index.search({.user = user,
                                                  .text = "opera word1",
                                                  .embedding = test::random_vector(kDim, random),
                                                  .tags = {"all"},
                                                  .route = 3,
                                                  .k = 20,
                                                  .neighbors = 1,
                                                  .explain = round % 3 == 0});
        for (size_t i = 1; i < result.hits.size(); ++i) wrong += result.hits[i - 1].score < result.hits[i].score;
        index.route(user, test::random_vector(kDim, random), 3, round % 2 == 0 ? RouteMethod::hnsw : RouteMethod::exact);
        if (round % 5 == 0) {
          index.stats();
          index.users();
          index.tags(user);
          index.ids(user);
        }
        if (round % 20 == 0) {
          const std::string path = directory.file("snapshot" + std::to_string(r));
          index.save(path, "");
          wrong += Index::load(path)->size() > 1000;
        }
        std::this_thread::yield();
      }
    });
  }
  BOOST_TEST(writers.join() == 0);
  stop = true;
  BOOST_TEST(readers.join() == 0);
}

BOOST_AUTO_TEST_CASE(readers_and_writers_of_shared_and_own_users) { readers_and_writers(0); }
// Whoever nobody is using at the moment leaves memory.
BOOST_AUTO_TEST_CASE(readers_and_writers_of_users_who_come_and_go) { readers_and_writers(1); }

BOOST_AUTO_TEST_CASE(many_first_routes_build_the_graph_once_and_agree) {
  Index index(IndexConfig{.dim = kDim});
  std::mt19937 random(1);
  std::vector<Item> items;
  for (int i = 0; i < 300; ++i) {
    items.push_back(item_of("ana", i, random));
    items.back().tags = {"tag" + std::to_string(i)};
  }
  const std::vector<float> query = test::random_vector(kDim, random);
  for (int round = 0; round < 5; ++round) {
    test::add(index, items);  // every vector is stale again
    std::vector<std::vector<std::pair<std::string, float>>> answers(4);
    std::latch ready(4);
    Team team;
    for (size_t t = 0; t < 4; ++t) {
      team.start([&, t](std::atomic<int>&) {
        ready.arrive_and_wait();
        answers[t] = index.route("ana", query, 10, RouteMethod::hnsw);
      });
    }
    BOOST_TEST(team.join() == 0);
    for (const auto& answer : answers) {
      BOOST_TEST(answer.size() == 10u);
      BOOST_TEST((answer == answers[0]));
    }
  }
}

// The graph is made beside the writers, not under the user's lock: they get through while it is.
BOOST_AUTO_TEST_CASE(writes_go_on_while_a_graph_is_built) {
  Index index(IndexConfig{.dim = kDim});
  std::mt19937 random(1);
  std::vector<Item> items;
  for (int i = 0; i < 1500; ++i) {
    items.push_back(item_of("ana", i, random));
    items.back().tags = {"tag" + std::to_string(i)};
  }
  test::add(index, items);
  const std::vector<float> query = test::random_vector(kDim, random);
  std::atomic<bool> built = false;
  Team team;
  team.start([&](std::atomic<int>& wrong) {
    wrong += index.route("ana", query, 10, RouteMethod::hnsw).size() != 10;
    built = true;
  });
  int written = 0;
  for (; !built; ++written) {
    test::add(index, {item_of("ana", 2000 + written % 5, random)});
    std::this_thread::yield();
  }
  BOOST_TEST(team.join() == 0);
  BOOST_TEST(written > 20);
  BOOST_TEST((index.route("ana", query, 10, RouteMethod::hnsw) == index.route("ana", query, 10, RouteMethod::exact)));
}

BOOST_AUTO_TEST_CASE(search_many_beside_writes) {
  Index index(IndexConfig{.dim = kDim});
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) test::add(index, {item_of("ana", i, random), item_of("bob", i, random)});
  std::vector<Query> queries;
  std::vector<SearchResult> wanted;
  for (int i = 0; i < 60; ++i) {
    queries.push_back({.user = "bob", .text = "word" + std::to_string(i % 9), .embedding = test::random_vector(kDim, random), .route = 2});
    wanted.push_back(index.search(queries.back()));
  }
  std::atomic<bool> stop = false;
  Team writer;
  writer.start([&](std::atomic<int>&) {
    std::mt19937 mine(2);
    for (int i = 0; !stop; ++i) test::add(index, {item_of("ana", i % 300, mine)});
  });
  for (int round = 0; round < 5; ++round) {
    const std::vector<SearchResult> results = index.search_many(queries, 3);
    for (size_t i = 0; i < queries.size(); ++i) BOOST_TEST(same_hits(results[i], wanted[i]));
  }
  stop = true;
  BOOST_TEST(writer.join() == 0);
}

// Readers that never pause between two searches must not keep a writer out for long.
BOOST_AUTO_TEST_CASE(writers_are_not_starved_by_readers) {
  Index index(IndexConfig{.dim = kDim});
  std::mt19937 random(1);
  std::vector<Item> items;
  for (int i = 0; i < 2000; ++i) items.push_back(item_of("ana", i, random));
  test::add(index, items);
  std::atomic<bool> stop = false;
  Team readers;
  for (int r = 0; r < 4; ++r) {
    readers.start([&](std::atomic<int>&) {
      const Query query{.user = "ana", .text = "opera", .embedding = std::vector<float>(kDim, 1.0f)};
      while (!stop) index.search(query);
    });
  }
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) test::add(index, {items[static_cast<size_t>(i)]});
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stop = true;
  BOOST_TEST(readers.join() == 0);
  BOOST_TEST(seconds < 20.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
