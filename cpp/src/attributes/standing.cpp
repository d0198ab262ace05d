#include "attributes/standing.hpp"

#include <chrono>
#include <vector>

namespace memspan {

void Standing::add(Slot slot, Micros retired_at, Micros expires_at) {
  const bool retires = retired_at != kForever;
  if (retires && slot >= retired_.size()) {
    retired_.resize(std::max<size_t>({64, 2 * retired_.size(), size_t{slot} + 1}));
  }
  if (expires_at != kForever) expiries_.insert({expires_at, slot}, before);
  if (retires) {
    retired_.set(slot);
    ++retired_count_;
  }
}

void Standing::remove(Slot slot, Micros retired_at, Micros expires_at) noexcept {
  if (retired_at != kForever) {
    retired_.reset(slot);
    if (--retired_count_ == 0) retired_ = Bitset();
  }
  if (expires_at != kForever) expiries_.erase({expires_at, slot}, before);
}

Micros until_before_retirement(const json::object& metadata) {
  const json::value* const ended = metadata.if_contains("ended");
  const json::object* const fields = ended == nullptr ? nullptr : ended->if_object();
  const json::value* const until = fields == nullptr ? nullptr : fields->if_contains("until");
  const int64_t* const time = until == nullptr ? nullptr : until->if_int64();
  return time == nullptr ? kForever : *time;
}

Micros wall_clock() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace memspan
