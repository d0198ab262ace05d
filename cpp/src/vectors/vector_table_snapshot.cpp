// VectorTable::save and load. Rows and codes lie in the body (stored_rows.hpp); all else is in the head.
//
//   table  := rows (row_shape.hpp) of slots 0, 1, ...   u8 layouts (of all rows, of the young ones): 0-2, each   codes of the fresh rows
//   codes  := u64 rows, for each: u32 slot, then for each: f32 scale   rows of codes, code_stride(dim) each
//   layout := u8 basis  u32 clusters  u64 planned for  f64 cohesion  f32 probed share  f32 overlap  f32 reach of each depth and recall
//             f32 lowest score tried of each depth   u64 blocks, for each: u32 rows  u32 cluster  f32 mean  f32 variance  f32 orthogonal  f32 scale  centroid codes
//             codes of its rows   u8 short rows, and if there are any: u32 directions, f32 each  f32 low and f32 step of each of
//             128 numbers   f32 most error   u64 rows apart, u32 each   f32 reach of each
//             depth and recall   f32 least covered   rows of 16 short rows each
#include <algorithm>
#include <cmath>
#include <cstring>

#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// Codes of rows that lie anywhere.
class CodeWriter {
 public:
  CodeWriter(std::span<const uint32_t> ordinals, size_t dim) : ordinals_(ordinals), stride_(code_stride(dim)) {}

  void add(const CodeRows& rows, size_t first, size_t count) {
    for (size_t i = first; i < first + count; ++i) {
      if (rows.slot(i) != kNoSlot) rows_.push_back({&rows, static_cast<uint32_t>(i)});
    }
  }
  size_t size() const { return rows_.size(); }
  uint32_t position(size_t i) const { return rows_[i].position; }

  void save(ByteWriter& head, BodyWriter& body) const {
    head.put<uint64_t>(rows_.size());
    head.put_each<uint32_t>(rows_.size(), [this](size_t i) { return ordinals_[rows_[i].rows->slot(rows_[i].position)]; });
    head.put_each<float>(rows_.size(), [this](size_t i) { return rows_[i].rows->scales()[rows_[i].position]; });
    StoredRows::save(head, body, rows_.size(), stride_, [this](size_t i, std::byte* out) {
      rows_[i].rows->check(rows_[i].position);
      std::memcpy(out, rows_[i].rows->codes(rows_[i].position), stride_);
    });
  }

 private:
  struct Row {
    const CodeRows* rows;
    uint32_t position;
  };
  std::span<const uint32_t> ordinals_;
  size_t stride_;
  std::vector<Row> rows_;
};

void put_reach(ByteWriter& out, const ProbeReach& reaches) {
  for (const auto& depth : reaches.table()) {
    for (const float reach : depth) out.put<float>(reach);
  }
}

ProbeReach get_reach(ByteReader& in) {
  ProbeReach reaches;
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
    for (size_t r = 0; r < ProbeReach::kRecalls.size(); ++r) {
      const auto reach = in.get<float>();
      in.check(std::isfinite(reach), "a reach is not finite");
      reaches.set(d, r, reach);
    }
  }
  return reaches;
}

// Of the rows that are saved, in their order.
void save_short_rows(const ShortRows& shorts, ByteWriter& out, BodyWriter& body, const CodeWriter& rows) {
  const LeadingDirections& directions = shorts.directions();
  out.put<uint32_t>(static_cast<uint32_t>(directions.count));
  out.put_each<float>(directions.rows.size(), [&](size_t i) { return directions.rows[i]; });
  const ShortScale& scale = shorts.scale();
  for (size_t d = 0; d < ShortRows::kNumbers; ++d) {
    out.put<float>(scale.low[d]);
    out.put<float>(scale.step[d]);
  }
  out.put<float>(scale.most_error);
  std::vector<uint32_t> apart;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    if (std::binary_search(shorts.apart().begin(), shorts.apart().end(), rows.position(i))) apart.push_back(i);
  }
  out.put_array<uint32_t>(apart);
  put_reach(out, shorts.reach);
  out.put<float>(shorts.least_covered);
  StoredRows::save(out, body, ShortRows::groups(rows.size()), ShortRows::kGroupBytes, [&](size_t group, std::byte* bytes) {
    auto* const codes = reinterpret_cast<uint8_t*>(bytes);
    std::fill_n(codes, ShortRows::kGroupBytes, uint8_t{0});
    const size_t first = group * ShortRows::kSideBySide;
    for (size_t i = first; i < std::min(rows.size(), first + ShortRows::kSideBySide); ++i) {
      ShortRows::write(shorts.codes(rows.position(i)), i, codes);
    }
  });
}

std::unique_ptr<ShortRows> load_short_rows(ByteReader& in, const Body& body, size_t dim, size_t rows) {
  LeadingDirections directions{dim, in.get<uint32_t>(), {}};
  in.check(directions.count <= std::min(dim, ShortRows::kCoordinates), "short rows have too many directions");
  const auto values = in.view_each<float>(directions.count * dim);
  directions.rows.resize(directions.count * dim);
  for (size_t i = 0; i < directions.rows.size(); ++i) {
    directions.rows[i] = values[i];
    in.check(std::abs(directions.rows[i]) <= 1.01f, "a direction is not of length 1");
  }
  ShortScale scale;
  for (size_t d = 0; d < ShortRows::kNumbers; ++d) {
    scale.low[d] = in.get<float>();
    scale.step[d] = in.get<float>();
    in.check(std::abs(scale.low[d]) <= 2.0f && scale.step[d] > 0.0f && scale.step[d] <= 1.0f, "short rows have no scale");
  }
  scale.most_error = in.get<float>();
  in.check(scale.most_error >= 0.0f && scale.most_error <= 4.0f, "the error of short rows is not one");
  std::vector<uint32_t> apart = in.get_array<uint32_t>();
  for (size_t i = 0; i < apart.size(); ++i) {
    in.check(apart[i] < rows && (i == 0 || apart[i - 1] < apart[i]), "short rows that are apart are not in order");
  }
  const ProbeReach reach = get_reach(in);
  const auto least_covered = in.get<float>();
  in.check(least_covered >= 0.0f && least_covered <= 1.01f, "the least that is covered is not a share");
  auto stored = std::make_unique<StoredRows>(in, body, ShortRows::kGroupBytes, nullptr);
  in.check(stored->size() == ShortRows::groups(rows) && rows > 0, "the short rows are not those of the layout");
  auto shorts = std::make_unique<ShortRows>(std::move(directions), scale, std::move(stored));
  shorts->keep_apart(std::move(apart));
  shorts->reach = reach;
  shorts->least_covered = least_covered;
  return shorts;
}

void save_layout(const ClusterLayout& layout, ByteWriter& out, BodyWriter& body, CodeWriter rows) {
  out.put<uint8_t>(static_cast<uint8_t>(layout.basis));
  out.put<uint32_t>(layout.clusters);
  out.put<uint64_t>(layout.planned_for);
  out.put<double>(layout.cohesion);
  out.put<float>(layout.probed_share);
  out.put<float>(layout.overlap);
  put_reach(out, layout.reach);
  for (const float score : layout.tried.table()) out.put<float>(score);
  // Without the dead rows, and the blocks that have no others.
  std::vector<uint32_t> sizes;
  for (const Block& block : layout.blocks) {
    const size_t before = rows.size();
    rows.add(layout.rows, block.start, block.end - block.start);
    sizes.push_back(static_cast<uint32_t>(rows.size() - before));
  }
  out.put<uint64_t>(sizes.size() - static_cast<size_t>(std::count(sizes.begin(), sizes.end(), 0u)));
  const size_t stride = layout.centroids.stride();
  for (size_t b = 0; b < layout.blocks.size(); ++b) {
    if (sizes[b] == 0) continue;
    out.put<uint32_t>(sizes[b]);
    out.put<uint32_t>(layout.blocks[b].cluster);
    out.put<float>(layout.means[b]);
    out.put<float>(layout.variances[b]);
    out.put<float>(layout.orthogonals[b]);
    out.put<float>(layout.centroids.scales()[b]);
    out.put_bytes({reinterpret_cast<const char*>(layout.centroids.codes(b)), stride});
  }
  rows.save(out, body);
  out.put<uint8_t>(layout.short_rows != nullptr);
  if (layout.short_rows) save_short_rows(*layout.short_rows, out, body, rows);
}

bool is_scale(float scale) { return scale >= 0.0f && scale <= 1.0f; }

}  // namespace

void VectorTable::save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live) const {
  std::vector<uint32_t> ordinals(places_.size(), 0);
  for (uint32_t i = 0; i < live.size(); ++i) ordinals[live[i]] = i;
  StoredRows::save(head, body, count_, shape_.bytes(), [&](size_t i, std::byte* out) {
    std::memcpy(out, row(live[i]), shape_.bytes());
  });
  std::vector<const ClusterLayout*> layouts;  // that hold any rows: the young one is the only one if it alone does
  for_each_layout([&](const ClusterLayout& layout) {
    if (layout.dead < layout.size) layouts.push_back(&layout);
  });
  head.put<uint8_t>(static_cast<uint8_t>(layouts.size()));
  for (const ClusterLayout* const layout : layouts) save_layout(*layout, head, body, CodeWriter(ordinals, dim()));
  CodeWriter fresh(ordinals, dim());
  for (const auto& rows : fresh_) {
    for (size_t first = 0; rows && first < rows->size();) {
      const FreshRows::Run run = rows->run(first);
      fresh.add(*run.rows, run.offset, run.count);
      first += run.count;
    }
  }
  fresh.save(head, body);
}

void VectorTable::load(ByteReader& in, const Body& body, const PackedValues<Micros>& ats) {
  auto rows = std::make_shared<StoredRows>(in, body, shape_.bytes(), [shape = shape_](const std::byte* row) { return shape.is_sound(row); });
  in.check(rows->size() <= ats.size(), "more vectors than records");
  if (rows->size() > 0) rows_ = RowStore(shape_.bytes(), std::move(rows));
  places_.resize(ats.size(), kNowhere);
  const auto layouts = in.get<uint8_t>();
  in.check(layouts <= 2, "there are more than two layouts");
  if (layouts > 0) layout_ = load_layout(in, body, ats, kLaidOut);
  if (layouts > 1) young_ = load_layout(in, body, ats, kYoung);
  CodeRows fresh = load_codes(in, body, ats, kFresh + active_);
  size_t fresh_count = count_;
  for_each_layout([&](const ClusterLayout& layout) { fresh_count -= layout.size; });
  if (fresh_count > 0) fresh_[active_] = std::make_unique<FreshRows>(dim(), std::move(fresh), fresh_count);
  in.check(count_ == rows_.size(), "a vector has no codes");
}

CodeRows VectorTable::load_codes(ByteReader& in, const Body& body, const PackedValues<Micros>& ats, uint32_t region) {
  const uint64_t count = in.get_count(sizeof(Slot) + sizeof(float));
  const auto slots = in.view_each<Slot>(count);
  const auto scales = in.view_each<float>(count);
  auto stored = std::make_unique<StoredRows>(in, body, code_stride(dim()), nullptr);
  in.check(stored->size() == count, "the codes are not those of the rows");
  if (count == 0) return {};
  CodeRows rows(dim(), std::move(stored));
  for (uint32_t p = 0; p < count; ++p) {
    const Slot slot = slots[p];
    in.check(slot < rows_.size() && !has(slot), "codes name a row that is not there, or twice");
    in.check(is_scale(scales[p]), "the scale of a row's codes is out of range");
    rows.describe(p, slot, ats[slot], scales[p]);
    places_[slot] = region << kPositionBits | p;
    max_scale_ = std::max(max_scale_, scales[p]);
  }
  count_ += count;
  return rows;
}

std::unique_ptr<ClusterLayout> VectorTable::load_layout(ByteReader& in, const Body& body, const PackedValues<Micros>& ats,
                                                        uint32_t region) {
  const size_t before = count_;
  auto layout = std::make_unique<ClusterLayout>();
  const auto basis = in.get<uint8_t>();
  in.check(basis < kClusterBasisNames.size(), "an unknown basis of clusters");
  layout->basis = static_cast<ClusterBasis>(basis);
  layout->clusters = in.get<uint32_t>();
  layout->planned_for = in.get<uint64_t>();
  layout->cohesion = layout->cohesion_now = in.get<double>();
  in.check(layout->cohesion >= 0.0 && layout->cohesion <= 1.01, "a cohesion is not one");
  layout->probed_share = layout->planned_share = in.get<float>();
  in.check(layout->probed_share >= 0.0f && layout->probed_share <= 1.0f, "a probed share is not one");
  layout->overlap = in.get<float>();
  in.check(layout->overlap >= 0.0f && layout->overlap <= 1.0f, "an overlap is not a share");
  layout->reach = get_reach(in);
  for (size_t d = 0; d < ProbeReach::kDepths.size(); ++d) {
    const auto score = in.get<float>();
    in.check(std::isfinite(score), "a score that was tried is not finite");
    layout->tried.lower_to(d, score);
  }

  const size_t stride = code_stride(dim());
  const uint64_t count = in.get_count(6 * sizeof(uint32_t) + stride);
  in.check(count > 0, "a layout without blocks");
  in.check(layout->clusters <= limits::kRecordsPerUser, "there are too many clusters");
  layout->blocks.resize(count);
  layout->means.resize(count);
  layout->variances.resize(count);
  layout->orthogonals.resize(count);
  layout->centroids = CodeRows(dim(), count);
  uint64_t rows = 0;
  for (size_t b = 0; b < count; ++b) {
    Block& block = layout->blocks[b];
    block.start = static_cast<uint32_t>(rows);
    const auto size = in.get<uint32_t>();
    rows += size;
    in.check(size > 0, "a block is empty");
    in.check(rows <= ats.size(), "blocks hold more rows than there are");
    block.end = static_cast<uint32_t>(rows);
    block.cluster = in.get<uint32_t>();
    in.check(block.cluster < layout->clusters, "a block of an unknown cluster");
    layout->means[b] = in.get<float>();
    layout->variances[b] = in.get<float>();
    layout->orthogonals[b] = in.get<float>();
    const auto scale = in.get<float>();
    in.check(std::abs(layout->means[b]) <= 1.01f && layout->variances[b] >= 0.0f && layout->variances[b] <= 1.0f &&
                 layout->orthogonals[b] >= 0.0f && layout->orthogonals[b] <= 1.0f && is_scale(scale),
             "a block's figures are out of range");
    layout->centroids.describe(b, static_cast<Slot>(b), 0, scale);
    std::memcpy(layout->centroids.writable_codes(b), in.get_bytes(stride).data(), stride);
  }

  layout->rows = load_codes(in, body, ats, region);
  in.check(count_ - before == rows, "a layout's rows are not those of its blocks");
  layout->size = rows;
  for (const Block& block : layout->blocks) {
    const Micros* const ats_of_rows = layout->rows.ats();
    in.check(std::is_sorted(ats_of_rows + block.start, ats_of_rows + block.end), "a block is not in the order of time");
  }
  layout->note_times();
  const auto shortened = in.get<uint8_t>();
  in.check(shortened <= 1, "a mark of short rows is neither 0 nor 1");
  if (shortened == 1) layout->short_rows = load_short_rows(in, body, dim(), rows);
  return layout;
}

}  // namespace memspan
