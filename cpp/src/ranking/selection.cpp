#include "ranking/selection.hpp"

#include <algorithm>
#include <cmath>


namespace memspan {
namespace {

using Position = RankingPool::Position;

float cosine(const UserColumns& user, Slot a, Slot b) {
  if (!user.vectors.has(a) || !user.vectors.has(b)) return 0.0f;
  return user.vectors.cosine(a, b);
}

}  // namespace

void RankingSelection::choose(const Selection& wanted, const UserColumns& user, const RankingPool& pool, size_t k,
                              std::vector<FusedHit>& hits) {
  pool_.swap(hits);
  hits.clear();
  hits.reserve(pool_.size());
  const Recency recency = user.recency();
  const auto better = [&](const auto& a, const auto& b) {
    if (a.score != b.score) return a.score > b.score;
    return recency(pool_[a.at].slot, pool_[b.at].slot);
  };
  const auto worse = [&](const Entry& a, const Entry& b) { return better(b, a); };
  const size_t count = std::min(k, pool_.size());
  const bool penalised = wanted.diversity > 0.0f || wanted.spread > 0.0f;

  chosen_.clear();
  repeats_.clear();
  held_back_.clear();
  left_out_.clear();
  entries_.resize(pool_.size());
  for (Position at = 0; at < pool_.size(); ++at) entries_[at] = {pool_[at].score, at, 0};
  std::make_heap(entries_.begin(), entries_.end(), worse);
  penalties_.assign(penalised ? pool_.size() : 0, {});
  if (wanted.spread > 0.0f) place_in_time(user);
  size_t uncovered = sessions_to_cover(wanted, pool, count);

  while (chosen_.size() < count) {
    if (entries_.empty()) {
      if (held_back_.empty()) break;
      // The sessions that are missing have nothing but repetitions.
      uncovered = 0;
      entries_.swap(held_back_);
      std::make_heap(entries_.begin(), entries_.end(), worse);
    }
    std::pop_heap(entries_.begin(), entries_.end(), worse);
    Entry entry = entries_.back();
    entries_.pop_back();
    const size_t session = session_of(pool, entry.at);
    const bool only_new_sessions = uncovered > 0 && uncovered >= count - chosen_.size();
    if (only_new_sessions && covered_[session] != 0) {
      held_back_.push_back(entry);
      continue;
    }
    if (penalised) {
      const float before = entry.score;
      compare(wanted, user, entry);
      if (entry.score < before) {
        entries_.push_back(entry);
        std::push_heap(entries_.begin(), entries_.end(), worse);
        continue;
      }
    }
    Choice choice{.score = entry.score, .at = entry.at};
    if (penalised) {
      choice.alike = penalties_[entry.at].alike;
      choice.beside = penalties_[entry.at].beside;
    }
    if (wanted.distinct) choice.repeats = repeated(user, pool_[entry.at].slot);
    if (choice.repeats != kNoSlot) {
      repeats_.push_back(choice);
      continue;
    }
    choice.covers = only_new_sessions && !held_back_.empty();
    chosen_.push_back(choice);
    if (uncovered > 0 && covered_[session] == 0) {
      covered_[session] = 1;
      --uncovered;
    }
  }
  const size_t back = std::min(count - chosen_.size(), repeats_.size());
  if (back > 0) std::sort(repeats_.begin(), repeats_.end(), better);
  for (size_t i = 0; i < repeats_.size(); ++i) {
    if (i < back) {
      chosen_.push_back(repeats_[i]);
    } else {
      left_out_.emplace_back(pool_[repeats_[i].at].slot, repeats_[i].repeats);
    }
  }
  // Only what was held back or came back is not in order yet.
  std::sort(chosen_.begin(), chosen_.end(), better);
  for (const Choice& choice : chosen_) {
    FusedHit& hit = hits.emplace_back(pool_[choice.at]);
    hit.score = choice.score;
  }
}

size_t RankingSelection::session_of(const RankingPool& pool, Position at) const {
  return std::min<size_t>(pool.session(at), covered_.size() - 1);
}

// Records without a session make one more together.
size_t RankingSelection::sessions_to_cover(const Selection& wanted, const RankingPool& pool, size_t count) {
  covered_.assign(pool.session_count() + 1, 0);
  if (wanted.sessions <= 1) return 0;
  size_t sessions = pool.session_count();
  for (Position at = 0; at < pool.size(); ++at) {
    if (pool.session(at) != RankingPool::kNoSession) continue;
    ++sessions;
    break;
  }
  return std::min({size_t{wanted.sessions}, sessions, count});
}

void RankingSelection::place_in_time(const UserColumns& user) {
  const Recency recency = user.recency();
  by_time_.resize(pool_.size());
  for (Position at = 0; at < pool_.size(); ++at) by_time_[at] = at;
  std::sort(by_time_.begin(), by_time_.end(),
            [&](Position a, Position b) { return recency(pool_[a].slot, pool_[b].slot); });
  places_.resize(pool_.size());
  for (uint32_t place = 0; place < by_time_.size(); ++place) places_[by_time_[place]] = place;
}

// With those chosen since the last time.
void RankingSelection::compare(const Selection& wanted, const UserColumns& user, Entry& entry) {
  Penalty& penalty = penalties_[entry.at];
  const float reach = std::max(1.0f, kReachInTime * static_cast<float>(pool_.size()));
  const size_t end = std::min(chosen_.size(), kCompared);
  for (; entry.compared < end; ++entry.compared) {
    const Position other = chosen_[entry.compared].at;
    if (wanted.diversity > 0.0f) {
      const float alike = wanted.diversity * cosine(user, pool_[entry.at].slot, pool_[other].slot);
      penalty.alike = std::max(penalty.alike, alike);
    }
    if (wanted.spread > 0.0f) {
      const auto apart = static_cast<float>(std::abs(int64_t{places_[entry.at]} - int64_t{places_[other]}));
      penalty.beside = std::max(penalty.beside, wanted.spread * (1.0f - apart / reach));
    }
  }
  entry.score = pool_[entry.at].score - penalty.alike - penalty.beside;
}

// The first of those chosen that says the same; kNoSlot: none.
Slot RankingSelection::repeated(const UserColumns& user, Slot slot) const {
  const uint32_t length = user.lexical.length(slot);
  for (size_t i = 0; i < std::min(chosen_.size(), kCompared); ++i) {
    const Slot other = pool_[chosen_[i].at].slot;
    if (user.lexical.length(other) != length) continue;
    if (user.attributes.speaker(other) != user.attributes.speaker(slot)) continue;
    if (cosine(user, slot, other) >= kSameCosine) return other;
  }
  return kNoSlot;
}

void RankingSelection::count_ranks(const UserColumns& user) {
  const Recency recency = user.recency();
  for (Choice& choice : chosen_) {
    const FusedHit& own = pool_[choice.at];
    choice.rank = 1;
    for (const FusedHit& hit : pool_) {
      if (hit.score > own.score || (hit.score == own.score && recency(hit.slot, own.slot))) ++choice.rank;
    }
  }
}

size_t RankingSelection::bytes() const {
  return pool_.capacity() * sizeof(FusedHit) + (entries_.capacity() + held_back_.capacity()) * sizeof(Entry) +
         (repeats_.capacity() + chosen_.capacity()) * sizeof(Choice) + penalties_.capacity() * sizeof(Penalty) +
         (places_.capacity() + by_time_.capacity()) * sizeof(uint32_t) + covered_.capacity() +
         left_out_.capacity() * sizeof(left_out_[0]);
}

}  // namespace memspan
