#include "ranking/evidence.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "query/query_terms.hpp"

namespace memspan {
namespace {

// Cosines that the spread is estimated from: its deviation is then off by some 6 %.
constexpr size_t kSample = 128;
constexpr size_t kFewRare = 2048;  // of those are put in order: up to a tenth of a millisecond, next to nothing where they lie in it
constexpr float kLeastDeviation = 0.02f;
constexpr size_t kMaskedWords = 64;
// A word that no record holds counts less than the rarest that one does: most are filler or misspelt.
constexpr float kUnknownWord = 0.5f;
constexpr size_t kShortestName = 3;  // bytes of a word of a name that counts
// Reading postings one after the other against looking into a list for each record of the pool, with the pool sorted.
constexpr size_t kPostingsPerRecord = 16;

uint64_t bit_of(const TermCursor& term) { return term.word() < kMaskedWords ? uint64_t{1} << term.word() : 0; }

void keep_best(float (&best)[3], float score, uint32_t known) {
  size_t at = std::min<size_t>(known, 3);
  while (at > 0 && best[at - 1] < score) {
    if (at < 3) best[at] = best[at - 1];
    --at;
  }
  if (at < 3) best[at] = score;
}

}  // namespace

void RankingEvidence::gather(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                             const Admission& admission, const CandidateLists& finds, const RankingPool& pool) {
  records_.assign(pool.size(), {});
  all_words_ = most_bm25_ = 0.0f;
  word_weights_.clear();
  anyone_named_ = false;
  if (prepared.has(View::semantic)) {
    for (const Candidate& each : finds[static_cast<size_t>(View::semantic)]) {
      Record& record = records_[pool.find(each.slot)];
      record.cosine = each.score;
      record.has_vector = true;
    }
    gather_semantic(user, prepared, admission, pool);
  }
  const WordStatistics statistics = statistics_for(user, prepared);
  if (prepared.has(View::lexical) && statistics.documents() > 0) {
    gather_lexical(user, prepared, statistics, pool);
    gather_speakers(user, prepared, config, pool);
  }
  gather_sessions(pool);
  records_.emplace_back();  // nobody's
}

// Of so many records all over the order of time, which saving and loading do not change as they do slots; only
// where far fewer are admitted, and these are many all the same, in the order of slots, as putting them in order, or looking for
// them along the time, would take long.
Spread RankingEvidence::spread_of_cosines(const UserColumns& user, const float* query, const Admission& admission) {
  sample_cosines_.clear();
  sample_slots_.clear();
  const auto take = [&](Slot slot) { sample_slots_.push_back(slot); };
  const size_t step = std::max<size_t>(1, admission.count() / kSample);
  const bool in_spans = admission.form() == Admission::Form::spans;
  if (!in_spans && admission.rare() && !admission.open() && admission.count() <= kFewRare) {
    by_time_.clear();
    for (const Slot slot : admission.slots()) by_time_.emplace_back(user.ats[slot], slot);
    const auto earlier = [recency = user.recency()](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : recency(b.second, a.second);
    };
    if (!std::is_sorted(by_time_.begin(), by_time_.end(), earlier)) std::sort(by_time_.begin(), by_time_.end(), earlier);
    for (size_t i = 0; i < by_time_.size(); i += step) take(by_time_[i].second);
  } else if (in_spans || admission.rare()) {
    admission.for_every(step, take);
  } else {
    admission.for_every_by_time(step, take);
  }
  user.vectors.score_each(query, sample_slots_.size(), [&](size_t i) { return sample_slots_[i]; },
                          [&](size_t, float cosine) { sample_cosines_.push_back(cosine); });
  Spread spread;
  if (sample_cosines_.empty()) return spread;
  double sum = 0.0;
  double squares = 0.0;
  for (const float cosine : sample_cosines_) {
    sum += static_cast<double>(cosine);
    squares += static_cast<double>(cosine) * static_cast<double>(cosine);
  }
  const auto n = static_cast<double>(sample_cosines_.size());
  const double mean = sum / n;
  spread.mean = static_cast<float>(mean);
  spread.deviation = std::max(kLeastDeviation, static_cast<float>(std::sqrt(std::max(0.0, squares / n - mean * mean))));
  return spread;
}

void RankingEvidence::gather_semantic(const UserColumns& user, const PreparedQuery& prepared,
                                      const Admission& admission, const RankingPool& pool) {
  const float* const query = prepared.unit_embedding.data();
  const Spread spread = spread_of_cosines(user, query, admission);
  const std::span<const Slot> slots = pool.slots();
  unscored_.clear();
  for (RankingPool::Position at = 0; at < slots.size(); ++at) {
    if (!records_[at].has_vector) unscored_.push_back(at);
  }
  user.vectors.score_each(query, unscored_.size(), [&](size_t i) { return slots[unscored_[i]]; },
                          [&](size_t i, float cosine) {
                            records_[unscored_[i]].cosine = cosine;
                            records_[unscored_[i]].has_vector = true;
                          });
  for (Record& record : std::span(records_).first(slots.size())) {
    if (record.has_vector) record.cosine_z = spread.z(record.cosine);
  }
  // The cosine with the sum of two unit vectors.
  constexpr size_t kTogether = 8;
  std::array<RankingPool::Position, kTogether> ats;
  std::array<RankingPool::Position, kTogether> befores;
  std::array<Slot, kTogether> own;
  std::array<Slot, kTogether> previous;
  std::array<float, kTogether> cosines;
  size_t waiting = 0;
  const auto join = [&] {
    user.vectors.cosines(std::span(own).first(waiting), std::span(previous).first(waiting), cosines.data());
    for (size_t i = 0; i < waiting; ++i) {
      Record& record = records_[ats[i]];
      const float length = std::sqrt(std::max(1e-6f, 2.0f + 2.0f * cosines[i]));
      record.with_before_z = spread.z((record.cosine + records_[befores[i]].cosine) / length);
    }
    waiting = 0;
  };
  for (RankingPool::Position at = 0; at < slots.size(); ++at) {
    const RankingPool::Position before = pool.neighbor(at, -1);
    if (before == RankingPool::kNobody) records_[at].with_before_z = records_[at].cosine_z;
    if (before == RankingPool::kNobody || !records_[at].has_vector || !records_[before].has_vector) continue;
    ats[waiting] = at;
    befores[waiting] = before;
    own[waiting] = slots[at];
    previous[waiting] = slots[before];
    if (++waiting == kTogether) join();
  }
  join();
}

// The spread of BM25 follows from how many records hold each word, as if words came independently: a sample would
// hardly hold the rare ones.
void RankingEvidence::gather_lexical(const UserColumns& user, const PreparedQuery& prepared,
                                     const WordStatistics& statistics, const RankingPool& pool) {
  QueryTerms& terms = QueryTerms::of_thread();
  const Bm25& bm25 = terms.bm25;
  const auto documents = static_cast<double>(statistics.documents());
  double mean = 0.0;
  double variance = 0.0;
  for (const TermCursor& term : terms.cursors) {
    if (term.is_tail()) continue;  // the same word again
    const double share = std::min(1.0, static_cast<double>(term.records()) / documents);
    const auto usual = static_cast<double>(term.usual(bm25));
    mean += share * usual;
    variance += share * (1.0 - share) * usual * usual;
    all_words_ += term.weight();
    if (word_weights_.size() < kMaskedWords) word_weights_.push_back(term.weight());
  }
  // Words that no record holds; one that comes twice counts twice among them.
  const size_t known = terms.words;
  if (prepared.tokens.size() > known) {
    all_words_ += static_cast<float>(prepared.tokens.size() - known) * bm25.weight(0) * kUnknownWord;
  }
  most_bm25_ = all_words_;
  const Spread spread = {static_cast<float>(mean), std::max(0.05f, static_cast<float>(std::sqrt(variance)))};

  const std::span<const Slot> slots = pool.slots();
  if (terms.postings <= kPostingsPerRecord * slots.size()) {
    for (TermCursor& term : terms.cursors) {
      const uint64_t bit = bit_of(term);
      term.seek(0);
      term.visit_parts(user.lexical, bm25, [&](Slot slot, float part) {
        const RankingPool::Position at = pool.find(slot);
        if (at == RankingPool::kNobody) return;
        records_[at].bm25 += part;
        records_[at].words |= bit;
      });
    }
    for (Record& record : records_) record.bm25_z = spread.z(record.bm25);
    return;
  }
  by_slot_.resize(slots.size());
  for (size_t at = 0; at < slots.size(); ++at) by_slot_[at] = static_cast<RankingPool::Position>(at);
  std::sort(by_slot_.begin(), by_slot_.end(), [&](auto a, auto b) { return slots[a] < slots[b]; });
  for (TermCursor& term : terms.cursors) {
    if (slots.empty()) break;
    const uint64_t bit = bit_of(term);
    term.seek(slots[by_slot_.front()]);
    for (const RankingPool::Position at : by_slot_) {
      const float part = term.part_at(slots[at], user.lexical, bm25);
      if (part == 0.0f) continue;
      records_[at].bm25 += part;
      records_[at].words |= bit;
    }
  }
  for (Record& record : records_) record.bm25_z = spread.z(record.bm25);
}

float RankingEvidence::share_of_words(uint64_t words) const {
  if (all_words_ <= 0.0f) return 0.0f;
  float sum = 0.0f;
  // All of them, as how many a record holds cannot be foreseen.
  for (const float weight : word_weights_) {
    sum += (words & 1) != 0 ? weight : 0.0f;
    words >>= 1;
  }
  return sum / all_words_;
}

// A speaker is named if a word of the name is a word of the question.
void RankingEvidence::gather_speakers(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                                      const RankingPool& pool) {
  const Analyzer analyzer(config.analyzer);
  speakers_.start(8);
  const auto is_named = [&](StringPool::Symbol speaker, std::string_view text) {
    const uint32_t known = speakers_.find(speaker);
    if (known != SlotTable::kAbsent) return known == 1;
    name_.clear();
    analyzer.analyze(text, name_);
    bool named = false;
    for (size_t i = 0; i < name_.size() && !named; ++i) {
      if (name_[i].size() < kShortestName) continue;
      for (size_t t = 0; t < prepared.tokens.size() && !named; ++t) named = prepared.tokens[t] == name_[i];
    }
    speakers_.find_or_add(speaker, named ? 1 : 0);
    return named;
  };
  for (size_t at = 0; at < pool.size(); ++at) {
    const Slot slot = pool.slots()[at];
    const StringPool::Symbol speaker = user.attributes.speaker(slot);
    if (speaker == StringPool::kNone) continue;
    records_[at].named = is_named(speaker, user.attributes.speaker_text(slot));
    anyone_named_ |= records_[at].named;
  }
}

void RankingEvidence::gather_sessions(const RankingPool& pool) {
  sessions_.assign(pool.session_count(), {});
  for (RankingPool::Position at = 0; at < pool.size(); ++at) {
    if (pool.session(at) == RankingPool::kNoSession) continue;
    Session& session = sessions_[pool.session(at)];
    keep_best(session.cosine, records_[at].cosine_z, session.records);
    keep_best(session.bm25, records_[at].bm25_z, session.records);
    session.words |= records_[at].words;
    ++session.records;
  }
  for (Session& session : sessions_) {
    const auto three = static_cast<float>(std::clamp<uint32_t>(session.records, 1, 3));
    session.cosines = (session.cosine[0] + session.cosine[1] + session.cosine[2]) / three;
    session.bm25s = (session.bm25[0] + session.bm25[1] + session.bm25[2]) / three;
    session.coverage = share_of_words(session.words);
  }
}

size_t RankingEvidence::bytes() const {
  return records_.capacity() * sizeof(Record) + sessions_.capacity() * sizeof(Session) +
         (word_weights_.capacity() + sample_cosines_.capacity()) * sizeof(float) + by_slot_.capacity() * sizeof(uint32_t) +
         speakers_.bytes() + name_.bytes() + by_time_.capacity() * sizeof(by_time_[0]);
}

}  // namespace memspan
