// Filters by time of more records than are looked at one by one, against records that are.
#include "query/time_filter.hpp"

#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <random>

#include "support/amount.hpp"
#include "support/recency.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(time_filter)

using test::Ids;
using test::Item;

constexpr Micros kTimes = 400;  // what times are drawn from
constexpr Micros kPast = 1'000;

class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  Micros below(Micros bound) { return static_cast<Micros>(random_() % static_cast<unsigned long>(bound)); }

  Micros time(Micros near) {
    const bool far = random_() % 8 == 0;
    return far ? below(kTimes) : std::clamp<Micros>(near + below(21) - 10, 0, kTimes);
  }

  // Mostly in the order of time, as records come.
  Item item(unsigned number, Micros near) {
    Item item = {.id = "r" + std::to_string(number), .at = time(near), .text = "word w" + std::to_string(number % 7)};
    item.recorded_at = time(near);
    item.embedding = {1.0f, static_cast<float>(number % 13)};
    if (random_() % 6 == 0) item.until = item.at + below(100);
    if (random_() % 4 == 0) {
      item.retired_at = item.recorded_at + below(200);
      const std::array<std::string, 4> notes = {"", R"({"ended": {"by": []}})", R"({"ended": {"until": 1000000000000000000}})",
                                                "{\"ended\": {\"until\": " + std::to_string(item.at + 50) + "}}"};
      item.metadata = notes[random_() % notes.size()];
      item.until = item.at + below(50);
    }
    if (random_() % 40 == 0) item.expires_at = kPast;
    return item;
  }

  void put(const std::vector<Item>& items) {
    test::add(*index_, items);
    for (const Item& item : items) records_[item.id] = item;
  }

  void fill(unsigned count) {
    std::vector<Item> items;
    for (unsigned i = 0; i < count; ++i) items.push_back(item(i, Micros{i} * kTimes / count));
    put(items);
  }

  void change(unsigned changes) {
    for (unsigned i = 0; i < changes; ++i) {
      auto one = records_.begin();
      std::advance(one, static_cast<long>(random_() % records_.size()));
      if (random_() % 2 == 0) {
        test::remove(*index_, "ana", {one->first});
        records_.erase(one);
      } else {
        put({item(static_cast<unsigned>(random_() % 3000), below(kTimes))});
      }
    }
  }

  void save_and_load() {
    const auto path = std::filesystem::temp_directory_path() / ("memspan-times-" + std::to_string(getpid()));
    index_->save(path.string(), "s");
    index_ = Index::load(path.string());
    std::filesystem::remove(path);
  }

  bool admits(const Item& item, const Query& query) const {
    if (item.expires_at <= kPast) return false;
    if (!query.as_of && !query.valid_at && item.retired_at != kForever) return false;
    if (query.as_of && (item.recorded_at > *query.as_of || item.retired_at <= *query.as_of)) return false;
    if (query.valid_at) {
      Micros until = item.until;
      if (query.as_of && item.retired_at != kForever && *query.as_of < item.retired_at) {
        const bool named = !item.metadata.empty() && !item.metadata.ends_with("000000}}") && !item.metadata.ends_with("[]}}");
        until = named ? item.at + 50 : kForever;
      }
      if (item.at > *query.valid_at || *query.valid_at >= until) return false;
    }
    if (!query.between) return true;
    return std::any_of(query.between->begin(), query.between->end(),
                       [&](const Interval& one) { return one.start <= item.at && item.at < one.end; });
  }

  void check(Query query) {
    query.user = "ana";
    query.k = 10'000;
    Ids expected;
    for (const auto& [id, item] : records_) {
      if (admits(item, query)) expected.push_back(id);
    }
    std::sort(expected.begin(), expected.end());
    const auto sorted = [&] {
      Ids found = test::search_ids(*index_, query);
      std::sort(found.begin(), found.end());
      return found;
    };
    BOOST_TEST(sorted() == expected);  // a listing
    query.embedding = {1.0f, 2.0f};
    BOOST_TEST(sorted() == expected);
    query.k = 5;
    query.exact = true;
    const Ids best = test::search_ids(*index_, query);
    query.exact = false;
    BOOST_TEST(test::search_ids(*index_, query).size() == best.size());
    query.embedding.clear();
    query.text = "word";
    query.k = 10'000;
    BOOST_TEST(sorted() == expected);  // every record holds it
    newest(query, expected);
  }

  void check_all() {
    for (int i = 0; i < 40; ++i) {
      Query query;
      const auto some = [&]() -> std::optional<Micros> {
        return random_() % 2 == 0 ? std::nullopt : std::optional(below((kTimes + 100)));
      };
      query.as_of = some();
      query.valid_at = some();
      if (random_() % 2 == 0) {
        query.between.emplace();
        for (unsigned n = 0; n <= random_() % 3; ++n) {
          const Micros start = below(kTimes);
          query.between->push_back({start, start + below(kTimes)});
        }
      }
      check(query);
    }
  }

 private:
  // The first of a listing are its newest.
  void newest(Query query, const Ids& admitted) {
    query.text.reset();
    query.k = 7;
    Ids expected = admitted;
    const auto newness = [this](const std::string& id) { return test::newness(records_.at(id).at, id); };
    std::sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) { return newness(a) > newness(b); });
    expected.resize(std::min<size_t>(7, expected.size()));
    BOOST_TEST(test::search_ids(*index_, query) == expected);
  }

  std::mt19937 random_;
  std::unique_ptr<Index> index_ = std::make_unique<Index>(IndexConfig{.dim = 2});
  std::map<std::string, Item> records_;
};

BOOST_AUTO_TEST_CASE(few_records_are_looked_at) {
  Machine machine(1);
  machine.fill(300);
  machine.check_all();
}

BOOST_AUTO_TEST_CASE(many_records_in_the_order_of_time) {
  Machine machine(2);
  machine.fill(3000);
  machine.check_all();
}

BOOST_AUTO_TEST_CASE(slots_that_are_used_again) {
  Machine machine(3);
  machine.fill(2500);
  machine.change(1500);
  machine.check_all();
}

BOOST_AUTO_TEST_CASE(after_a_snapshot) {
  Machine machine(4);
  machine.fill(2500);
  machine.change(300);
  machine.save_and_load();
  machine.check_all();
  machine.change(300);
  machine.check_all();
}

BOOST_AUTO_TEST_CASE(after_a_compaction) {
  Machine machine(5);
  machine.fill(test::amount(8000));
  machine.change(test::amount(14000));
  machine.check_all();
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
