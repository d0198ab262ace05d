// Chooses which of the records that a learned ranking scored come back: the best, but not the same thing twice, from
// several sessions, not too much alike, and from all of the time, as far as a query wants that.
//
// Maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998): each record is the best of what is left after what
// it shares with those chosen before is taken off its score. What is taken off only grows, so that a record needs to be
// compared again only when it comes to the top (Minoux 1978).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "index/user_columns.hpp"
#include "memspan/ranking.hpp"
#include "query/fusion.hpp"
#include "ranking/pool.hpp"

namespace memspan {

// Keeps its memory between searches. What it tells of a choice is valid until the next one.
class RankingSelection {
 public:
  // A repetition is of the same speaker, as long in tokens, and at such a cosine: word for word, but for what embedders do
  // not see. The words of the index would tell less, as they may hold the date; lower cosines take a fact for another
  // one with the same words around it.
  static constexpr float kSameCosine = 0.9999f;
  // How far in time a record pushes others back: this share of the pool, in order of time.
  static constexpr float kReachInTime = 0.1f;
  // Later choices are not compared with more than these.
  static constexpr size_t kCompared = 64;

  // Leaves the k chosen of `hits`, which are the pool in its order, with what was taken off their scores; best first,
  // equal scores: newer first. As many come as without a choice: records set aside come back when there are
  // not enough others.
  // O(pool + k log pool) where all that is wanted is no repetitions and several sessions; for the rest O(pool log pool)
  // and a comparison of two records for each that comes to the top again, of pool x 64 at most.
  void choose(const Selection& wanted, const UserColumns& user, const RankingPool& pool, size_t k,
              std::vector<FusedHit>& hits);

  struct Choice {
    float score = 0.0f;          // what is left of it
    RankingPool::Position at = 0;
    uint32_t rank = 0;           // by its own score, after count_ranks
    float alike = 0.0f;          // taken off
    float beside = 0.0f;
    bool covers = false;         // records of sessions that are there already were held back for it
    Slot repeats = kNoSlot;
  };
  // Parallel to the hits that were left.
  std::span<const Choice> chosen() const { return chosen_; }
  // Repetitions that did not come, and what each repeats.
  std::span<const std::pair<Slot, Slot>> left_out() const { return left_out_; }
  // Fills in Choice::rank. O(pool x chosen).
  void count_ranks(const UserColumns& user);

  size_t bytes() const;

 private:
  struct Entry {
    float score = 0.0f;        // an upper bound until it has been compared with all those chosen
    RankingPool::Position at = 0;
    uint32_t compared = 0;     // with so many of them
  };
  struct Penalty {
    float alike = 0.0f;
    float beside = 0.0f;
  };

  void place_in_time(const UserColumns& user);
  void compare(const Selection& wanted, const UserColumns& user, Entry& entry);
  Slot repeated(const UserColumns& user, Slot slot) const;
  size_t sessions_to_cover(const Selection& wanted, const RankingPool& pool, size_t count);
  size_t session_of(const RankingPool& pool, RankingPool::Position at) const;

  std::vector<FusedHit> pool_;   // the hits as they came
  std::vector<Entry> entries_;   // a heap
  std::vector<Entry> held_back_;
  std::vector<Choice> repeats_;
  std::vector<Choice> chosen_;
  std::vector<Penalty> penalties_;          // by position; empty if none are wanted
  std::vector<uint32_t> places_;            // by position: how many of the pool are newer
  std::vector<RankingPool::Position> by_time_;
  std::vector<uint8_t> covered_;            // by session; those without one are the last
  std::vector<std::pair<Slot, Slot>> left_out_;
};

}  // namespace memspan
