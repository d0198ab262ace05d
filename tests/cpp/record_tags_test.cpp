#include "tags/record_tags.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(record_tags)

using TagIds = std::vector<TagId>;

TagIds tags_of(const RecordTags& tags, Slot slot) {
  TagIds found;
  for (const TagId tag : tags.of(slot)) found.push_back(tag);
  return found;
}

BOOST_AUTO_TEST_CASE(lists_keep_their_order) {
  RecordTags tags;
  tags.start(3, 0, 10);
  BOOST_TEST(tags.bytes() == 0u);  // nobody has tags
  tags.start(2, 3, 65'536);
  for (const TagId tag : {65'535u, 0u, 7u}) tags.append(2, tag);
  BOOST_TEST(tags_of(tags, 2) == (TagIds{65'535, 0, 7}));
  BOOST_TEST(tags.of(0).empty());
  BOOST_TEST(tags.of(3).empty());
  BOOST_TEST(tags.of(2).contains(7));
  BOOST_TEST(!tags.of(2).contains(1));
  tags.erase(2, 65'535);
  BOOST_TEST(tags_of(tags, 2) == (TagIds{0, 7}));
  tags.append(2, 5);
  BOOST_TEST(tags_of(tags, 2) == (TagIds{0, 7, 5}));
  tags.clear(2);
  tags.clear(3);
  BOOST_TEST(tags.of(2).empty());
}

BOOST_AUTO_TEST_CASE(large_numbers_take_wide_lists) {
  RecordTags tags;
  tags.start(0, 2, 65'537);
  tags.append(0, 65'536);
  tags.append(0, 1);
  BOOST_TEST(tags_of(tags, 0) == (TagIds{65'536, 1}));

  tags.start(1, 2, 65'536);
  tags.append(1, 40'000);
  tags.append(1, 3);
  tags.make_room_for(1, 65'535);
  tags.make_room_for(1, 1'000'000);
  BOOST_TEST(tags_of(tags, 1) == (TagIds{40'000, 3}));
  tags.erase(1, 3);
  tags.append(1, 1'000'000);
  BOOST_TEST(tags_of(tags, 1) == (TagIds{40'000, 1'000'000}));
  tags.clear(1);
  BOOST_TEST(tags_of(tags, 0) == (TagIds{65'536, 1}));
}

BOOST_AUTO_TEST_CASE(filled_lists_are_those_of_a_snapshot) {
  const std::vector<uint8_t> counts = {2, 0, 1};
  const TagIds all = {4, 70'000, 9};
  for (const size_t numbers : {size_t{70'001}, size_t{1} << 20}) {
    RecordTags tags;
    tags.fill(PackedValues<uint8_t>(counts), PackedValues<TagId>(all), numbers);
    BOOST_TEST(tags_of(tags, 0) == (TagIds{4, 70'000}));
    BOOST_TEST(tags.of(1).empty());
    BOOST_TEST(tags_of(tags, 2) == TagIds{9});
    tags.clear(0);
    tags.start(0, 1, 10);
    tags.append(0, 8);
    BOOST_TEST(tags_of(tags, 0) == TagIds{8});
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
