#include "attributes/standing.hpp"

#include <chrono>
#include <vector>

namespace memspan {

void Standing::add(Slot slot, Micros retired_at, Micros expires_at) {
  const bool retires = retired_at != kForever;
  const bool expires = expires_at != kForever;
  if (!retires && !expires) return;
  Ends& ends = ends_.make();
  if (retires && slot >= ends.retired.size()) {
    ends.retired.resize(std::max<size_t>({64, 2 * ends.retired.size(), size_t{slot} + 1}));
  }
  if (expires) ends.expiries.insert({expires_at, slot}, before);
  if (retires) {
    ends.retired.set(slot);
    ++ends.retired_count;
  }
}

void Standing::remove(Slot slot, Micros retired_at, Micros expires_at) noexcept {
  if (!ends_) return;
  Ends& ends = ends_.make();
  if (retired_at != kForever) {
    ends.retired.reset(slot);
    if (--ends.retired_count == 0) ends.retired = Bitset();
  }
  if (expires_at != kForever) ends.expiries.erase({expires_at, slot}, before);
  if (empty()) ends_.reset();
}

Micros until_before_retirement(const json::object& metadata) {
  const json::value* const ended = metadata.if_contains("ended");
  const json::object* const note = ended == nullptr ? nullptr : ended->if_object();
  const json::value* const until = note == nullptr ? nullptr : note->if_contains("until");
  const int64_t* const time = until == nullptr ? nullptr : until->if_int64();
  return time == nullptr || *time < kMinTime || *time > kMaxTime ? kForever : *time;
}

Micros wall_clock() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace memspan
