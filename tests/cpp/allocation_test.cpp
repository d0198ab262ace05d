// Counts what a search allocates: nothing, once a thread has made the same search before. The counter replaces the
// operators of the whole program, which is why it is left out where a sanitizer has replacements of its own; memory that
// is not asked for through `new` is not counted.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <new>

#include "support/records.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
thread_local size_t allocations = 0;
}

// Not inlined, or GCC takes `new` beside `free` in one function for a mistake.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(size_t size, std::align_val_t alignment) {
  ++allocations;
  const size_t step = static_cast<size_t>(alignment);
  if (void* memory = std::aligned_alloc(step, (size + step - 1) / step * step)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

namespace memspan {
namespace {

using test::Item;

constexpr size_t kDim = 64;
constexpr int kRecords = 5000;

void fill(Index& index) {
  std::mt19937 random(5);
  std::vector<Item> items;
  for (int i = 0; i < kRecords; ++i) {
    Item item{.id = "a rather long name of record " + std::to_string(i), .at = i};
    for (int word = 0; word < 12; ++word) item.text += "word" + std::to_string(random() % 900) + ' ';
    item.tags = {"tag" + std::to_string(i % 20), "group" + std::to_string(i % 3)};
    item.embedding = test::random_vector(kDim, random);
    item.session = "session" + std::to_string(i / 20);
    items.push_back(std::move(item));
  }
  test::add(index, items);
  index.relate("ana", "group1", "tag4");
}

struct Asked {
  const char* name;
  Query query;
};

std::vector<Asked> searches() {
  std::mt19937 random(6);
  const std::vector<float> vector = test::random_vector(kDim, random);
  const std::string text = "word17 word3 word500 word77 word820";
  const std::vector<Interval> range = {{1000, 1250}};
  return {
      {"dense", {.user = "ana", .embedding = vector}},
      {"dense, exact", {.user = "ana", .embedding = vector, .exact = true}},
      {"dense, time range", {.user = "ana", .embedding = vector, .between = range}},
      {"dense, tag", {.user = "ana", .embedding = vector, .require_tags = {"tag4"}}},
      {"dense, kinds", {.user = "ana", .embedding = vector, .kinds = {{Kind::episodic, Kind::semantic}}}},
      {"words", {.user = "ana", .text = text}},
      {"words, time range", {.user = "ana", .text = text, .between = range}},
      {"fused", {.user = "ana", .text = text, .embedding = vector}},
      {"fused, time range", {.user = "ana", .text = text, .embedding = vector, .between = range}},
      {"boosting tags", {.user = "ana", .embedding = vector, .tags = {"group1", "tag7"}, .tag_depth = 2}},
      {"latest", {.user = "ana", .views = {{View::symbolic}}, .between = range, .k = 20, .depth = 20}},
  };
}

BOOST_AUTO_TEST_SUITE(allocation)

BOOST_AUTO_TEST_CASE(the_counter_counts) {
  const size_t before = allocations;
  std::vector<int> some(100);
  BOOST_TEST(some.size() == 100u);
  BOOST_TEST(allocations == before + 1);
}

BOOST_AUTO_TEST_CASE(a_repeated_search_allocates_nothing) {
  for (const bool consolidated : {false, true}) {
    Index index(IndexConfig{.dim = kDim, .analyzer = AnalyzerKind::simple});
    fill(index);
    if (consolidated) index.consolidate("ana", true);
    SearchResult found;
    for (const Asked& asked : searches()) {
      for (int warm = 0; warm < 3; ++warm) index.search(asked.query, found);
      const size_t before = allocations;
      for (int round = 0; round < 10; ++round) index.search(asked.query, found);
      const size_t made = allocations - before;
      BOOST_TEST(made == 0u, asked.name << (consolidated ? ", consolidated" : "") << ": " << made << " in 10 searches");
      BOOST_TEST(!found.hits.empty(), asked.name);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan

#endif
