#include "vectors/near_pairs.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <thread>

#include "base/share_out.hpp"
#include "base/thread_priority.hpp"
#include "vectors/interruption.hpp"

namespace memspan {

namespace {

constexpr size_t kQueriesAtOnce = 64;
constexpr size_t kBlocks = 16;    // of a tile, which stays in the first-level cache while the queries pass over it
constexpr size_t kFlush = 4096;   // rows that one query hands on at a time

}  // namespace

// What one thread needs.
class NearPairs::Search {
 public:
  Search(const NearPairs& all, float threshold, const std::function<bool(std::span<const Pair>)>& found)
      : all_(all), threshold_(threshold), found_(found), whole_query_(all.whole_.stride()) {}

  // The vectors [first, last), each with all after it. False: `found` has had enough.
  bool run(size_t first, size_t last) {
    constexpr size_t kBlock = ShortCodes::kBlock;
    static_assert(kQueriesAtOnce % kBlock == 0 && kBlocks % 4 == 0);
    const size_t count = last - first;
    for (size_t q = 0; q < count; ++q) {
      least_[q] = all_.short_.query(first + q, threshold_, queries_.data() + q * ShortCodes::kNumbers);
      near_[q].clear();
    }
    const size_t blocks = (all_.size_ + kBlock - 1) / kBlock;
    for (size_t block = first / kBlock; block < blocks; block += kBlocks) {
      const size_t tile = std::min(kBlocks, blocks - block);
      kernels().code_blocks(queries_.data(), least_.data(), count, all_.short_.block(block),
                            all_.short_.slack() + block * kBlock, tile, masks_.data());
      for (size_t q = 0; q < count; ++q) {
        collect(first + q, block * kBlock, std::span<const uint16_t>(masks_.data() + q * tile, tile), near_[q]);
        if (near_[q].size() >= kFlush && !narrow(first + q, near_[q])) return false;
      }
    }
    for (size_t q = 0; q < count; ++q) {
      if (!near_[q].empty() && !narrow(first + q, near_[q])) return false;
    }
    return pairs_.empty() || hand_out();
  }

 private:
  // Those of the rows that a mask of each block names and that come after the query.
  static void collect(size_t query, size_t row, std::span<const uint16_t> masks, std::vector<uint32_t>& others) {
    for (size_t b = 0; b < masks.size(); ++b, row += ShortCodes::kBlock) {
      for (uint32_t mask = masks[b]; mask != 0; mask &= mask - 1) {
        const size_t other = row + static_cast<size_t>(std::countr_zero(mask));
        if (other > query) others.push_back(static_cast<uint32_t>(other));
      }
    }
  }

  // The second bound, of one vector and others; empties `others`.
  bool narrow(size_t query, std::vector<uint32_t>& others) {
    const BoundedCodes& whole = all_.whole_;
    whole.query(query, whole_query_.data());
    if (near_scores_.size() < others.size()) near_scores_.resize(others.size());
    if (passed_.size() < others.size()) passed_.resize(others.size());
    kernels().code_gather(whole_query_.data(), whole.offset(query), whole.codes(0), whole.stride(), whole.scales(),
                          others.data(), others.size(), whole.stride(), near_scores_.data());
    const float least = whole.least_score(query, threshold_, all_.whole_error_);
    const size_t passed = kernels().select_above(near_scores_.data(), others.size(), least, passed_.data());
    for (size_t i = 0; i < passed; ++i) pairs_.emplace_back(static_cast<uint32_t>(query), others[passed_[i]]);
    others.clear();
    return pairs_.size() < kFlush || hand_out();
  }

  bool hand_out() {
    const bool more = found_(pairs_);
    pairs_.clear();
    return more;
  }

  const NearPairs& all_;
  const float threshold_;
  const std::function<bool(std::span<const Pair>)>& found_;
  alignas(64) std::array<int8_t, kQueriesAtOnce * ShortCodes::kNumbers> queries_;
  std::array<int32_t, kQueriesAtOnce> least_;
  std::array<uint16_t, kQueriesAtOnce * kBlocks> masks_;
  AlignedBuffer<int8_t> whole_query_;
  std::array<std::vector<uint32_t>, kQueriesAtOnce> near_;
  std::vector<float> near_scores_;
  std::vector<uint32_t> passed_;
  std::vector<Pair> pairs_;
};

// What helpers found, until the caller's thread takes it: `found` may need locks that others wait for, and a helper must
// hold none but this one, which only the caller waits for.
class NearPairs::Waiting {
 public:
  void add(std::span<const Pair> pairs) {
    const std::lock_guard lock(mutex_);
    pairs_.insert(pairs_.end(), pairs.begin(), pairs.end());
  }

  // False: `found` has had enough.
  bool hand_out(const std::function<bool(std::span<const Pair>)>& found) {
    std::vector<Pair> taken;
    {
      const std::lock_guard lock(mutex_);
      taken.swap(pairs_);
    }
    return taken.empty() || found(taken);
  }

 private:
  std::mutex mutex_;
  std::vector<Pair> pairs_;
};

NearPairs::NearPairs(size_t dim, size_t capacity, std::span<const float> sample)
    : directions_(find_leading_directions(sample, dim, ShortCodes::kNumbers - kRestNumbers, Origin::mean)),
      short_(capacity, largest_number(directions_, sample)),
      whole_(dim, capacity) {}

void NearPairs::add(const float* unit_vector) {
  std::array<float, ShortCodes::kNumbers> numbers;
  shorten(directions_, unit_vector, 1.0f, numbers);
  short_.add(numbers);
  whole_.put(size_, unit_vector);
  whole_error_ = std::max(whole_error_, whole_.error(size_));
  ++size_;
}

void NearPairs::find(size_t fresh, float threshold, size_t workers,
                     const std::function<bool(std::span<const Pair>)>& found) const {
  std::atomic<bool> enough = false;
  const Interruption interruption = interruption_of_thread();
  const std::thread::id caller = std::this_thread::get_id();
  Waiting waiting;
  const std::function<bool(std::span<const Pair>)> leave = [&](std::span<const Pair> pairs) {
    waiting.add(pairs);
    return true;
  };
  share_out(workers, fresh, kQueriesAtOnce, [&](size_t first, size_t last) {
    const bool helps = std::this_thread::get_id() != caller;
    if (helps) run_in_spare_time();
    share_interruption(interruption);
    check_interruption();
    if (enough) return;
    Search search(*this, threshold, helps ? leave : found);
    if (!search.run(first, last) || (!helps && !waiting.hand_out(found))) enough = true;
  });
  if (!enough) waiting.hand_out(found);
}

}  // namespace memspan
