#include "ranking/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace memspan {
namespace {

constexpr float kTopOffset = 3.0f;
constexpr uint32_t kShortTokens = 12;
// From here on length says nothing more: weights learned from chats must not run away on long replies.
constexpr uint32_t kLongTokens = 40;
constexpr uint64_t kGrace = uint64_t{3} * 24 * 3600 * 1'000'000;

// ln(1) ... ln(kTabled), by what is 1 less; the native logarithm would take most of a feature row's time.
constexpr size_t kTabled = 4096;
const std::array<float, kTabled>& logarithms() {
  static const std::array<float, kTabled> table = [] {
    std::array<float, kTabled> logs;
    for (size_t i = 0; i < kTabled; ++i) logs[i] = std::log1p(static_cast<float>(i));
    return logs;
  }();
  return table;
}

float log_of(uint32_t rank) { return rank <= kTabled ? logarithms()[rank - 1] : std::log(static_cast<float>(rank)); }

// Of a view's list of `found`: a record that it does not hold counts as if it stood somewhat behind its end.
uint32_t rank_or_end(uint32_t rank, size_t found) {
  return rank != 0 ? rank : static_cast<uint32_t>(1 + found + found / 2);
}

// Of any two times, open ends among them.
uint64_t distance(Micros earlier, Micros later) {
  return static_cast<uint64_t>(later) - static_cast<uint64_t>(earlier);
}

float hinted(Micros at, std::span<const Interval> hints) {
  float best = 0.0f;
  for (const Interval& hint : hints) {
    if (hint.start <= at && at < hint.end) return 1.0f;
    const bool beside = at < hint.start ? distance(at, hint.start) <= kGrace : distance(hint.end, at) < kGrace;
    if (beside) best = 0.5f;
  }
  return best;
}

float from_user(std::string_view speaker) { return speaker == "user" ? 1.0f : speaker == "assistant" ? -1.0f : 0.0f; }

}  // namespace

void fill_features(const FeatureSource& source, RankingPool::Position at, FeatureRow& row) {
  const auto& [user, prepared, finds, pool, evidence] = source;
  const Slot slot = pool.slots()[at];
  const RankingEvidence::Record& record = evidence.record(at);
  row.fill(0.0f);
  const auto set = [&row](RankFeature feature, float value) { row[static_cast<size_t>(feature)] = value; };
  const RankingPool::Position before = pool.neighbor(at, -1);
  const RankingPool::Position next = pool.neighbor(at, 1);
  const RankingEvidence::Record& one_before = evidence.record_or_mean(before);
  const RankingEvidence::Record& one_after = evidence.record_or_mean(next);
  const RankingEvidence::Record& two_before = evidence.record_or_mean(pool.neighbor(at, -2));
  const RankingEvidence::Record& two_after = evidence.record_or_mean(pool.neighbor(at, 2));
  const auto list_size = [&](View view) { return finds[static_cast<size_t>(view)].size(); };

  if (prepared.has(View::semantic)) {
    const uint32_t rank = rank_or_end(pool.rank(at, View::semantic), list_size(View::semantic));
    set(RankFeature::cosine, record.cosine);
    set(RankFeature::cosine_z, record.cosine_z);
    set(RankFeature::cosine_rank, -log_of(rank));
    set(RankFeature::cosine_top, 4.0f / (static_cast<float>(rank) + kTopOffset));
    set(RankFeature::before_cosine, one_before.cosine_z);
    set(RankFeature::after_cosine, one_after.cosine_z);
    set(RankFeature::near_cosine, 0.5f * (two_before.cosine_z + two_after.cosine_z));
    set(RankFeature::with_before, record.with_before_z);
    set(RankFeature::with_after, next != RankingPool::kNobody ? one_after.with_before_z : record.cosine_z);
  }
  if (prepared.has(View::lexical)) {
    const uint32_t rank = rank_or_end(pool.rank(at, View::lexical), list_size(View::lexical));
    set(RankFeature::bm25_z, record.bm25_z);
    set(RankFeature::bm25_share, evidence.most_bm25() > 0.0f ? record.bm25 / evidence.most_bm25() : 0.0f);
    set(RankFeature::coverage, evidence.share_of_words(record.words));
    set(RankFeature::bm25_rank, -log_of(rank));
    set(RankFeature::bm25_top, 4.0f / (static_cast<float>(rank) + kTopOffset));
    set(RankFeature::before_bm25, one_before.bm25_z);
    set(RankFeature::after_bm25, one_after.bm25_z);
    set(RankFeature::near_bm25, 0.5f * (two_before.bm25_z + two_after.bm25_z));
    set(RankFeature::named, record.named ? 1.0f : 0.0f);
    set(RankFeature::other_named, evidence.anyone_named() && !record.named ? 1.0f : 0.0f);
  }
  if (pool.session(at) != RankingPool::kNoSession) {
    const RankingEvidence::Session& session = evidence.session(pool.session(at));
    set(RankFeature::session_cosine, session.cosine[0]);
    set(RankFeature::session_cosines, session.cosines);
    set(RankFeature::session_bm25, session.bm25[0]);
    set(RankFeature::session_bm25s, session.bm25s);
    set(RankFeature::session_coverage, session.coverage);
  } else {
    set(RankFeature::session_cosine, record.cosine_z);
    set(RankFeature::session_cosines, record.cosine_z);
    set(RankFeature::session_bm25, record.bm25_z);
    set(RankFeature::session_bm25s, record.bm25_z);
    set(RankFeature::session_coverage, evidence.share_of_words(record.words));
  }
  const TextTraits traits = user.attributes.traits(slot);
  set(RankFeature::from_user, from_user(user.attributes.speaker_text(slot)));
  set(RankFeature::asks, (traits & kEndsWithQuestion) != 0 ? 1.0f : 0.0f);
  set(RankFeature::has_question, (traits & kHasQuestion) != 0 ? 1.0f : 0.0f);
  const bool asked = before != RankingPool::kNobody &&
                     (user.attributes.traits(pool.slots()[before]) & kEndsWithQuestion) != 0;
  set(RankFeature::after_question, asked ? 1.0f : 0.0f);
  const uint32_t tokens = user.lexical.length(slot);
  set(RankFeature::length, log_of(1 + std::min(tokens, kLongTokens)));
  set(RankFeature::short_text, tokens < kShortTokens ? 1.0f : 0.0f);
  set(RankFeature::hinted, hinted(user.ats[slot], prepared.query->ranking->hints));
  if (const uint32_t rank = pool.rank(at, View::symbolic); rank != 0) {
    set(RankFeature::tagged, finds[static_cast<size_t>(View::symbolic)][rank - 1].score);
  }
}

}  // namespace memspan
