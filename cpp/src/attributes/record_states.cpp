#include "attributes/record_states.hpp"

#include <vector>

namespace memspan {

void RecordStates::add(Slot slot, const RecordInput& record) {
  const bool judged = record.importance != kNotJudged;
  const bool retired = record.retired_at != kForever;
  const bool expires = record.expires_at != kForever;
  // What was set before one of them throws reads as nothing again after a reset, which needs no memory.
  try {
    if (judged) importances_.set(slot, {record.importance});
    if (record.pinned) pins_.set(slot, true);
    if (retired) retired_.set(slot, before_forever(record.retired_at));
    if (expires) expiring_.set(slot, before_forever(record.expires_at));
  } catch (...) {
    importances_.reset(slot);
    pins_.reset(slot);
    retired_.reset(slot);
    throw;
  }
  judged_ += judged;
  pinned_ += record.pinned;
  retired_count_ += retired;
  expiring_count_ += expires;
}

void RecordStates::remove(Slot slot) noexcept {
  judged_ -= importance(slot) != kNotJudged;
  pinned_ -= pinned(slot);
  retired_count_ -= retired_at(slot) != kForever;
  expiring_count_ -= expires_at(slot) != kForever;
  importances_.reset(slot);
  pins_.reset(slot);
  retired_.reset(slot);
  expiring_.reset(slot);
}

void RecordStates::pin(Slot slot, bool pin) {
  if (pinned(slot) == pin) return;
  pin ? pins_.set(slot, true) : pins_.reset(slot);
  pin ? ++pinned_ : --pinned_;
}

// Four times: u64 records that have it, u32 slot of each, then f32 importance of each; nothing for pins; i64 retired_at
// of each; i64 expires_at of each.
void RecordStates::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> having;
  const auto list = [&](uint32_t count, auto has) {
    having.clear();
    for (uint32_t i = 0; count > 0 && i < live.size(); ++i) {
      if (has(live[i])) having.push_back(i);
    }
    out.put_array<uint32_t>(having);
  };
  list(judged_, [&](Slot slot) { return importance(slot) != kNotJudged; });
  out.put_each<float>(having.size(), [&](size_t i) { return importance(live[having[i]]); });
  list(pinned_, [&](Slot slot) { return pinned(slot); });
  list(retired_count_, [&](Slot slot) { return retired_at(slot) != kForever; });
  out.put_each<Micros>(having.size(), [&](size_t i) { return retired_at(live[having[i]]); });
  list(expiring_count_, [&](Slot slot) { return expires_at(slot) != kForever; });
  out.put_each<Micros>(having.size(), [&](size_t i) { return expires_at(live[having[i]]); });
}

void RecordStates::load(ByteReader& in, size_t slots) {
  const auto list = [&] {
    const std::vector<uint32_t> having = in.get_array<uint32_t>();
    for (size_t i = 0; i < having.size(); ++i) {
      in.check(having[i] < slots && (i == 0 || having[i - 1] < having[i]), "records with a state are not in order");
    }
    return having;
  };
  const auto load_times = [&](Times& times) {
    const std::vector<uint32_t> having = list();
    const std::vector<Micros> values = in.get_each<Micros>(having.size());
    for (size_t i = 0; i < having.size(); ++i) {
      in.check(values[i] >= kMinTime && values[i] <= kMaxTime, "a state's time is out of range");
      times.set(having[i], before_forever(values[i]));
    }
    return static_cast<uint32_t>(having.size());
  };
  const std::vector<uint32_t> judged = list();
  const std::vector<float> importances = in.get_each<float>(judged.size());
  for (size_t i = 0; i < judged.size(); ++i) {
    in.check(importances[i] >= 0.0f && importances[i] <= 1.0f, "an importance is not in 0-1");
    importances_.set(judged[i], {importances[i]});
  }
  judged_ = static_cast<uint32_t>(judged.size());
  const std::vector<uint32_t> pinned = list();
  for (const uint32_t slot : pinned) pins_.set(slot, true);
  pinned_ = static_cast<uint32_t>(pinned.size());
  retired_count_ = load_times(retired_);
  expiring_count_ = load_times(expiring_);
}

size_t RecordStates::bytes() const {
  return importances_.bytes() + pins_.bytes() + retired_.bytes() + expiring_.bytes();
}

}  // namespace memspan
