// Filters that want fields to equal something or to lie in a range, over so many records that the fields get codes and keys,
// against filters that are asked of each record: while records come, change and go.
#include <boost/test/unit_test.hpp>
#include <map>
#include <random>
#include <set>
#include <string>

#include "attributes/where.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(coded_where)

using test::Item;

constexpr size_t kDim = 8;

struct Described {
  std::string some_metadata() {
    switch (random() % 6) {
      case 0: return {};
      case 1: return R"({"document": )" + std::to_string(random() % 40) + R"(.0, "source": "mail"})";
      case 2: return R"({"document": null, "place": {"city": "Oslo"}})";
      case 3: return R"({"document": ")" + std::to_string(random() % 40) + R"("})";
      default:
        return R"({"document": )" + std::to_string(random() % 40) + R"(, "source": ")" + (random() % 2 == 0 ? "mail" : "chat") +
               R"(", "place": {"city": ")" + (random() % 2 == 0 ? "Oslo" : "Rome") + R"("}, "on": "2025-0)" +
               std::to_string(1 + random() % 9) + "-" + std::to_string(10 + random() % 19) + R"(T09", "number": )" + std::to_string(random()) + "}";
    }
  }

  void add(int first, int last) {
    std::vector<Item> items;
    for (int i = first; i < last; ++i) {
      Item item{.id = "r" + std::to_string(i), .at = i, .text = "word" + std::to_string(random() % 9)};
      item.metadata = some_metadata();
      known[item.id] = item.metadata.empty() ? json::object() : parse_json_object(item.metadata, "metadata");
      item.embedding = test::random_vector(kDim, random);
      if (random() % 3 == 0) item.tags = {"t"};
      items.push_back(item);
    }
    test::add(index, items);
  }

  void remove(int i) {
    const std::string id = "r" + std::to_string(i);
    test::remove(index, "ana", {id});
    known.erase(id);
  }

  std::set<std::string> expected(const std::string& filter) const {
    const Where where(filter);
    std::set<std::string> ids;
    for (const auto& [id, metadata] : known) {
      if (where.matches(metadata)) ids.insert(id);
    }
    return ids;
  }

  // By each way to look for them.
  void check(const std::string& filter) {
    const std::set<std::string> wanted = expected(filter);
    Query query{.user = "ana", .k = 10000};
    query.where = filter;
    for (int way = 0; way < 4; ++way) {
      if (way == 1) query.embedding = test::random_vector(kDim, random), query.exact = true;
      if (way == 2) query.explain = true;
      if (way == 3) query.between = {{{0, 100000}}}, query.explain = false;
      const std::vector<std::string> found = test::ids_of(index.search(query));
      BOOST_TEST_CONTEXT(filter << ", way " << way) {
        BOOST_TEST(found.size() == wanted.size());
        BOOST_TEST((std::set<std::string>(found.begin(), found.end()) == wanted));
      }
    }
    query = {.user = "ana", .k = 10};  // few of them: what is left open among many, too
    query.where = filter;
    query.embedding = test::random_vector(kDim, random);
    const std::vector<std::string> found = test::ids_of(index.search(query));
    BOOST_TEST(found.size() == std::min<size_t>(10, wanted.size()));
    for (const std::string& id : found) BOOST_TEST(wanted.contains(id), filter);
  }

  void check_all() {
    for (const char* filter :
         {R"({"document": 7})", R"({"document": 7.0})", R"({"document": "7"})", R"({"document": null})", R"({"document": {"$in": [1, "2", 3.0]}})",
          R"({"document": {"$in": []}})", R"({"source": "mail"})", R"({"source": "mail", "document": {"$gte": 30}})",
          R"({"place.city": "Oslo", "source": "chat"})", R"({"place": {"city": "Oslo"}})", R"({"document": {"$eq": 3, "$ne": 4}})",
          R"({"$and": [{"document": 5}, {"source": "chat"}]})", R"({"$or": [{"document": 5}, {"source": "chat"}]})",
          R"({"document": {"$gte": 38}})", R"({"document": {"$gt": 3, "$lte": 5.0}})", R"({"document": {"$lt": "3"}})",
          R"({"document": {"$gt": 3, "$lt": "9"}})", R"({"document": {"$gt": 5, "$lt": 5}})", R"({"place.city": {"$gte": "Oslp"}})",
          R"({"number": {"$lt": 100000000}, "source": "mail"})", R"({"$and": [{"document": {"$gt": 30}}, {"document": {"$lt": 32}}]})",
          R"({"number": {"$lt": 2000000000}})", R"({"number": {"$lt": 3000000000}, "document": {"$gt": 30}})",
          R"({"document": {"$gt": 30}, "number": {"$lt": 3000000000}})",
          R"({"on": {"$gte": "2025-06-15"}})", R"({"on": {"$gt": "2025-06-15T09", "$lte": "2025-07-10T08"}})",
          R"({"$or": [{"number": {"$lt": 2000000000}}, {"document": 5}]})", R"({"document": {"$gt": 3, "$exists": false}})",
          R"({"$not": {"document": 5}})", R"({"document": {"$not": {"$eq": 5}}})", R"({"document": 999})"}) {
      check(filter);
    }
  }

  std::mt19937 random{5};
  std::map<std::string, json::object> known;
  Index index{IndexConfig{.dim = kDim}};
};

BOOST_FIXTURE_TEST_CASE(they_find_the_same_while_records_come_and_go, Described) {
  add(0, 3000);
  check_all();
  add(3000, 3500);
  for (int i = 0; i < 3500; i += 7) remove(i);
  add(1000, 1300);  // with other metadata
  add(5000, 5200);  // where others were
  check_all();
  index.consolidate("ana", true);
  check_all();
}

BOOST_FIXTURE_TEST_CASE(a_large_user_is_left_open_as_well, Described) {
  add(0, 9500);
  check_all();
  add(6000, 7000);
  check_all();
}

BOOST_FIXTURE_TEST_CASE(fields_beyond_the_most_are_asked_of_each_record, Described) {
  add(0, 2000);
  for (size_t i = 0; i < FieldCodes::kMost; ++i) check(R"({"other)" + std::to_string(i) + R"(": 1})");
  check_all();
}

BOOST_FIXTURE_TEST_CASE(a_range_of_a_field_without_keys_is_asked_beside_one_with, Described) {
  add(0, 2000);
  for (size_t i = 1; i < FieldKeys::kMost; ++i) check(R"({"other)" + std::to_string(i) + R"(": {"$gt": 1}})");
  check(R"({"number": {"$lt": 3000000000}, "document": {"$gt": 30}})");
  check(R"({"document": {"$gt": 30}, "number": {"$lt": 3000000000}})");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
