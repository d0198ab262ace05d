// Approximate searches keep their promise whatever a user went through: topics that change, removals, consolidations of both
// kinds, and snapshots.
#include <boost/test/unit_test.hpp>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "memspan/index.hpp"
#include "support/clustered.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(recall_over_histories)

using test::Item;

constexpr size_t kDim = 48;

class History {
 public:
  explicit History(unsigned seed) : random_(seed), topics_(kDim, 24, random_) {
    add(3000);
    index_->consolidate("ana", true);
  }

  void go_on() {
    switch (random_() % 8) {
      case 0:
      case 1:
        topics_ = test::ClusteredVectors(kDim, 3 + random_() % 12, random_);
        [[fallthrough]];
      case 2:
      case 3:
        add(std::vector<size_t>{120, 250, 400, 1200}[random_() % 4]);
        break;
      case 4:
        remove_some();
        break;
      case 5:
        load_anew();
        break;
      default:
        break;
    }
    index_->consolidate("ana", random_() % 8 == 0);
  }
  // Of the ten best of questions about what is talked of now, at one time or whenever.
  void look(size_t& found, size_t& wanted) {
    for (int i = 0; i < 30; ++i) {
      Query probe{.user = "ana", .embedding = topics_.near(random_()), .k = 10};
      if (i % 3 == 2) probe.between = {{{next_ / 4, next_ / 2}}};
      Query exact = probe;
      exact.exact = true;
      std::set<std::string> best;
      for (const Hit& hit : index_->search(exact).hits) best.insert(hit.id);
      for (const Hit& hit : index_->search(probe).hits) found += best.contains(hit.id);
      wanted += best.size();
    }
  }

 private:
  void add(size_t count) {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) {
      items.push_back({.id = "r" + std::to_string(next_), .at = next_});
      items.back().embedding = topics_.near(random_());
      ++next_;
    }
    test::add(*index_, items);
  }
  void remove_some() {
    const bool oldest = random_() % 2 == 0;
    std::vector<std::string> gone;
    for (Micros i = 0; i < next_; ++i) {
      if (oldest ? i < next_ / 3 : random_() % 4 == 0) gone.push_back("r" + std::to_string(i));
    }
    const std::vector<std::string_view> ids(gone.begin(), gone.end());
    index_->remove("ana", ids);
  }
  void load_anew() {
    const test::TemporaryDirectory directory;
    index_->save(directory.file("index"), "");
    index_ = Index::load(directory.file("index"));
  }

  std::mt19937 random_;
  test::ClusteredVectors topics_;
  std::unique_ptr<Index> index_ = std::make_unique<Index>(IndexConfig{.dim = kDim});
  Micros next_ = 0;
};

BOOST_AUTO_TEST_CASE(what_is_talked_of_now_is_found) {
  size_t found_of_all = 0;
  size_t wanted_of_all = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    BOOST_TEST_CONTEXT("history " << seed) {
      History history(seed);
      for (int step = 0; step < 8; ++step) {
        history.go_on();
        size_t found = 0;
        size_t wanted = 0;
        history.look(found, wanted);
        BOOST_TEST_CONTEXT("step " << step) { BOOST_TEST(static_cast<double>(found) >= 0.98 * static_cast<double>(wanted)); }
        found_of_all += found;
        wanted_of_all += wanted;
      }
    }
  }
  BOOST_TEST_MESSAGE("recall " << static_cast<double>(found_of_all) / static_cast<double>(wanted_of_all) << " of " << wanted_of_all);
  BOOST_TEST(static_cast<double>(found_of_all) >= 0.999 * static_cast<double>(wanted_of_all));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
