#include "index/evicted_ids.hpp"

#include <boost/test/unit_test.hpp>

namespace memspan {
namespace {

BOOST_AUTO_TEST_SUITE(evicted_ids)

using Ids = std::vector<std::string>;

BOOST_AUTO_TEST_CASE(what_comes_again_is_none_of_them) {
  Ids ids = {"before"};
  {
    EvictedIds evicted(ids);
    evicted.came_again("a");
    evicted.list().insert(evicted.list().end(), {"a", "b", "a long id that is not stored in place", "c"});
    evicted.came_again("b");
    evicted.came_again("unknown");
    evicted.came_again("a long id that is not stored in place");
    evicted.list().push_back("b");
    evicted.came_again("before");  // which went in another call
  }
  BOOST_TEST((ids == Ids{"before", "a", "c", "b"}));
}

BOOST_AUTO_TEST_CASE(again_and_again) {
  Ids ids;
  {
    EvictedIds evicted(ids);
    for (int turn = 0; turn < 3; ++turn) {
      evicted.list().push_back("a");
      evicted.came_again("a");
    }
    evicted.list().push_back("b");
  }
  BOOST_TEST(ids == Ids{"b"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
