// VectorTable::save and load.
//
//   table  := u8 present, for each live slot; then the present rows, dim f32 each; u8 laid out, layout if it is
//   layout := u8 basis  u32 clusters  u64 planned for  f64 cohesion  f32 probed share  f32 reach of each depth and recall
//             u64 blocks, for each: u32 rows  u32 cluster  f32 mean  f32 variance  f32 orthogonal  f32 scale  centroid codes
//             u64 rows, for each: u32 ordinal among the live slots
//
// Codes are made again from the rows: that costs less than reading them.
#include <algorithm>
#include <cmath>

#include "vectors/unit_vector.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

void save_layout(const ClusterLayout& layout, ByteWriter& out, std::span<const uint32_t> ordinals) {
  out.put<uint8_t>(static_cast<uint8_t>(layout.basis));
  out.put<uint32_t>(layout.clusters);
  out.put<uint64_t>(layout.planned_for);
  out.put<double>(layout.cohesion);
  out.put<float>(layout.probed_share);
  for (const auto& depth : layout.reach.table()) {
    for (const float reach : depth) out.put<float>(reach);
  }
  out.put<uint64_t>(layout.blocks.size());
  std::vector<uint32_t> order;
  std::vector<uint32_t> new_position(layout.size + 1, 0);  // without the dead rows
  for (uint32_t p = 0; p < layout.size; ++p) {
    new_position[p] = static_cast<uint32_t>(order.size());
    if (layout.rows.slot(p) != kNoSlot) order.push_back(ordinals[layout.rows.slot(p)]);
  }
  new_position[layout.size] = static_cast<uint32_t>(order.size());
  const size_t stride = layout.centroids.stride();
  for (size_t b = 0; b < layout.blocks.size(); ++b) {
    const Block& block = layout.blocks[b];
    out.put<uint32_t>(new_position[block.end] - new_position[block.start]);
    out.put<uint32_t>(block.cluster);
    out.put<float>(layout.means[b]);
    out.put<float>(layout.variances[b]);
    out.put<float>(layout.orthogonals[b]);
    out.put<float>(layout.centroids.scales()[b]);
    for (size_t i = 0; i < stride; ++i) out.put<uint8_t>(layout.centroids.codes(b)[i]);
  }
  out.put_array<uint32_t>(order);
}

}  // namespace

void VectorTable::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> ordinals(places_.size(), 0);
  for (uint32_t i = 0; i < live.size(); ++i) {
    ordinals[live[i]] = i;
    out.put<uint8_t>(has(live[i]));
  }
  for (const Slot slot : live) {
    if (!has(slot)) continue;
    for (const float value : row(slot)) out.put<float>(value);
  }
  out.put<uint8_t>(layout_ != nullptr);
  if (layout_) save_layout(*layout_, out, ordinals);
}

void VectorTable::load(ByteReader& in, std::span<const Micros> ats) {
  in.check(ats.size() <= in.left(), "fewer vectors than records");
  std::vector<uint8_t> present(ats.size());
  for (uint8_t& mark : present) {
    mark = in.get<uint8_t>();
    in.check(mark <= 1, "a record's vector mark is neither 0 nor 1");
    count_ += mark;
  }
  in.check(count_ <= in.left() / (dim() * sizeof(float)), "the block ends too early");
  places_.assign(ats.size(), kNowhere);
  if (count_ > 0) rows_.grow(ats.size());
  for (Slot slot = 0; slot < ats.size(); ++slot) {
    if (present[slot] == 0) continue;
    float* const row = rows_.row(slot);
    for (size_t i = 0; i < dim(); ++i) row[i] = in.get<float>();
    in.check(is_unit({row, dim()}), "a vector does not have length 1");
  }
  const auto laid_out = in.get<uint8_t>();
  in.check(laid_out <= 1, "a layout's mark is neither 0 nor 1");
  if (laid_out == 1) load_layout(in, ats, present);
  for (Slot slot = 0; slot < ats.size(); ++slot) {
    if (present[slot] == 1 && !has(slot)) put_fresh(slot, ats[slot], rows_.row(slot));
  }
}

void VectorTable::load_layout(ByteReader& in, std::span<const Micros> ats, std::span<const uint8_t> present) {
  auto layout = std::make_unique<ClusterLayout>();
  const auto basis = in.get<uint8_t>();
  in.check(basis < kClusterBasisNames.size(), "an unknown basis of clusters");
  layout->basis = static_cast<ClusterBasis>(basis);
  layout->clusters = in.get<uint32_t>();
  layout->planned_for = in.get<uint64_t>();
  layout->cohesion = in.get<double>();
  layout->probed_share = in.get<float>();
  in.check(layout->probed_share >= 0.0f && layout->probed_share <= 1.0f, "a probed share is not one");
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
    for (size_t r = 0; r < ProbeReach::kRecalls.size(); ++r) {
      const auto reach = in.get<float>();
      in.check(std::isfinite(reach), "a reach is not finite");
      layout->reach.set(d, r, reach);
    }
  }

  const size_t stride = code_stride(dim());
  const uint64_t count = in.get_count(6 * sizeof(uint32_t) + stride);
  layout->blocks.resize(count);
  layout->means.resize(count);
  layout->variances.resize(count);
  layout->orthogonals.resize(count);
  layout->centroids = CodeRows(dim(), count);
  uint64_t rows = 0;
  for (size_t b = 0; b < count; ++b) {
    Block& block = layout->blocks[b];
    block.start = static_cast<uint32_t>(rows);
    rows += in.get<uint32_t>();
    in.check(rows <= ats.size(), "blocks hold more rows than there are");
    block.end = static_cast<uint32_t>(rows);
    block.cluster = in.get<uint32_t>();
    in.check(block.cluster < layout->clusters, "a block of an unknown cluster");
    layout->means[b] = in.get<float>();
    layout->variances[b] = in.get<float>();
    layout->orthogonals[b] = in.get<float>();
    const auto scale = in.get<float>();
    in.check(std::isfinite(layout->means[b]) && layout->variances[b] >= 0.0f && layout->variances[b] <= 1.0f &&
                 layout->orthogonals[b] >= 0.0f && layout->orthogonals[b] <= 1.0f && std::isfinite(scale),
             "a block's figures are out of range");
    uint8_t* const codes = layout->centroids.set(b, scale);
    for (size_t i = 0; i < stride; ++i) codes[i] = in.get<uint8_t>();
  }

  const std::vector<uint32_t> order = in.get_array<uint32_t>();
  in.check(order.size() == rows, "a layout's rows are not those of its blocks");
  layout->size = order.size();
  layout->rows = CodeRows(dim(), order.size());
  for (uint32_t p = 0; p < order.size(); ++p) {
    const Slot slot = order[p];
    in.check(slot < ats.size() && present[slot] == 1 && !has(slot), "a layout names a row that is not there, or twice");
    max_scale_ = std::max(max_scale_, layout->rows.put(p, slot, ats[slot], rows_.row(slot)));
    places_[slot] = p;
  }
  for (const Block& block : layout->blocks) {
    in.check(std::is_sorted(layout->rows.ats() + block.start, layout->rows.ats() + block.end), "a block is not in the order of time");
  }
  layout_ = std::move(layout);
}

}  // namespace memspan
