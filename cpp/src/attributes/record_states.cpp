#include "attributes/record_states.hpp"

#include <vector>

namespace memspan {

void RecordStates::add(Slot slot, const RecordInput& record) {
  const bool judged = record.importance != kNotJudged;
  const bool retired = record.retired_at != kForever;
  const bool expires = record.expires_at != kForever;
  if (!judged && !record.pinned && !retired && !expires) return;
  Few& few = few_.make();
  // What was set before one of them throws reads as nothing again after a reset, which needs no memory.
  try {
    if (judged) few.importances.set(slot, {record.importance});
    if (record.pinned) few.pins.set(slot, true);
    if (retired) few.retired.set(slot, before_forever(record.retired_at));
    if (expires) few.expiring.set(slot, before_forever(record.expires_at));
  } catch (...) {
    few.importances.reset(slot);
    few.pins.reset(slot);
    few.retired.reset(slot);
    throw;
  }
  few.judged_count += judged;
  few.pinned_count += record.pinned;
  few.retired_count += retired;
  few.expiring_count += expires;
}

void RecordStates::remove(Slot slot) noexcept {
  if (!few_) return;
  Few& few = few_.make();
  few.judged_count -= importance(slot) != kNotJudged;
  few.pinned_count -= pinned(slot);
  few.retired_count -= retired_at(slot) != kForever;
  few.expiring_count -= expires_at(slot) != kForever;
  few.importances.reset(slot);
  few.pins.reset(slot);
  few.retired.reset(slot);
  few.expiring.reset(slot);
}

void RecordStates::pin(Slot slot, bool pin) {
  if (pinned(slot) == pin) return;
  Few& few = few_.make();
  pin ? few.pins.set(slot, true) : few.pins.reset(slot);
  pin ? ++few.pinned_count : --few.pinned_count;
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
  list(judged(), [&](Slot slot) { return importance(slot) != kNotJudged; });
  out.put_each<float>(having.size(), [&](size_t i) { return importance(live[having[i]]); });
  list(pinned(), [&](Slot slot) { return pinned(slot); });
  list(retired(), [&](Slot slot) { return retired_at(slot) != kForever; });
  out.put_each<Micros>(having.size(), [&](size_t i) { return retired_at(live[having[i]]); });
  list(expiring(), [&](Slot slot) { return expires_at(slot) != kForever; });
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
  const auto load_times = [&](Times Few::*times, uint32_t Few::*count) {
    const std::vector<uint32_t> having = list();
    const std::vector<Micros> values = in.get_each<Micros>(having.size());
    if (having.empty()) return;
    Few& few = few_.make();
    for (size_t i = 0; i < having.size(); ++i) {
      in.check(values[i] >= kMinTime && values[i] <= kMaxTime, "a state's time is out of range");
      (few.*times).set(having[i], before_forever(values[i]));
    }
    few.*count = static_cast<uint32_t>(having.size());
  };
  const std::vector<uint32_t> judged = list();
  const std::vector<float> importances = in.get_each<float>(judged.size());
  for (size_t i = 0; i < judged.size(); ++i) {
    in.check(importances[i] >= 0.0f && importances[i] <= 1.0f, "an importance is not in 0-1");
    few_.make().importances.set(judged[i], {importances[i]});
  }
  if (!judged.empty()) few_.make().judged_count = static_cast<uint32_t>(judged.size());
  const std::vector<uint32_t> pinned = list();
  for (const uint32_t slot : pinned) few_.make().pins.set(slot, true);
  if (!pinned.empty()) few_.make().pinned_count = static_cast<uint32_t>(pinned.size());
  load_times(&Few::retired, &Few::retired_count);
  load_times(&Few::expiring, &Few::expiring_count);
}

}  // namespace memspan
