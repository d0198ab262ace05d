// What a record's evidence becomes, feature by feature, on users small enough to see it. Whole rows are compared with a
// plain oracle in tests/property.
#include "ranking/features.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "support/ranking_user.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(ranking_features)

using enum RankFeature;
using test::RankingUser;

constexpr Micros kDay = 24 * 3600 * test::kSecond;

bool close(float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-5 * std::max(1.0, std::abs(b)); }

BOOST_AUTO_TEST_CASE(names_are_those_of_the_features) {
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(cosine)] == "cosine");
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(bm25_z)] == "bm25_z");
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(with_after)] == "with_after");
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(session_coverage)] == "session_coverage");
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(after_question)] == "after_question");
  BOOST_TEST(kRankFeatureNames[static_cast<size_t>(tagged)] == "tagged");
  for (size_t a = 0; a < kRankFeatures; ++a) {
    BOOST_TEST(!kRankFeatureNames[a].empty());
    for (size_t b = 0; b < a; ++b) BOOST_TEST(kRankFeatureNames[a] != kRankFeatureNames[b]);
  }
}

// Three turns of a session, of which words find the second.
struct Turns : RankingUser {
  Turns() : RankingUser(2) {
    add({.id = "a", .at = 1, .text = "shall we sail?", .embedding = {1.0f, 1.0f}, .session = "s", .speaker = "user"});
    add({.id = "b", .at = 2, .text = "boat boat", .embedding = {1.0f, 0.0f}, .session = "s", .speaker = "assistant"});
    add({.id = "c", .at = 3, .text = "yes? no", .embedding = {0.0f, 1.0f}, .session = "s", .speaker = "Ana"});
    add({.id = "d", .at = 4, .text = std::string(200, 'x'), .embedding = {-1.0f, 0.0f}});
    query.embedding = {1.0f, 0.0f};
    query.text = "boat";
    ask();
  }
};

BOOST_FIXTURE_TEST_CASE(ranks_count_by_their_logarithm_and_their_inverse, Turns) {
  BOOST_TEST(close(feature(1, cosine_rank), 0.0));  // b, a, c, d
  BOOST_TEST(close(feature(0, cosine_rank), -std::log(2.0)));
  BOOST_TEST(close(feature(3, cosine_rank), -std::log(4.0)));
  BOOST_TEST(close(feature(1, cosine_top), 1.0));
  BOOST_TEST(close(feature(0, cosine_top), 4.0 / 5.0));
  BOOST_TEST(close(feature(1, bm25_top), 1.0));
  // Behind the end of a list of one.
  BOOST_TEST(close(feature(0, bm25_rank), -std::log(2.0)));
  BOOST_TEST(close(feature(0, bm25_top), 4.0 / 5.0));
}

BOOST_FIXTURE_TEST_CASE(neighbours_count_by_their_own_evidence, Turns) {
  BOOST_TEST(feature(1, cosine) == 1.0f);
  for (const auto& [before, after, z, value] :
       {std::tuple{before_cosine, after_cosine, cosine_z, 0}, std::tuple{before_bm25, after_bm25, bm25_z, 1}}) {
    BOOST_TEST(feature(0, before) == 0.0f, value);  // none
    BOOST_TEST(feature(0, after) == feature(1, z), value);
    BOOST_TEST(feature(1, before) == feature(0, z), value);
    BOOST_TEST(feature(1, after) == feature(2, z), value);
    BOOST_TEST(feature(2, after) == 0.0f, value);
    BOOST_TEST(feature(3, before) == 0.0f, value);
  }
  BOOST_TEST(feature(1, near_cosine) == 0.0f);
  BOOST_TEST(feature(0, near_cosine) == 0.5f * feature(2, cosine_z));
  BOOST_TEST(feature(2, near_bm25) == 0.5f * feature(0, bm25_z));
  // With a neighbour together; alone where there is none.
  BOOST_TEST(feature(0, with_before) == feature(0, cosine_z));
  BOOST_TEST(feature(0, with_after) == feature(1, with_before));
  BOOST_TEST(feature(2, with_after) == feature(2, cosine_z));
  BOOST_TEST(feature(3, with_before) == feature(3, cosine_z));
  const float both = static_cast<float>(std::cos(std::acos(-1.0) / 8));  // halfway between b and a
  const float mean = (feature(1, cosine) + feature(0, cosine) + feature(2, cosine) + feature(3, cosine)) / 4.0f;
  const float deviation = (feature(1, cosine) - mean) / feature(1, cosine_z);
  BOOST_TEST(close(feature(1, with_before), static_cast<double>((both - mean) / deviation)));
}

BOOST_FIXTURE_TEST_CASE(sessions_count_by_their_best, Turns) {
  for (const Slot slot : {0u, 1u, 2u}) {
    BOOST_TEST(feature(slot, session_cosine) == feature(1, cosine_z));
    BOOST_TEST(close(feature(slot, session_cosines),
                     static_cast<double>(feature(0, cosine_z) + feature(1, cosine_z) + feature(2, cosine_z)) / 3.0));
    BOOST_TEST(feature(slot, session_bm25) == feature(1, bm25_z));
    BOOST_TEST(feature(slot, session_coverage) == 1.0f);
  }
  // Without a session a record stands for its own.
  BOOST_TEST(feature(3, session_cosine) == feature(3, cosine_z));
  BOOST_TEST(feature(3, session_cosines) == feature(3, cosine_z));
  BOOST_TEST(feature(3, session_bm25) == feature(3, bm25_z));
  BOOST_TEST(feature(3, session_bm25s) == feature(3, bm25_z));
  BOOST_TEST(feature(3, session_coverage) == 0.0f);
}

BOOST_FIXTURE_TEST_CASE(words_count_by_their_share, Turns) {
  BOOST_TEST(feature(1, coverage) == 1.0f);
  BOOST_TEST(feature(0, coverage) == 0.0f);
  BOOST_TEST(feature(1, bm25_share) > 0.3f);
  BOOST_TEST(feature(1, bm25_share) < 1.0f);
  BOOST_TEST(feature(0, bm25_share) == 0.0f);
  query.text = "boat nowhere nowhere";  // words that no record has count less
  ask();
  BOOST_TEST(feature(1, coverage) > 0.2f);
  BOOST_TEST(feature(1, coverage) < 0.6f);
}

BOOST_FIXTURE_TEST_CASE(texts_speakers_and_lengths_are_told, Turns) {
  BOOST_TEST(feature(0, from_user) == 1.0f);
  BOOST_TEST(feature(1, from_user) == -1.0f);
  BOOST_TEST(feature(2, from_user) == 0.0f);
  BOOST_TEST(feature(3, from_user) == 0.0f);
  BOOST_TEST(feature(0, asks) == 1.0f);
  BOOST_TEST(feature(0, has_question) == 1.0f);
  BOOST_TEST(feature(2, asks) == 0.0f);
  BOOST_TEST(feature(2, has_question) == 1.0f);
  BOOST_TEST(feature(1, has_question) == 0.0f);
  BOOST_TEST(feature(1, after_question) == 1.0f);
  BOOST_TEST(feature(2, after_question) == 0.0f);
  BOOST_TEST(feature(0, after_question) == 0.0f);
  BOOST_TEST(close(feature(0, length), std::log(4.0)));
  BOOST_TEST(feature(0, short_text) == 1.0f);
  BOOST_TEST(feature(1, named) == 0.0f);
  BOOST_TEST(feature(1, other_named) == 0.0f);
  query.text = "boat of ana";
  ask();
  BOOST_TEST(feature(2, named) == 1.0f);
  BOOST_TEST(feature(2, other_named) == 0.0f);
  BOOST_TEST(feature(1, other_named) == 1.0f);
  BOOST_TEST(feature(3, other_named) == 1.0f);  // nobody's
}

BOOST_AUTO_TEST_CASE(twelve_tokens_are_no_short_text) {
  RankingUser user(1);
  user.add({.id = "a", .text = "a b c d e f g h i j k boat"});
  user.add({.id = "b", .text = "a b c d e f g h i j boat"});
  user.query.text = "boat";
  user.ask();
  BOOST_TEST(user.feature(0, short_text) == 0.0f);
  BOOST_TEST(user.feature(1, short_text) == 1.0f);
}

BOOST_AUTO_TEST_CASE(a_long_text_is_as_long_as_a_very_long_one) {
  RankingUser user(1);
  for (const int words : {39, 40, 41, 5000}) {
    std::string text = "boat";
    for (int i = 1; i < words; ++i) text += " a";
    user.add({.id = std::to_string(words), .text = text});
  }
  user.query.text = "boat";
  user.ask();
  BOOST_TEST(close(user.feature(0, length), std::log(40.0)));
  for (Slot slot = 1; slot < 4; ++slot) BOOST_TEST(close(user.feature(slot, length), std::log(41.0)));
}

BOOST_AUTO_TEST_CASE(ranks_beyond_the_table_go_on) {
  RankingUser user(2);
  for (int i = 0; i < 4200; ++i) {
    user.add({.id = std::to_string(i), .at = i, .embedding = {1.0f, static_cast<float>(i)}});
  }
  user.query.embedding = {1.0f, 0.0f};
  user.query.depth = 4200;
  user.query.exact = true;
  user.ask();
  for (const Slot slot : {0u, 1u, 4094u, 4095u, 4096u, 4199u}) {
    BOOST_TEST(user.pool.rank(user.pool.find(slot), View::semantic) == slot + 1);
    BOOST_TEST(close(user.feature(slot, cosine_rank), -std::log(static_cast<double>(slot) + 1.0)));
  }
}

BOOST_AUTO_TEST_CASE(times_that_the_question_speaks_of_lift_theirs_and_those_beside) {
  constexpr Micros kStart = 100 * kDay;
  constexpr Micros kEnd = 101 * kDay;
  const std::vector<std::pair<Micros, float>> wanted = {
      {kStart, 1.0f},          {kEnd - 1, 1.0f},        {kEnd, 0.5f},
      {kEnd + 3 * kDay - 1, 0.5f}, {kEnd + 3 * kDay, 0.0f},
      {kStart - 3 * kDay, 0.5f}, {kStart - 3 * kDay - 1, 0.0f}, {kMinTime, 0.0f}, {kMaxTime, 0.0f}};
  RankingUser user(1);
  for (const auto& [at, value] : wanted) user.add({.id = std::to_string(at), .at = at, .text = "boat"});
  user.query.text = "boat";
  const auto ask = [&](std::vector<Interval> hints) {
    auto ranking = std::make_shared<Ranking>();
    ranking->hints = std::move(hints);
    user.query.ranking = ranking;
    user.ask();
  };
  ask({});
  for (Slot slot = 0; slot < wanted.size(); ++slot) BOOST_TEST(user.feature(slot, hinted) == 0.0f);
  ask({{kStart, kEnd}});
  for (Slot slot = 0; slot < wanted.size(); ++slot) BOOST_TEST(user.feature(slot, hinted) == wanted[slot].second, slot);
  // The best of several, whichever comes first.
  ask({{kStart - 50 * kDay, kStart - 40 * kDay}, {kStart, kEnd}, {kEnd, kEnd + 1}});
  BOOST_TEST(user.feature(0, hinted) == 1.0f);
  BOOST_TEST(user.feature(2, hinted) == 1.0f);
  ask({{kStart, kEnd}, {kEnd + kDay, kEnd + 2 * kDay}});
  BOOST_TEST(user.feature(0, hinted) == 1.0f);
  // Open ends, and ends that no record can have.
  const Interval open;
  ask({{open.start, kStart}});
  BOOST_TEST(user.feature(7, hinted) == 1.0f);
  BOOST_TEST(user.feature(0, hinted) == 0.5f);
  BOOST_TEST(user.feature(8, hinted) == 0.0f);
  ask({{kEnd, open.end}});
  BOOST_TEST(user.feature(8, hinted) == 1.0f);
  BOOST_TEST(user.feature(1, hinted) == 0.5f);
  BOOST_TEST(user.feature(7, hinted) == 0.0f);
  ask({{open.end - 1, open.end}, {open.start, open.start + 1}});
  for (Slot slot = 0; slot < wanted.size(); ++slot) BOOST_TEST(user.feature(slot, hinted) == 0.0f);
}

BOOST_AUTO_TEST_CASE(tags_count_by_their_weight) {
  RankingUser user(1);
  user.add({.id = "a", .text = "boat", .tags = {"sea", "sail"}});
  user.add({.id = "b", .text = "boat", .tags = {"sea"}});
  user.add({.id = "c", .text = "boat"});
  user.query.text = "boat";
  user.query.tags = {"sea", "sail"};
  user.ask();
  BOOST_TEST(user.feature(0, tagged) == 2.0f);
  BOOST_TEST(user.feature(1, tagged) == 1.0f);
  BOOST_TEST(user.feature(2, tagged) == 0.0f);
}

BOOST_FIXTURE_TEST_CASE(a_view_that_was_not_asked_tells_nothing, Turns) {
  const auto views = {cosine, cosine_z, cosine_rank, cosine_top, before_cosine, after_cosine,
                      near_cosine, with_before, with_after};
  const auto words = {bm25_z, bm25_share, coverage, bm25_rank, bm25_top, before_bm25, after_bm25,
                      near_bm25, named, other_named};
  query.embedding.clear();
  ask();
  for (const RankFeature each : views) BOOST_TEST(feature(1, each) == 0.0f);
  BOOST_TEST(feature(1, session_cosine) == 0.0f);
  query.embedding = {1.0f, 0.0f};
  query.text.reset();
  ask();
  for (const RankFeature each : words) BOOST_TEST(feature(1, each) == 0.0f);
  BOOST_TEST(feature(1, session_bm25) == 0.0f);
  BOOST_TEST(feature(1, session_coverage) == 0.0f);
}

BOOST_AUTO_TEST_CASE(a_user_without_words_or_vectors_gives_finite_rows) {
  RankingUser user(2);
  user.add({.id = "a", .session = "s"});
  user.add({.id = "b", .session = "s"});
  user.query.embedding = {1.0f, 0.0f};
  user.query.text = "boat";
  user.query.tags = {"sea"};
  user.ask();
  BOOST_TEST(user.pool.size() == 0u);
  user.add({.id = "c", .tags = {"sea"}, .session = "s"});
  user.ask();
  BOOST_TEST(user.pool.size() == 3u);
  for (Slot slot = 0; slot < 3; ++slot) {
    for (size_t f = 0; f < kRankFeatures; ++f) {
      BOOST_TEST(std::isfinite(user.feature(slot, static_cast<RankFeature>(f))));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
