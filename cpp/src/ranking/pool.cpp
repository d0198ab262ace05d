#include "ranking/pool.hpp"

#include <algorithm>

namespace memspan {
namespace {

// To walk past a turn costs so much less than to find one in its session.
constexpr size_t kWalkInstead = 16;

// Without tags its order is that of time, whatever the scores are.
constexpr auto kSymbolic = static_cast<size_t>(View::symbolic);

}  // namespace

RankingPool::Position RankingPool::add(Slot slot) {
  const auto last = static_cast<Position>(slots_.size());
  const Position position = positions_.find_or_add(slot, last);
  if (position == last) {
    slots_.push_back(slot);
    ranks_.push_back({});
    around_.push_back({kNobody, kNobody, kNobody, kNobody});
    sessions_.push_back(kNoSession);
  }
  return position;
}

void RankingPool::gather(const CandidateLists& finds, std::span<const Slot> hinted, const UserColumns& user,
                         const Admission& admission) {
  slots_.clear();
  ranks_.clear();
  around_.clear();
  sessions_.clear();
  symbols_.clear();
  heads_.clear();
  counts_.clear();
  size_t total = hinted.size();
  for (const auto& list : finds) total += list.size();
  positions_.start(2 * total, user.slots());
  for (size_t view = 0; view < kViewCount; ++view) {
    const auto& list = finds[view];
    uint32_t rank = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (i == 0 || list[i].score != list[i - 1].score || view == kSymbolic) rank = static_cast<uint32_t>(i + 1);
      ranks_[add(list[i].slot)][view] = rank;
    }
  }
  for (const Slot slot : hinted) add(slot);

  const size_t found = slots_.size();
  session_numbers_.start(found / 4);
  next_.resize(found);
  for (Position at = 0; at < found; ++at) {
    const StringPool::Symbol symbol = user.attributes.session(slots_[at]);
    if (symbol == StringPool::kNone) continue;
    const auto last = static_cast<uint32_t>(heads_.size());
    const uint32_t number = session_numbers_.find_or_add(symbol, last);
    if (number == last) {
      symbols_.push_back(symbol);
      heads_.push_back(kNobody);
      counts_.push_back(0);
    }
    sessions_[at] = number;
    next_[at] = heads_[number];
    heads_[number] = at;
    ++counts_[number];
  }
  for (uint32_t number = 0; number < heads_.size(); ++number) add_session(number, user, admission);
}

void RankingPool::add_session(uint32_t number, const UserColumns& user, const Admission& admission) {
  const StringPool::Symbol symbol = symbols_[number];
  const Sessions::Turns& turns = user.sessions.turns(symbol);
  if (turns.size() > kWalkInstead * counts_[number]) {
    for (Position at = heads_[number]; at != kNobody; at = next_[at]) {
      auto first = user.sessions.find(symbol, slots_[at], user.recency());
      if (first == turns.end()) continue;
      auto last = std::next(first);
      for (size_t step = 0; step < 2 * kReach && first != turns.begin(); ++step) --first;
      for (size_t step = 0; step < 2 * kReach && last != turns.end(); ++step) ++last;
      line_.assign(first, last);
      add_run(line_, number, admission);
    }
    return;
  }
  // Finds whose neighbours may stand next to each other's make one run.
  line_.clear();
  size_t wanted = 0;  // so many turns of the line belong to the current run
  for (const Slot turn : turns) {
    line_.push_back(turn);
    if (is_find(positions_.find(turn))) wanted = line_.size() + kReach;
    if (line_.size() < wanted + 2 * kReach) continue;
    if (wanted > 0) add_run(std::span(line_).first(wanted), number, admission);
    line_.erase(line_.begin(), line_.end() - static_cast<std::ptrdiff_t>(kReach));  // a later find may reach these
    wanted = 0;
  }
  if (wanted > 0) add_run(std::span(line_).first(std::min(wanted, line_.size())), number, admission);
}

bool RankingPool::is_promising(Position at) const {
  if (at >= next_.size()) return false;  // nobody, or a neighbour itself
  const auto& ranks = ranks_[at];
  return std::any_of(ranks.begin(), ranks.end(), [](uint32_t rank) { return rank != 0 && rank <= kPromising; });
}

void RankingPool::add_run(std::span<const Slot> turns, uint32_t session, const Admission& admission) {
  run_.clear();
  for (const Slot slot : turns) run_.push_back(positions_.find(slot));
  size_t wanted = 0;  // turns up to here are near a promising find
  for (size_t i = 0; i < std::min(kReach, run_.size()); ++i) {
    if (is_promising(run_[i])) wanted = i + kReach + 1;
  }
  for (size_t i = 0; i < run_.size(); ++i) {
    if (i + kReach < run_.size() && is_promising(run_[i + kReach])) wanted = i + 2 * kReach + 1;
    if (run_[i] == kNobody && i < wanted && admission.admits(turns[i])) run_[i] = add(turns[i]);
    if (run_[i] != kNobody) sessions_[run_[i]] = session;
  }
  for (size_t i = 0; i < run_.size(); ++i) {
    if (run_[i] == kNobody) continue;
    std::array<Position, 2 * kReach>& around = around_[run_[i]];
    const auto link = [&](size_t which, bool there, size_t other) {
      if (there && around[which] == kNobody) around[which] = run_[other];
    };
    link(0, i >= 2, i - 2);
    link(1, i >= 1, i - 1);
    link(2, i + 1 < run_.size(), i + 1);
    link(3, i + 2 < run_.size(), i + 2);
  }
}

size_t RankingPool::bytes() const {
  return positions_.bytes() + session_numbers_.bytes() + slots_.capacity() * sizeof(Slot) +
         ranks_.capacity() * sizeof(ranks_[0]) + around_.capacity() * sizeof(around_[0]) +
         (sessions_.capacity() + heads_.capacity() + next_.capacity() + counts_.capacity() + symbols_.capacity() +
          line_.capacity() + run_.capacity()) * sizeof(uint32_t);
}

}  // namespace memspan
