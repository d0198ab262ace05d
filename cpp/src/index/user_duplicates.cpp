// UserIndex::duplicates: which current records of a kind nearly say the same.
//
// Locks: the user's lock is held for reading, for some tens of microseconds at a time: while the records of a kind are
// listed, while their rows are copied, and while the exact cosines of what is left are computed. So a write waits for
// one slice at most, and the searches behind it. The comparison itself reads codes of its own, and the threads that help
// with it take no lock of the user's. Memory for that time: dim + 100 bytes a record.
#include <algorithm>
#include <array>
#include <cstring>
#include <shared_mutex>
#include <thread>
#include <tuple>

#include "attributes/standing.hpp"
#include "base/hash_map.hpp"
#include "base/in_parallel.hpp"
#include "index/user_index.hpp"
#include "vectors/interruption.hpp"
#include "vectors/near_pairs.hpp"

namespace memspan {
namespace {

constexpr Slot kListed = 2048;     // slots at a time
constexpr size_t kCopied = 128;    // rows
constexpr size_t kChecked = 128;   // pairs
constexpr size_t kPairSample = 2048;   // rows that the leading directions are found of
constexpr size_t kPairsWorthAThread = 2048;
constexpr size_t kMostThreads = 64;
constexpr float kRounding = 1e-6f;  // of a cosine: that of equal rows may come out a little below 1

// A row's bytes in 128 bits; two rows that are not the same have different ones.
struct RowHash {
  uint64_t first = 0x9e3779b97f4a7c15;
  uint64_t second = 0xc2b2ae3d27d4eb4f;
};

RowHash hash_of(std::span<const float> row) {
  RowHash hash;
  for (const float value : row) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash.first = (hash.first ^ bits) * 0xff51afd7ed558ccd;
    hash.first ^= hash.first >> 32;
    hash.second = (hash.second + bits) * 0xc4ceb9fe1a85ec53;
    hash.second ^= hash.second >> 29;
  }
  return hash;
}

struct Listed {
  std::vector<Slot> fresh;  // learnt since
  std::vector<Slot> older;
};

}  // namespace

// The search among the records of one kind.
class UserIndex::DuplicateSearch {
 public:
  DuplicateSearch(const UserIndex& user, const DuplicateQuery& query, Kind kind, Duplicates& out)
      : user_(user), columns_(user.columns_), query_(query), kind_(kind), out_(out) {}

  // False: the slots have other meanings now, and it has to begin again.
  bool run() {
    {
      const std::shared_lock reading(user_.mutex_);
      compactions_ = user_.compactions_;
    }
    list();
    if (moved_) return false;
    slots_ = std::move(listed_.fresh);
    fresh_ = slots_.size();
    slots_.insert(slots_.end(), listed_.older.begin(), listed_.older.end());
    if (fresh_ == 0 || slots_.size() < 2) return !moved_;
    const std::vector<float> sample = copy_sample();
    NearPairs near(dim(), slots_.size(), sample);
    encode(near);
    out_.records += slots_.size();
    if (!out_.complete) return !moved_;  // those that are the same are enough
    near.find(distinct_fresh_, query_.threshold, near.size() < kPairsWorthAThread ? 1 : workers(),
              [this](std::span<const NearPairs::Pair> pairs) { return check(pairs); });
    return !moved_;
  }

 private:
  size_t dim() const { return user_.shape_.dim(); }
  bool wanted(Slot slot) const {
    return slot < columns_.slots() && columns_.live.test(slot) && columns_.attributes.kind(slot) == kind_ &&
           columns_.attributes.until(slot) == kForever && columns_.attributes.states().retired_at(slot) == kForever &&
           columns_.attributes.states().expires_at(slot) > now_ && columns_.vectors.has(slot);
  }
  size_t workers() const {
    if (in_background()) return 1;
    const unsigned wanted = query_.threads == 0 ? std::thread::hardware_concurrency() : query_.threads;
    return std::clamp<size_t>(wanted, 1, kMostThreads);
  }
  bool still(uint64_t compactions) {
    if (compactions != compactions_) moved_ = true;
    return !moved_;
  }

  void list() {
    for (Slot first = 0;; first += kListed) {
      check_interruption();
      const std::shared_lock reading(user_.mutex_);
      if (!still(user_.compactions_)) return;
      const auto slots = static_cast<Slot>(columns_.slots());
      for (Slot slot = first; slot < std::min<Slot>(slots, first + kListed); ++slot) {
        if (!wanted(slot)) continue;
        auto& list = columns_.attributes.recorded_at(slot) >= query_.since ? listed_.fresh : listed_.older;
        list.push_back(slot);
      }
      if (first + kListed >= slots) return;
    }
  }

  // Calls use(i, row) for those of slots_[first, last) that are still there, without the lock.
  template <typename Use>
  void copy_rows(std::span<const Slot> slots, size_t first, Use use) {
    rows_.resize(kCopied * dim());
    std::array<uint32_t, kCopied> taken;
    size_t count = 0;
    {
      const std::shared_lock reading(user_.mutex_);
      if (!still(user_.compactions_)) return;
      for (size_t i = 0; i < slots.size(); ++i) {
        if (!wanted(slots[i])) continue;
        const std::span<const float> row = columns_.vectors.floats(slots[i], buffer_);
        std::copy(row.begin(), row.end(), rows_.data() + count * dim());
        taken[count++] = static_cast<uint32_t>(first + i);
      }
    }
    for (size_t i = 0; i < count; ++i) use(taken[i], std::span<const float>(rows_.data() + i * dim(), dim()));
  }

  std::vector<float> copy_sample() {
    const size_t count = std::min(kPairSample, slots_.size());
    std::vector<float> sample;
    sample.reserve(count * dim());
    std::vector<Slot> chosen;
    for (size_t i = 0; i < count; ++i) chosen.push_back(slots_[i * slots_.size() / count]);
    for (size_t first = 0; first < count; first += kCopied) {
      copy_rows(std::span(chosen).subspan(first, std::min(kCopied, count - first)), first,
                [&](uint32_t, std::span<const float> row) { sample.insert(sample.end(), row.begin(), row.end()); });
    }
    return sample;
  }

  // Rows that are the same are compared with others once, and each later one is a pair with the first.
  void encode(NearPairs& near) {
    struct First {
      uint64_t hash;
      uint32_t number;  // in slots_
    };
    HashMap<uint64_t, First> known;
    std::vector<NearPairs::Pair> same;
    numbers_.reserve(slots_.size());
    for (size_t first = 0; first < slots_.size() && !moved_; first += kCopied) {
      check_interruption();
      copy_rows(std::span(slots_).subspan(first, std::min(kCopied, slots_.size() - first)), first,
                [&](uint32_t i, std::span<const float> row) {
                  const RowHash hash = hash_of(row);
                  const auto [found, inserted] = known.try_emplace(hash.first, First{hash.second, i});
                  if (!inserted && found->second.hash == hash.second) {
                    if (found->second.number < fresh_) same.emplace_back(found->second.number, i);
                    return;
                  }
                  near.add(row.data());
                  numbers_.push_back(i);
                  if (i < fresh_) distinct_fresh_ = numbers_.size();
                });
    }
    exact_ = true;
    for (size_t first = 0; first < same.size(); first += kChecked) {
      if (!check(std::span(same).subspan(first, std::min(kChecked, same.size() - first)))) return;
    }
    exact_ = false;
  }

  // Keeps those pairs that reach the threshold. False: no others are wanted.
  bool check(std::span<const NearPairs::Pair> pairs) {
    std::vector<DuplicatePair> found;
    const size_t wanted_more = query_.most - out_.pairs.size();
    for (size_t first = 0; first < pairs.size() && found.size() <= wanted_more; first += kChecked) {
      const std::shared_lock reading(user_.mutex_);
      if (!still(user_.compactions_)) return false;
      for (const auto& [a, b] : pairs.subspan(first, std::min(kChecked, pairs.size() - first))) {
        const Slot one = slots_[exact_ ? a : numbers_[a]];
        const Slot other = slots_[exact_ ? b : numbers_[b]];
        if (!wanted(one) || !wanted(other)) continue;
        const float cosine = columns_.vectors.cosine(one, other);
        if (cosine + kRounding < query_.threshold) continue;
        found.push_back({std::string(columns_.ids[one]), std::string(columns_.ids[other]), std::min(cosine, 1.0f)});
        if (found.back().first > found.back().second) std::swap(found.back().first, found.back().second);
      }
    }
    for (DuplicatePair& pair : found) {
      if (out_.pairs.size() == query_.most) {
        out_.complete = false;
        return false;
      }
      out_.pairs.push_back(std::move(pair));
    }
    return true;
  }

  const UserIndex& user_;
  const UserColumns& columns_;
  const DuplicateQuery& query_;
  const Kind kind_;
  Duplicates& out_;
  const Micros now_ = wall_clock();
  bool moved_ = false;
  uint64_t compactions_ = 0;
  Listed listed_;
  std::vector<Slot> slots_;         // those learnt since first
  size_t fresh_ = 0;                // of slots_
  std::vector<uint32_t> numbers_;   // in slots_, of each vector that is compared
  size_t distinct_fresh_ = 0;       // of numbers_
  bool exact_ = false;              // pairs are numbers in slots_
  std::vector<float> rows_;
  std::vector<float> buffer_;  // of one row
};

Duplicates UserIndex::duplicates(const DuplicateQuery& query) const {
  Duplicates out;
  for (const Kind kind : query.kinds) {
    for (;;) {
      const size_t before = out.pairs.size();
      const uint64_t records = out.records;
      if (DuplicateSearch(*this, query, kind, out).run()) break;
      out.pairs.resize(before);  // most of the records went meanwhile
      out.records = records;
      out.complete = true;
    }
    if (!out.complete) break;
  }
  std::sort(out.pairs.begin(), out.pairs.end(), [](const DuplicatePair& a, const DuplicatePair& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : std::tie(a.first, a.second) < std::tie(b.first, b.second);
  });
  return out;
}

}  // namespace memspan
