// What the views, the sessions and the speakers say about each record of a pool, before it becomes features.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "index/user_columns.hpp"
#include "memspan/index.hpp"
#include "query/admission.hpp"
#include "query/prepared_query.hpp"
#include "ranking/pool.hpp"

namespace memspan {

// Mean and deviation of a score over a user's records.
struct Spread {
  float mean = 0.0f;
  float deviation = 1.0f;
  float z(float score) const { return (score - mean) / deviation; }
};

// Arrays by the pool's positions and by its session numbers. Keeps its memory between searches.
class RankingEvidence {
 public:
  // After the views of this search have run. O(pool x (dim + words), and the words' postings near the pool).
  void gather(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
              const Admission& admission, const CandidateLists& finds, const RankingPool& pool);

  struct Record {
    float cosine = 0.0f;
    float cosine_z = 0.0f;
    float with_before_z = 0.0f;  // cosine_z where nobody is before
    float bm25 = 0.0f;
    float bm25_z = 0.0f;
    uint64_t words = 0;  // of the query's first 64, rarest first: those that it holds
    bool has_vector = false;
    bool named = false;
  };
  // The best three, best first, and the words of all.
  struct Session {
    float cosine[3] = {0.0f, 0.0f, 0.0f};
    float bm25[3] = {0.0f, 0.0f, 0.0f};
    uint64_t words = 0;
    uint32_t records = 0;
    // Made of these: means of the best three, share of the words.
    float cosines = 0.0f;
    float bm25s = 0.0f;
    float coverage = 0.0f;
  };

  const Record& record(RankingPool::Position at) const { return records_[at]; }
  // A record that is the mean in everything instead of nobody's: whether there is one cannot be foreseen.
  const Record& record_or_mean(RankingPool::Position at) const { return records_[std::min<size_t>(at, records_.size() - 1)]; }
  const Session& session(uint32_t number) const { return sessions_[number]; }
  bool anyone_named() const { return anyone_named_; }
  float most_bm25() const { return most_bm25_; }  // about what a record with all words of the question gets
  float share_of_words(uint64_t words) const;     // 0-1, each word by its weight
  size_t bytes() const;

 private:
  void gather_semantic(const UserColumns& user, const PreparedQuery& prepared, const Admission& admission,
                       const RankingPool& pool);
  Spread spread_of_cosines(const UserColumns& user, const float* query, const Admission& admission);
  void gather_lexical(const UserColumns& user, const PreparedQuery& prepared, const WordStatistics& statistics,
                      const RankingPool& pool);
  void gather_speakers(const UserColumns& user, const PreparedQuery& prepared, const IndexConfig& config,
                       const RankingPool& pool);
  void gather_sessions(const RankingPool& pool);

  std::vector<Record> records_;  // of the pool, and then nobody's
  std::vector<Session> sessions_;
  std::vector<float> word_weights_;  // of the first 64
  float all_words_ = 0.0f;           // the weights of all of the question's words, known or not
  float most_bm25_ = 0.0f;
  bool anyone_named_ = false;

  std::vector<std::pair<Micros, Slot>> by_time_;  // few that a filter admits
  std::vector<RankingPool::Position> by_slot_;
  std::vector<RankingPool::Position> unscored_;  // no view scored their vectors
  std::vector<Slot> sample_slots_;
  std::vector<float> sample_cosines_;
  SlotTable speakers_;  // by symbol: 1 if named
  TokenBuffer name_;
};

}  // namespace memspan
