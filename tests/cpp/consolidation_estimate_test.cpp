// What a consolidation is expected to bring, from cohesion, the size of clusters and fragmentation, against the rows that
// searches for a topic read; and that it leads to as much work as it should.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <numeric>
#include <random>
#include <utility>

#include "index/cohesion_sample.hpp"
#include "index/consolidation.hpp"
#include "memspan/consolidation.hpp"
#include "support/records.hpp"
#include "vectors/k_means.hpp"
#include "vectors/layout_builder.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(consolidation_estimate)

using test::Item;

constexpr size_t kDim = 48;
constexpr size_t kTopics = 40;  // and as many to come

// What people talk of: records of one topic have cosines of about .7.
class Topics {
 public:
  explicit Topics(std::mt19937& random) : random_(random) {
    for (size_t i = 0; i < 2 * kTopics; ++i) centers_.push_back(test::random_vector(kDim, random_));
  }
  size_t any(size_t first) { return first + random_() % kTopics; }
  std::vector<float> near(size_t topic) {
    std::vector<float> vector = test::random_vector(kDim, random_);
    for (size_t d = 0; d < kDim; ++d) vector[d] = 0.6f * vector[d] + centers_[topic][d];
    return vector;
  }
  std::vector<std::string> tags(size_t topic) {
    return {"topic" + std::to_string(topic), "detail" + std::to_string(topic * 3 + random_() % 3)};
  }

 private:
  std::mt19937& random_;
  std::vector<std::vector<float>> centers_;
};

// A user's columns, laid out by hand, so that clusters may get as loose as they would never be left.
class ByHand {
 public:
  void add(size_t count, size_t first_topic) {
    for (size_t i = 0; i < count; ++i) {
      const size_t topic = topics_.any(first_topic);
      const auto slot = static_cast<Slot>(of_slot_.size());
      of_slot_.push_back(topic);
      columns_.tags.add_record(slot, topics_.tags(topic));
      columns_.vectors.add(slot, slot, topics_.near(topic));
      columns_.ats.resize(slot + size_t{1});
    }
  }
  void remove_every(size_t step) {
    for (Slot slot = 0; slot < of_slot_.size(); slot += static_cast<Slot>(step)) {
      columns_.tags.remove_record(slot, [](TagId) {});
      columns_.vectors.remove(slot);
    }
  }
  void lay_out(bool anew) {
    LayoutInput input{kDim};
    if (!anew) input.base = columns_.vectors.layout();
    columns_.vectors.begin_layout();
    collect_rows(columns_, columns_.vectors.pin_rows(), 0, static_cast<Slot>(of_slot_.size()), input);
    if (!anew) join_all(input);
    BuiltLayout built = anew ? plan_layout(input) : extend_layout(input);
    VectorTable::Places places;
    places.resize(of_slot_.size(), VectorTable::kNowhere);
    for (uint32_t p = 0; p < built.layout->size; ++p) places[built.layout->rows.slot(p)] = p;
    built.layout->cohesion_now = cohesion(built.layout.get(), false).laid_out;
    if (anew) built.layout->cohesion = built.layout->cohesion_now;
    columns_.vectors.offer_layout(std::move(built.layout), std::move(places), built.max_scale);
    columns_.vectors.install_layout();
  }
  // Of clusters that are found anew; `blind`: as if nothing were known of cohesion.
  double estimated(bool blind) const {
    return estimate_reading(columns_.vectors, blind ? Cohesion() : cohesion(columns_.vectors.layout(), true)).gain(true);
  }
  // Rows that searches for the topics of the records read, each as deep as a search by tag and embedding.
  double read() {
    constexpr size_t kDepth = 100;
    constexpr int kQueries = 150;
    VectorScratch scratch;
    VectorSearchStats stats;
    random_.seed(99);  // the same each time
    for (int i = 0; i < kQueries; ++i) {
      std::vector<float> query = topics_.near(of_slot_[random_() % of_slot_.size()]);
      normalize(query, query.data());
      columns_.vectors.nearest(query.data(), kDepth, 0.995f, {}, scratch, stats);
    }
    return static_cast<double>(stats.rows_read) / kQueries;
  }

 private:
  // Strangers, too, which extend_layout would give blocks of their own.
  static void join_all(LayoutInput& input) {
    const auto nearest = assign(input.rows, input.base->centroids, input.base->blocks.size());
    for (size_t i = 0; i < input.blocks.size(); ++i) {
      if (input.blocks[i] == kNoCluster) input.blocks[i] = nearest[i];
    }
  }
  Cohesion cohesion(const ClusterLayout* layout, bool fresh) const {
    CohesionSample sample;
    if (!fresh) sample.leave_out_late();
    while (sample.step(layout, columns_.vectors, columns_.tags)) {
    }
    return sample.measure();
  }

  std::mt19937 random_{5};
  Topics topics_{random_};
  UserColumns columns_{kDim};
  std::vector<size_t> of_slot_;  // its topic
};

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i);
  return rank;
}

// Spearman's, of values that are all different.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  double squares = 0.0;
  for (size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  const auto n = static_cast<double>(x.size());
  return 1.0 - 6.0 * squares / (n * (n * n - 1.0));
}

struct State {
  size_t strangers = 0;  // of 2,400 records that joined, of topics that are new
  size_t fresh = 0;
  size_t removed_step = 0;  // 0: none
};

struct Gains {
  double estimated, blind, real;
};

Gains gains(const State& state) {
  ByHand user;
  user.add(3000, 0);
  user.lay_out(true);
  user.add(state.strangers, kTopics);
  user.add(2400 - state.strangers, 0);
  user.lay_out(false);
  user.add(state.fresh, 0);
  if (state.removed_step > 0) user.remove_every(state.removed_step);
  const double estimated = user.estimated(false);
  const double blind = user.estimated(true);
  const double before = user.read();
  user.lay_out(true);
  return {estimated, blind, before / user.read()};
}

BOOST_AUTO_TEST_CASE(of_as_many_rows_the_looser_have_more_to_gain) {
  std::vector<double> estimated, real;
  for (const size_t strangers : {size_t{0}, size_t{800}, size_t{1600}, size_t{2400}}) {
    const Gains found = gains({.strangers = strangers});
    BOOST_TEST_MESSAGE(strangers << ": estimated " << found.estimated << ", real " << found.real);
    if (!real.empty()) {
      BOOST_TEST(found.estimated > 1.05 * estimated.back());
      BOOST_TEST(found.real > real.back());
    }
    estimated.push_back(found.estimated);
    real.push_back(found.real);
  }
  BOOST_TEST(estimated.front() < 1.0);
  BOOST_TEST(estimated.back() > 1.5);
  BOOST_TEST(real.back() > 1.5);
}

// Eighteen states of what the case before makes four of: for the answer, not for what is read.
BOOST_AUTO_TEST_CASE(the_estimate_ranks_states_as_the_rows_read_do, *boost::unit_test::label("long_under_asan")) {
  std::vector<double> estimated, blind, real;
  for (const size_t strangers : {size_t{0}, size_t{800}, size_t{2400}}) {
    for (const size_t fresh : {size_t{0}, size_t{350}, size_t{1500}}) {
      for (const size_t step : {size_t{0}, size_t{3}}) {
        const Gains found = gains({strangers, fresh, step});
        BOOST_TEST_MESSAGE(strangers << " strangers, " << fresh << " fresh, each " << step << "th removed: estimated "
                                     << found.estimated << ", real " << found.real);
        estimated.push_back(found.estimated);
        blind.push_back(found.blind);
        real.push_back(found.real);
      }
    }
  }
  BOOST_TEST_MESSAGE("rank correlation " << rank_correlation(estimated, real) << ", without cohesion "
                                         << rank_correlation(blind, real));
  BOOST_TEST(rank_correlation(estimated, real) > 0.9);
  BOOST_TEST(rank_correlation(estimated, real) > rank_correlation(blind, real));
}

struct Whole {
  std::mt19937 random{7};
  Topics topics{random};
  Index index{IndexConfig{.dim = kDim}};
  int next = 0;

  Item item(const std::string& user, size_t topic) {
    Item item{.id = "r" + std::to_string(next++), .at = static_cast<Micros>(random() % 1000), .text = "word"};
    item.user = user;
    item.embedding = topics.near(topic);
    item.tags = topics.tags(topic);
    return item;
  }
  void add(const std::string& user, size_t count, size_t first_topic) {
    std::vector<Item> items;
    for (size_t i = 0; i < count; ++i) items.push_back(item(user, topics.any(first_topic)));
    test::add(index, items);
  }
  uint64_t settled() {
    index.finish_consolidations();
    return index.auto_consolidations().done;
  }
  // After each change, so that how fast the thread is makes no difference.
  void settle_without(size_t first, size_t count) {
    settled();
    for (size_t i = first; i < first + count; ++i) {
      test::remove(index, "ana", {"r" + std::to_string(i)});
      settled();
    }
  }
  double read(size_t first_topic) {
    constexpr int kQueries = 100;
    double rows = 0.0;
    for (int i = 0; i < kQueries; ++i) {
      const size_t topic = topics.any(first_topic);
      Query query{.user = "ana", .embedding = topics.near(topic), .k = 10, .explain = true};
      query.tags = {"topic" + std::to_string(topic)};
      rows += index.search(query).explanation->rows_read / double{kQueries};
    }
    return rows;
  }
};

// The same rows, fresh ones too; but one's belong to the clusters that there are, and the other's to none.
BOOST_FIXTURE_TEST_CASE(strangers_are_noticed_before_they_join, Whole) {
  for (const char* user : {"ana", "ben"}) {
    add(user, 3000, 0);
    index.consolidate(user, true);
  }
  add("ana", 2000, 0);
  add("ben", 2000, kTopics);
  const ConsolidationReport familiar = index.consolidate("ana", false);
  const ConsolidationReport strange = index.consolidate("ben", false);
  BOOST_TEST(familiar.clustered_anew == 0u);
  BOOST_TEST(strange.clustered_anew == 1u);
  BOOST_TEST(familiar.estimated_gain != strange.estimated_gain);
  BOOST_TEST(familiar.cohesion_after > 0.7);
  BOOST_TEST(strange.cohesion_after > 0.7);
  for (const char* user : {"ana", "ben"}) BOOST_TEST(index.consolidate(user, false).skipped == 1u);
}

BOOST_FIXTURE_TEST_CASE(a_skipped_users_report_says_how_the_user_lies, Whole) {
  add("ana", 3000, 0);
  const ConsolidationReport done = index.consolidate("ana", true);
  add("ana", 20, 0);
  const ConsolidationReport skipped = index.consolidate("ana", false);
  BOOST_TEST(skipped.skipped == 1u);
  BOOST_TEST(skipped.records == 0u);
  BOOST_TEST(skipped.rows == 3020u);
  BOOST_TEST(skipped.blocks_before == done.blocks_after);
  BOOST_TEST(skipped.blocks_after == done.blocks_after);
  BOOST_TEST(skipped.fragmentation_before == 20.0 / 3020.0);
  BOOST_TEST(skipped.fragmentation_after == skipped.fragmentation_before);
  BOOST_TEST(skipped.cohesion_before > 0.7);
  BOOST_TEST(skipped.cohesion_before < done.cohesion_after);  // the fresh rows are of all topics
  BOOST_TEST(skipped.cohesion_after == skipped.cohesion_before);
  BOOST_TEST(skipped.estimated_gain > 1.03);
  BOOST_TEST(skipped.estimated_gain < kWorthwhileGain);
  // Means count them as well.
  add("ben", 3000, 0);
  const ConsolidationReport both = index.consolidate_all(false);
  BOOST_TEST(both.skipped == 1u);
  BOOST_TEST(both.rows == 6020u);
  BOOST_TEST(both.records == 3000u);
  BOOST_TEST(both.fragmentation_before > 0.5);
  BOOST_TEST(both.fragmentation_before < 0.53);
}

// A user of steady size never doubles. Clusters have to be found anew all the same when the topics have become others.
BOOST_FIXTURE_TEST_CASE(a_user_who_comes_to_talk_of_other_things_is_laid_out_for_them, Whole) {
  constexpr size_t kSize = 3000;
  index.consolidate_by_itself();
  add("ana", kSize, 0);
  settled();
  for (size_t gone = 0; gone < kSize; gone += 300) {
    add("ana", 300, kTopics);
    settle_without(gone, 300);
  }
  index.consolidate("ana", false);  // the rows that came last
  const double now = read(kTopics);
  index.consolidate("ana", true);
  const double anew = read(kTopics);
  BOOST_TEST_MESSAGE(now << " rows read, " << anew << " in clusters that were found anew");
  BOOST_TEST(now < kWorthPlanning * anew);
}

// Tags that have nothing to do with the vectors, and are ever more: clusters come loose, as it seems, and finding them anew
// does not help. The user does not grow.
BOOST_FIXTURE_TEST_CASE(what_cannot_be_mended_is_not_tried_again_and_again, Whole,
                        *boost::unit_test::label("long_under_asan")) {
  constexpr size_t kSize = 2000;
  constexpr size_t kStep = 400;
  index.consolidate_by_itself();
  size_t oldest = 0;
  uint64_t before = 0;
  uint64_t anew = 0;
  for (size_t tags = 1; tags <= 256; tags *= 2) {
    for (size_t added = 0; added < kSize; added += kStep) {
      std::vector<Item> items;
      for (size_t i = 0; i < kStep; ++i) {
        items.push_back(item("ana", topics.any(0)));
        items.back().tags = {"random" + std::to_string(tags + random() % tags)};
      }
      test::add(index, items);
      if (tags > 1) settle_without(std::exchange(oldest, oldest + kStep), kStep);
      const uint64_t done = settled();
      BOOST_REQUIRE(done - before <= AutoConsolidations::kReports);
      const std::vector<ConsolidationReport> reports = index.auto_consolidations().reports;
      for (size_t i = reports.size() - (done - before); tags > 1 && i < reports.size(); ++i) anew += reports[i].clustered_anew;
      BOOST_TEST(done - before <= 3u);
      before = done;
    }
  }
  BOOST_TEST_MESSAGE(before << " consolidations; of a user of this size, " << anew << " found clusters anew");
  BOOST_TEST(anew <= 5u);  // not even once for as many rows as the user has, for what their vectors are like
  index.consolidate("ana", false);
  BOOST_TEST(index.consolidate("ana", false).skipped == 1u);
  BOOST_TEST(settled() == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
