// Which records are not to be found any more: those that nobody believes (retired), and those whose time to live is over
// (expired). Both are few; a user without any pays nothing for them.
//
// Retired is retired, whatever the clock says now: a clock that was set back does not bring a record back. Expired is
// what the clock says.
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: a bit for each slot up to the last
// retired one, 16 bytes for each record with an end of its life.
#pragma once

#include <algorithm>
#include <span>

#include "attributes/json.hpp"
#include "base/bitset.hpp"
#include "base/lazy.hpp"
#include "base/sorted_blocks.hpp"
#include "memspan/types.hpp"

namespace memspan {

class Standing {
 public:
  struct Expiry {
    Micros at;
    Slot slot;
    friend auto operator<=>(const Expiry&, const Expiry&) = default;
  };

  // kForever: never. Both in O(log n) of the records with an end of their life. If that throws, nothing has changed.
  void add(Slot slot, Micros retired_at, Micros expires_at);
  // With the times that it was added with.
  void remove(Slot slot, Micros retired_at, Micros expires_at) noexcept;

  // Is there a record that is retired, or may expire?
  bool empty() const { return retired_count() == 0 && expiring_count() == 0; }
  size_t retired_count() const { return ends_->retired_count; }
  size_t expiring_count() const { return ends_->expiries.size(); }
  bool retired(Slot slot) const { return ends_ && slot < ends_->retired.size() && ends_->retired.test(slot); }
  // The retired of the slots 64 i to 64 i + 63, as bits.
  uint64_t retired_word(size_t i) const { return ends_->retired.word(i); }
  // O(slots / 64 + retired).
  template <typename F>
  void for_each_retired(F&& f) const {
    ends_->retired.for_each(f);
  }
  bool any_expired(Micros now) const { return expiring_count() > 0 && ends_->expiries.front().at <= now; }
  // O(expired).
  template <typename F>
  void for_each_expired(Micros now, F&& f) const {
    const SortedBlocks<Expiry>& expiries = ends_->expiries;
    for (auto expiry = expiries.begin(); expiry != expiries.end() && expiry->at <= now; ++expiry) f(expiry->slot);
  }
  size_t bytes() const { return ends_.bytes(); }

 private:
  static bool before(const Expiry& a, const Expiry& b) { return a < b; }

  struct Ends {
    Bitset retired;
    size_t retired_count = 0;
    SortedBlocks<Expiry> expiries;  // by time, then by slot

    size_t bytes() const { return retired.bytes() + expiries.bytes(); }
  };

  Lazy<Ends> ends_;
};

// The end that a record had before it was retired: microseconds under `until` of the object `ended` of its metadata, where
// whoever retires a record keeps it; kForever if there is none, or one that is no time.
Micros until_before_retirement(const json::object& metadata);

// The clock on the wall, as `recorded_at` and `expires_at` mean it.
Micros wall_clock();

}  // namespace memspan
