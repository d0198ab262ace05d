#include "tags/tag_cohesion.hpp"

#include <boost/test/unit_test.hpp>
#include <initializer_list>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_cohesion)

struct Fixture {
  TaggedRecords records;
  std::vector<TagGroup> groups;

  void lie_together(double rows, std::initializer_list<std::vector<TagId>> tags) {
    const auto first = static_cast<uint32_t>(records.size());
    for (const std::vector<TagId>& of_record : tags) records.add(of_record);
    groups.push_back({first, static_cast<uint32_t>(records.size()), rows});
  }
  PassingVector<TagEdge> edges() const { return find_edges(records, count_records(records)); }
  double cohesion() const { return memspan::tag_cohesion(records, edges(), groups); }
};

BOOST_FIXTURE_TEST_CASE(without_tags_there_is_nothing_to_tell_by, Fixture) {
  BOOST_TEST(cohesion() == 0.0);
  lie_together(10, {{}, {}});
  lie_together(10, {{1}});  // no two records with tags
  BOOST_TEST(cohesion() == 0.0);
}

BOOST_FIXTURE_TEST_CASE(one_topic_is_whole_and_two_are_half_as_good, Fixture) {
  lie_together(10, {{0}, {0}, {0}, {0}});
  BOOST_TEST(cohesion() == 1.0);
  groups.clear();
  // Of the 12 ordered pairs of different records, four are of one topic.
  lie_together(10, {{1}, {1}, {2}, {2}});
  BOOST_TEST(cohesion() == 1.0 / 3.0, boost::test_tools::tolerance(1e-12));
}

BOOST_FIXTURE_TEST_CASE(tags_that_meet_elsewhere_belong_together, Fixture) {
  lie_together(0, {{0, 1}, {0, 1}});  // counts for the edge alone
  lie_together(10, {{0}, {1}});
  BOOST_TEST(cohesion() == 1.0);
  lie_together(30, {{2}, {3}});
  BOOST_TEST(cohesion() == 0.25);
}

BOOST_FIXTURE_TEST_CASE(a_stray_record_costs_little, Fixture) {
  lie_together(10, {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {1}});
  BOOST_TEST(cohesion() == 0.8, boost::test_tools::tolerance(1e-12));
}

BOOST_FIXTURE_TEST_CASE(strangers_are_those_who_belong_to_no_group, Fixture) {
  lie_together(10, {{0}, {0}});
  lie_together(10, {{1}, {1}});
  const auto first = static_cast<uint32_t>(records.size());
  const std::vector<TagGroup> home = groups;
  lie_together(10, {{0}, {1}, {5}, {}});
  BOOST_TEST(strangers(records, edges(), home, 1.0, first, first + 2) == 0.0);
  BOOST_TEST(strangers(records, edges(), home, 1.0, first + 1, first + 3) == 0.5);
  BOOST_TEST(strangers(records, edges(), home, 1.0, first + 2, first + 3) == 1.0);
  BOOST_TEST(strangers(records, edges(), home, 0.0, first, first + 3) == 0.0);
  BOOST_TEST(strangers(records, edges(), home, 1.0, first, first) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
