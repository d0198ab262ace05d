#include "lexical/term_cells.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <new>
#include <random>
#include <vector>

#include "support/allocations.hpp"

namespace memspan {
namespace {

// Terms with hashes of any kind, beside a map.
struct Terms {
  std::vector<uint64_t> hashes;  // by term
  std::map<TermId, uint64_t> oracle;
  TermCells cells;

  struct HashOf {
    const Terms& terms;
    uint64_t operator()(TermId term) const { return terms.hashes[term]; }
    void prefetch(TermId) const {}
  };
  TermId find(TermId term) const {
    return cells.find(hashes[term], [term](TermId other) { return other == term; });
  }
  void put(TermId term) {
    const TermId got = cells.find_or_put(
        hashes[term], [term](TermId other) { return other == term; }, [term] { return term; }, HashOf{*this});
    BOOST_REQUIRE(got == term);
    oracle[term] = hashes[term];
  }
  void erase(TermId term) {
    cells.erase(hashes[term], term, HashOf{*this});
    oracle.erase(term);
  }
  void check() const {
    BOOST_REQUIRE(cells.size() == oracle.size());
    for (TermId term = 0; term < hashes.size(); ++term) {
      BOOST_REQUIRE(find(term) == (oracle.contains(term) ? term : kNoTerm));
    }
    BOOST_TEST(cells.distinct([](TermId a, TermId b) { return a == b; }));
  }
};

uint64_t wide(std::mt19937& random) { return uint64_t{random()} << 32 | random(); }

void change_at_random(Terms& terms, std::mt19937& random, int steps) {
  for (int step = 0; step < steps; ++step) {
    const auto term = static_cast<TermId>(random() % terms.hashes.size());
    const bool growing = (step / 6000) % 2 == 0;
    if (terms.oracle.contains(term)) {
      if (!growing || random() % 8 == 0) terms.erase(term);
      terms.oracle.contains(term) ? terms.put(term) : void();
    } else if (growing) {
      terms.put(term);
    }
    if (step % 3000 == 2999) terms.check();
  }
}

BOOST_AUTO_TEST_SUITE(term_cells)

BOOST_AUTO_TEST_CASE(equals_a_map_under_random_changes) {
  std::mt19937 random(1);
  Terms terms;
  for (int i = 0; i < 15'000; ++i) terms.hashes.push_back(wide(random));
  change_at_random(terms, random, 40'000);
  const TermCells moved = std::move(terms.cells);
  BOOST_TEST(terms.cells.size() == 0u);
  BOOST_TEST(moved.size() == terms.oracle.size());
  terms.cells = TermCells();
  terms.oracle.clear();
  terms.check();
}

// What somebody may choose: everything in one segment, at one cell, or with one tag.
BOOST_AUTO_TEST_CASE(any_hashes_will_do) {
  std::mt19937 random(2);
  for (const uint64_t same : {uint64_t{0xFFFF'FFFF} << 24, uint64_t{0xFFFF'FFFF}, uint64_t{0xFF} << 56}) {
    Terms terms;
    for (int i = 0; i < 6000; ++i) terms.hashes.push_back(wide(random) & ~same);
    change_at_random(terms, random, 8000);
    terms.check();
  }
  Terms equal;
  equal.hashes.assign(200, 12345);
  for (TermId term = 0; term < 200; ++term) equal.put(term);
  equal.check();
  BOOST_TEST(!equal.cells.distinct([](TermId, TermId) { return true; }));
}

BOOST_AUTO_TEST_CASE(built_at_once_it_is_the_same) {
  std::mt19937 random(3);
  for (const size_t count : {0u, 1u, 12u, 13u, 1500u, 2000u, 40'000u}) {
    Terms terms;
    for (size_t i = 0; i < count; ++i) terms.hashes.push_back(wide(random));
    terms.cells.build(terms.hashes);
    for (TermId term = 0; term < count; ++term) terms.oracle[term] = terms.hashes[term];
    terms.check();
    for (int i = 0; i < 5000; ++i) {
      terms.hashes.push_back(wide(random));
      terms.put(static_cast<TermId>(terms.hashes.size() - 1));
    }
    terms.check();
  }
}

BOOST_AUTO_TEST_CASE(a_term_takes_few_bytes) {
  std::mt19937 random(4);
  for (const size_t count : {2000u, 6800u, 50'000u}) {
    Terms terms;
    for (size_t i = 0; i < count; ++i) {
      terms.hashes.push_back(wide(random));
      terms.put(static_cast<TermId>(i));
    }
    BOOST_TEST(terms.cells.bytes() < 9.6 * static_cast<double>(count));
  }
  BOOST_TEST(TermCells().bytes() == 0u);
}

BOOST_AUTO_TEST_CASE(without_memory_nothing_changes) {
  std::mt19937 random(5);
  Terms terms;
  for (TermId term = 0; term < 9000; ++term) {
    terms.hashes.push_back(wide(random));
    for (long successes = 0;; ++successes) {
      try {
        const test::FailingAllocation failing(successes);
        terms.cells.find_or_put(
            terms.hashes[term], [](TermId) { return false; }, [term] { return term; }, Terms::HashOf{terms});
        break;
      } catch (const std::bad_alloc&) {
        BOOST_REQUIRE(terms.cells.size() == term);
      }
    }
    terms.oracle[term] = terms.hashes[term];
  }
  terms.check();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
