#include "index/user_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(user_table)

BOOST_AUTO_TEST_CASE(random_changes_equal_those_of_a_map) {
  std::mt19937 random(1);
  UserTable table(1);
  std::map<std::string, UserIndex*> oracle;
  for (int step = 0; step < 6000; ++step) {
    const std::string name = "user " + std::to_string(random() % 900);
    if (random() % 5 < 3) {
      const UserTable::User user = table.find_or_create(name);
      BOOST_REQUIRE((!oracle.contains(name) || oracle[name] == user.get()));
      oracle[name] = user.get();
      BOOST_REQUIRE(!table.add(name, nullptr));
    } else {
      BOOST_REQUIRE(table.take(name).user.get() == (oracle.contains(name) ? oracle[name] : nullptr));
      oracle.erase(name);
      BOOST_REQUIRE(table.find(name) == nullptr);
    }
    if (step % 500 == 0) {
      for (const auto& [each, user] : oracle) BOOST_REQUIRE(table.find(each).get() == user);
      std::map<std::string, UserIndex*> all;
      for (const UserTable::Entry& entry : table.all()) all[entry.name] = entry.user.get();
      BOOST_REQUIRE((all == oracle));
    }
    BOOST_REQUIRE(table.size() == oracle.size());
  }
}

BOOST_AUTO_TEST_CASE(a_user_that_was_taken_lives_on_for_its_callers) {
  UserTable table(1);
  const UserTable::User held = table.find_or_create("ana");
  table.take("ana");
  BOOST_TEST(held->size() == 0u);
  BOOST_TEST(table.find_or_create("ana") != held);
}

BOOST_AUTO_TEST_CASE(a_user_goes_that_nobody_wrote_to_nor_has) {
  for (const size_t limit : {size_t{0}, size_t{1} << 30}) {
    UserTable table(RowShape(1), {.max_bytes = limit});
    for (const char* name : {"ana", "ben", "cleo"}) table.find_or_create(name);
    table.drop_if_unused("ana", table.find("ana"));
    BOOST_TEST(table.find("ana") == nullptr);
    table.drop_if_unused("dan", nullptr);
    UserTable::User held = table.find("ben");
    table.drop_if_unused("ben", table.find("ben"));
    BOOST_TEST(table.find("ben") == held);
    held->relate("a", "b");
    table.drop_if_unused("ben", std::move(held));
    BOOST_TEST(table.find("ben") != nullptr);
    table.drop_if_unused("cleo", std::make_shared<UserIndex>(RowShape(1)));
    BOOST_TEST(table.size() == 2u);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
