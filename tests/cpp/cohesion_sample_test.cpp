// What may happen between two steps of a sample, while its lock is released.
#include "index/cohesion_sample.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(cohesion_sample)

constexpr size_t kDim = 8;
constexpr Slot kRecords = 200;

struct Fixture {
  std::mt19937 random{3};
  UserColumns columns{kDim};

  Fixture() {
    for (Slot slot = 0; slot < kRecords; ++slot) {
      columns.tags.add_record(slot, std::vector<std::string>{"own" + std::to_string(slot), "all"});
      columns.vectors.add(slot, slot, test::random_vector(kDim, random));
      columns.ats.resize(slot + size_t{1});
    }
  }
  bool step(CohesionSample& sample) const { return sample.step(nullptr, columns.vectors, columns.tags); }
  void remove(Slot slot) {
    columns.tags.remove_record(slot, [](TagId) {});
    columns.vectors.remove(slot);
  }
};

BOOST_FIXTURE_TEST_CASE(tags_may_vanish_between_steps, Fixture) {
  CohesionSample sample;
  BOOST_REQUIRE(step(sample));  // the fresh rows; relations come next
  for (Slot slot = 0; slot < kRecords; ++slot) remove(slot);
  BOOST_TEST(columns.tags.size() == 0u);
  while (step(sample)) {
  }
  BOOST_TEST(sample.measure().all > 0.0);  // of what it saw
}

BOOST_FIXTURE_TEST_CASE(numbers_of_tags_may_have_gone_to_others, Fixture) {
  CohesionSample sample;
  BOOST_REQUIRE(step(sample));
  for (Slot slot = 0; slot < kRecords; ++slot) remove(slot);
  for (int i = 0; i < 50; ++i) columns.tags.relate("parent" + std::to_string(i), "child" + std::to_string(i));
  while (step(sample)) {
  }
  BOOST_TEST(sample.measure().all > 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
