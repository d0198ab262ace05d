#include "tags/tag_clusters.hpp"

#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_clusters)

TaggedRecords records(std::initializer_list<std::vector<TagId>> tags) {
  TaggedRecords result;
  for (const std::vector<TagId>& of_record : tags) {
    result.tags.insert(result.tags.end(), of_record.begin(), of_record.end());
    result.offsets.push_back(static_cast<uint32_t>(result.tags.size()));
  }
  return result;
}

BOOST_AUTO_TEST_CASE(tags_that_meet_are_joined_and_strangers_are_not) {
  const TagClusters clusters = cluster_tags(records({{0, 1}, {0, 1}, {0}, {2, 3}, {3, 2}, {5}, {}}), 100);
  BOOST_TEST(clusters.count == 3u);
  BOOST_TEST(clusters.of_tag[0] == clusters.of_tag[1]);
  BOOST_TEST(clusters.of_tag[2] == clusters.of_tag[3]);
  BOOST_TEST(clusters.of_tag[0] != clusters.of_tag[2]);
  BOOST_TEST(clusters.of_tag[4] == kNoCluster);
  BOOST_TEST(clusters.of_record[2] == clusters.of_tag[0]);
  BOOST_TEST(clusters.of_record[5] == clusters.of_tag[5]);
  BOOST_TEST(clusters.of_record[6] == kNoCluster);
}

// Tags 0 and 1 share one record of seven: enough only for a parent and its child.
BOOST_AUTO_TEST_CASE(the_hierarchy_joins_what_meets_less_often) {
  TaggedRecords sparse = records({{0, 1}, {0}, {0}, {0}, {1}, {1}, {1}});
  BOOST_TEST(cluster_tags(sparse, 100).count == 2u);
  sparse.relations = {{0, 1}};
  BOOST_TEST(cluster_tags(sparse, 100).count == 1u);
}

BOOST_AUTO_TEST_CASE(a_cluster_stays_below_its_limit) {
  const TaggedRecords chain = records({{0, 1}, {0, 1}, {1, 2}, {1, 2}, {2, 3}, {2, 3}, {3, 4}, {3, 4}});
  BOOST_TEST(cluster_tags(chain, 100).count == 1u);
  BOOST_TEST(cluster_tags(chain, 4).count > 1u);
}

BOOST_AUTO_TEST_CASE(a_rare_foreign_tag_does_not_move_a_record) {
  TaggedRecords mixed = records({{0, 1}, {0, 1}, {0, 1}, {0, 1, 7}, {7, 8}, {7, 8}, {7, 8}, {7, 8}, {7, 8}});
  const TagClusters clusters = cluster_tags(mixed, 100);
  BOOST_TEST(clusters.of_record[3] == clusters.of_tag[0]);
}

BOOST_AUTO_TEST_CASE(many_tags_on_a_record_are_taken_in_bounded_time) {
  std::mt19937 random(1);
  TaggedRecords many;
  for (int i = 0; i < 2000; ++i) {
    for (int j = 0; j < 64; ++j) many.tags.push_back(static_cast<TagId>(random() % 5000));
    many.offsets.push_back(static_cast<uint32_t>(many.tags.size()));
  }
  BOOST_TEST(cluster_tags(many, 1000).of_record.size() == 2000u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
