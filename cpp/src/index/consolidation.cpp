#include "index/consolidation.hpp"

#include <algorithm>

namespace memspan {
namespace {

// Of 2 sqrt(n) blocks, a search of well clustered vectors probes about so many.
constexpr double kUsuallyProbed = 16.0;

constexpr size_t kGrowth = 2;  // a plan serves until the user has grown so many times
// Or until as many rows have come as there were, and searches read kWorthPlanning times as much for those that joined; where
// they read more, for so much fewer, but not for less than this share: then a row that comes pays for some thirty.
constexpr double kLeastTurnover = 1.0 / 32;

// A change pays for laying out so many rows, about half a microsecond each.
constexpr size_t kRowsForAChange = 16;

// Young rows are laid out by themselves until they are one in so many of those that are laid out, or so many at most: then a row
// that comes has some six young ones and eight of the others written again, of 200,000, and not 24. Not where searches read much of
// what is laid out, for they would read as much of the young rows.
constexpr size_t kYoungShare = 8;
constexpr size_t kMostYoung = 65'536;
constexpr float kMostProbed = 0.25f;

double rows_read(const ClusterLayout& layout, float share, double rows) {
  return static_cast<double>(layout.blocks.size()) + static_cast<double>(share) * rows;
}

// Large users, of whom a sixteenth is more than searches should scan, and whose layout serves as it is.
bool may_keep_young(const ClusterLayout& layout, size_t dim) {
  return layout.size * code_stride(dim) >= kRowsForAChange * kManyYoungBytes && !layout.short_rows &&
         layout.probed_share <= kMostProbed && layout.dead * kRowsForAChange < layout.size;
}

double young_rows_read(const ClusterLayout* young, size_t rows) {
  const double blocks = planned_blocks(rows);
  const double usual = std::min(1.0, kUsuallyProbed / blocks);
  const double share = young != nullptr ? static_cast<double>(young->probed_share) : usual;
  return blocks + share * static_cast<double>(rows);
}

}  // namespace

bool outgrown(const ClusterLayout& layout, size_t rows, size_t late) {
  const double when_planned = rows_read(layout, layout.planned_share, static_cast<double>(rows));
  const double joined = rows_read(layout, layout.probed_share, static_cast<double>(rows));
  const double turnover = static_cast<double>(layout.joined + late) / static_cast<double>(std::max<size_t>(1, layout.planned_for));
  return joined >= kWorthPlanning * when_planned && turnover >= kLeastTurnover &&
         turnover * (joined / when_planned - 1.0) >= kWorthPlanning - 1.0;
}

Reading estimate_reading(const VectorTable& vectors, const Cohesion& cohesion) {
  Reading reading;
  const ClusterLayout* const layout = vectors.layout();
  const auto fresh = static_cast<double>(vectors.fresh_places());
  const auto rows = static_cast<double>(vectors.count());
  if (layout == nullptr || layout->blocks.size() <= 1) {
    if (vectors.count() < kSmallestClustered) return reading;
    const double blocks = planned_blocks(vectors.count());
    reading.now = fresh + static_cast<double>(layout ? layout->size : 0);
    reading.extended = reading.planned = blocks + std::min(1.0, kUsuallyProbed / blocks) * rows;
    return reading;
  }
  // Known of this user's vectors, since they were laid out: how well they cluster, and what is read for rows that joined.
  const auto share = static_cast<double>(layout->planned_share);
  const auto share_now = static_cast<double>(layout->probed_share);
  const auto probed = [&](double held) {
    return held > 0.0 ? std::clamp(share * layout->cohesion / held, share_now, 1.0) : share_now;
  };
  const auto blocks = static_cast<double>(layout->blocks.size());
  // Not better than what was measured when rows last joined: whoever was called for that must not find otherwise.
  reading.extended = blocks + probed(std::min(cohesion.joined, layout->cohesion_now)) * rows;
  const double much = kWorthPlanning * rows_read(*layout, layout->planned_share, rows);
  reading.loose = reading.extended >= much && reading.extended > rows_read(*layout, layout->probed_share, rows);
  reading.outgrown = outgrown(*layout, vectors.count(), vectors.late_places());
  reading.anew = reading.loose || reading.outgrown || vectors.count() >= kGrowth * layout->planned_for ||
                 vectors.count() * kGrowth <= layout->planned_for;
  if (vectors.count() < kSmallestClustered) return reading;
  const double growth = planned_blocks(vectors.count()) / planned_blocks(std::max<size_t>(1, layout->planned_for));
  const double laid_out = blocks + probed(cohesion.laid_out) * static_cast<double>(layout->size);
  const ClusterLayout* const young = vectors.young_layout();
  reading.now = fresh + laid_out + (young ? rows_read(*young, young->probed_share, static_cast<double>(young->size)) : 0.0);
  reading.planned = blocks * growth + share * rows;
  const size_t late = vectors.late_places();
  if (!reading.anew && late >= kSmallestClustered && late <= std::min(layout->size / kYoungShare, kMostYoung) &&
      may_keep_young(*layout, vectors.dim())) {
    reading.young = laid_out + young_rows_read(young, late);
  }
  return reading;
}

const ClusterLayout* young_base(const VectorTable& vectors) {
  const ClusterLayout* const young = vectors.young_layout();
  return young && vectors.late_places() < kGrowth * young->planned_for ? young : nullptr;
}

bool consolidation_pays(const VectorTable& vectors) {
  const ClusterLayout* const layout = vectors.layout();
  Cohesion cohesion;  // as last measured
  if (layout) cohesion.laid_out = cohesion.joined = layout->cohesion_now;
  if (layout && (layout->cohesion_now < layout->cohesion || layout->probed_share > layout->planned_share)) {
    const Reading reading = estimate_reading(vectors, cohesion);
    if (reading.loose || reading.outgrown) return true;
  }
  const size_t changed = vectors.changed_rows();
  if (changed < kLeastChanged) return false;
  const size_t many = layout && may_keep_young(*layout, vectors.dim()) ? kManyYoungBytes : kManyFreshBytes;
  if (changed * kRowsForAChange < vectors.count() && fresh_bytes(vectors) < many) return false;
  if (vectors.count() < kSmallestClustered) return layout != nullptr;  // what is left of more: drop the dead
  const Reading reading = estimate_reading(vectors, cohesion);
  if (reading.gain(false, reading.scope()) >= kWorthwhileGain) return true;
  return layout != nullptr && vectors.count() >= kGrowth * layout->planned_for;
}

void collect_rows(const UserColumns& user, const RowStore& pinned, Slot first, Slot last, LayoutInput& input) {
  for (Slot slot = first; slot < last; ++slot) {
    if (!user.vectors.pending(slot)) continue;
    input.slots.push_back(slot);
    input.ats.push_back(user.ats[slot]);
    pinned.check(slot);
    input.rows.push_back(pinned.row(slot));
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
    const auto rows = static_cast<double>(total.rows + part.rows);
    if (rows == 0.0) return;
    total.*value = (total.*value * static_cast<double>(total.rows) + part.*value * static_cast<double>(part.rows)) / rows;
  };
  join(&ConsolidationReport::cohesion_before);
  join(&ConsolidationReport::cohesion_after);
  join(&ConsolidationReport::fragmentation_before);
  join(&ConsolidationReport::fragmentation_after);
  join(&ConsolidationReport::estimated_gain);
  join(&ConsolidationReport::measured_gain);
  total.users += part.users;
  total.skipped += part.skipped;
  total.rows += part.rows;
  total.records += part.records;
  total.clusters += part.clusters;
  total.blocks_before += part.blocks_before;
  total.blocks_after += part.blocks_after;
  total.clustered_by_tags += part.clustered_by_tags;
  total.clustered_anew += part.clustered_anew;
  total.bytes_moved += part.bytes_moved;
  total.seconds += part.seconds;
}

}  // namespace memspan
