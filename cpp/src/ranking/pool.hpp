// The records that the learned ranking scores: what the views found, what lies at the times that the question speaks of,
// and what stands beside the views' best in its session.
//
// Kept as parallel arrays by position; finds come first. A thread's pool keeps its memory between searches;
// what it holds is valid while the user's lock is held.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/slot_table.hpp"
#include "index/user_columns.hpp"
#include "query/admission.hpp"
#include "query/fusion.hpp"

namespace memspan {

class RankingPool {
 public:
  using Position = uint32_t;
  static constexpr Position kNobody = SlotTable::kAbsent;
  static constexpr size_t kReach = 2;      // turns on either side of a find
  static constexpr uint32_t kPromising = 64;  // the neighbours of so many finds of each view come into the pool

  // O(finds x kReach), and for each of their sessions what it takes to find them there: O(its records) of a short one.
  void gather(const CandidateLists& finds, std::span<const Slot> hinted, const UserColumns& user,
              const Admission& admission);

  size_t size() const { return slots_.size(); }
  std::span<const Slot> slots() const { return slots_; }
  Position find(Slot slot) const { return positions_.find(slot); }
  // Rank in the view's list, from 1; 0: not there. Equal cosines, or equal sums of BM25, share the first of their ranks:
  // which of them is newer decides between records that are equal in everything.
  uint32_t rank(Position at, View view) const { return ranks_[at][static_cast<size_t>(view)]; }
  const std::array<uint32_t, kViewCount>& ranks(Position at) const { return ranks_[at]; }
  // The turn so many before (-kReach ... -1) or behind (1 ... kReach) in the session; kNobody if it is not in the pool.
  Position neighbor(Position at, int distance) const {
    return around_[at][distance < 0 ? distance + static_cast<int>(kReach) : distance + static_cast<int>(kReach) - 1];
  }
  // Sessions are numbered as they come; records without one have none.
  static constexpr uint32_t kNoSession = ~uint32_t{0};
  uint32_t session(Position at) const { return sessions_[at]; }
  size_t session_count() const { return heads_.size(); }

  size_t bytes() const;

 private:
  Position add(Slot slot);
  bool is_find(Position at) const { return at < next_.size(); }
  void add_session(uint32_t number, const UserColumns& user, const Admission& admission);
  // Of turns that follow each other: adds those near a find among them, and links what is in the pool.
  void add_run(std::span<const Slot> turns, uint32_t session, const Admission& admission);
  bool is_promising(Position at) const;

  SlotTable positions_;
  std::vector<Slot> slots_;
  std::vector<std::array<uint32_t, kViewCount>> ranks_;
  std::vector<std::array<Position, 2 * kReach>> around_;
  std::vector<uint32_t> sessions_;

  SlotTable session_numbers_;                    // by symbol
  std::vector<StringPool::Symbol> symbols_;      // by session
  std::vector<Position> heads_;                  // the last find of each session,
  std::vector<Position> next_;                   // and for each find the one before it there
  std::vector<uint32_t> counts_;                 // finds of each session
  std::vector<Slot> line_;
  std::vector<Position> run_;
};

}  // namespace memspan
