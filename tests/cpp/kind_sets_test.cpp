#include "attributes/kind_sets.hpp"

#include <boost/test/unit_test.hpp>
#include <optional>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(kind_sets)

// The kinds of records by slot, and what is found by looking at each.
struct Records {
  std::vector<std::optional<Kind>> kinds;
  KindSets sets;

  void put(Slot slot, Kind kind) {
    if (slot >= kinds.size()) kinds.resize(slot + 1);
    take(slot);
    sets.make_room(slot, kind);
    sets.set(slot, kind);
    kinds[slot] = kind;
  }
  void take(Slot slot) {
    if (kinds[slot]) sets.reset(slot, *kinds[slot]);
    kinds[slot].reset();
  }
  void check() const {
    for (unsigned choice = 0; choice < 1u << kKindCount; ++choice) {
      std::array<bool, kKindCount> wanted;
      for (size_t kind = 0; kind < kKindCount; ++kind) wanted[kind] = choice >> kind & 1;
      Bitset found;
      found.resize(kinds.size());
      for (Slot slot = 0; slot < kinds.size(); ++slot) {
        if (kinds[slot]) found.set(slot);
      }
      sets.keep(wanted, found);
      for (Slot slot = 0; slot < kinds.size(); ++slot) {
        BOOST_REQUIRE(found.test(slot) == (kinds[slot] && wanted[static_cast<size_t>(*kinds[slot])]));
      }
    }
  }
};

BOOST_AUTO_TEST_CASE(the_most_common_kind_takes_no_memory) {
  Records records;
  for (Slot slot = 0; slot < 500; ++slot) records.put(slot, Kind::episodic);
  records.check();
  BOOST_TEST(records.sets.bytes() == 0u);
  records.put(3, Kind::vault);
  BOOST_TEST(records.sets.bytes() > 0u);
  records.check();
}

BOOST_AUTO_TEST_CASE(any_choice_after_any_change) {
  std::mt19937 random(3);
  Records records;
  records.check();
  for (int step = 0; step < 3000; ++step) {
    const Slot slot = static_cast<Slot>(random() % 300);
    if (slot < records.kinds.size() && random() % 4 == 0) {
      records.take(slot);
    } else {
      records.put(slot, static_cast<Kind>(random() % kKindCount));
    }
    if (step % 100 == 0) records.check();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
