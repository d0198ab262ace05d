#include "index/consolidation.hpp"

#include <algorithm>
#include <cmath>

namespace memspan {
namespace {

// Of 2 sqrt(n) blocks, a search of well clustered vectors probes about so many.
constexpr double kUsuallyProbed = 16.0;

constexpr size_t kGrowth = 2;  // a plan serves until the user has grown so many times

// A change pays for laying out so many rows, about half a microsecond each.
constexpr size_t kRowsForAChange = 16;

}  // namespace

double estimate_gain(const VectorTable& vectors) {
  const size_t count = vectors.count();
  if (count < kSmallestClustered) return 1.0;
  const ClusterLayout* const layout = vectors.layout();
  const auto fresh = static_cast<double>(vectors.fresh_rows());
  const double rows = static_cast<double>(count);
  const double blocks = 2.0 * std::sqrt(rows);
  // Known of this user's vectors, once they were laid out: how well they cluster.
  const double share = layout && layout->blocks.size() > 1 ? static_cast<double>(layout->probed_share)
                                                           : std::min(1.0, kUsuallyProbed / blocks);
  const double before = layout ? fresh + static_cast<double>(layout->blocks.size()) +
                                     static_cast<double>(layout->probed_share) * static_cast<double>(layout->size)
                               : fresh;
  return before / (blocks + share * rows);
}

bool consolidation_pays(const VectorTable& vectors) {
  const size_t changed = vectors.changed_rows();
  if (changed < kLeastChanged) return false;
  if (changed * kRowsForAChange < vectors.count() && fresh_bytes(vectors) < kManyFreshBytes) return false;
  if (vectors.count() < kSmallestClustered) return vectors.layout() != nullptr;  // what is left of more: drop the dead
  if (estimate_gain(vectors) >= kWorthwhileGain) return true;
  const ClusterLayout* const layout = vectors.layout();
  return layout != nullptr && vectors.count() >= kGrowth * layout->planned_for;
}

bool should_extend(const VectorTable& vectors) {
  const ClusterLayout* const layout = vectors.layout();
  return layout != nullptr && layout->blocks.size() > 1 && vectors.count() < kGrowth * layout->planned_for &&
         vectors.count() * kGrowth > layout->planned_for;
}

void collect_rows(const UserColumns& user, Slot first, Slot last, LayoutInput& input) {
  for (Slot slot = first; slot < last; ++slot) {
    if (!user.vectors.pending(slot)) continue;
    input.slots.push_back(slot);
    input.ats.push_back(user.ats[slot]);
    input.rows.push_back(user.vectors.row(slot).data());
    if (input.base != nullptr) {
      input.blocks.push_back(user.vectors.block_of(slot));
      continue;
    }
    for (const TagId tag : user.tags.tags_of(slot)) input.tags.tags.push_back(tag);
    input.tags.offsets.push_back(static_cast<uint32_t>(input.tags.tags.size()));
  }
}

void collect_relations(const UserColumns& user, LayoutInput& input) {
  for (TagId tag = 0; tag < user.tags.capacity(); ++tag) {
    if (!user.tags.exists(tag)) continue;
    for (const TagId child : user.tags.graph().children(tag)) input.tags.relations.emplace_back(tag, child);
  }
}

void join_reports(ConsolidationReport& total, const ConsolidationReport& part) {
  const auto join = [&](double ConsolidationReport::* value) {
    const double records = static_cast<double>(total.records + part.records);
    if (records == 0.0) return;
    total.*value = (total.*value * static_cast<double>(total.records) + part.*value * static_cast<double>(part.records)) / records;
  };
  join(&ConsolidationReport::cohesion_before);
  join(&ConsolidationReport::cohesion_after);
  join(&ConsolidationReport::fragmentation_before);
  join(&ConsolidationReport::fragmentation_after);
  join(&ConsolidationReport::estimated_gain);
  join(&ConsolidationReport::measured_gain);
  total.users += part.users;
  total.skipped += part.skipped;
  total.records += part.records;
  total.clusters += part.clusters;
  total.blocks_before += part.blocks_before;
  total.blocks_after += part.blocks_after;
  total.clustered_by_tags += part.clustered_by_tags;
  total.bytes_moved += part.bytes_moved;
  total.seconds += part.seconds;
}

}  // namespace memspan
