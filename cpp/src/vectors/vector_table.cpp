#include "vectors/vector_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vectors/unit_vector.hpp"

namespace memspan {

FreshRows& VectorTable::fresh(uint32_t which) {
  if (!fresh_[which]) fresh_[which] = std::make_unique<FreshRows>(dim());
  return *fresh_[which];
}

size_t VectorTable::fresh_rows() const {
  size_t total = 0;
  for (const auto& fresh : fresh_) total += fresh ? fresh->live() : 0;
  return total;
}

size_t VectorTable::fresh_places() const {
  size_t total = 0;
  for (const auto& fresh : fresh_) total += fresh ? fresh->size() : 0;
  return total;
}

Slot VectorTable::late_slot(size_t i) const {
  if (i < young_places()) return young_->rows.slot(i);
  i -= young_places();
  const size_t in_first = fresh_[0] ? fresh_[0]->size() : 0;
  const auto [rows, offset] = i < in_first ? fresh_[0]->find(static_cast<uint32_t>(i)) : fresh_[1]->find(static_cast<uint32_t>(i - in_first));
  return rows->slot(offset);
}

void VectorTable::add(Slot slot, Micros at, std::span<const float> vector) {
  if (slot >= places_.size()) places_.resize(slot + size_t{1}, kNowhere);
  if (build_ && build_->layout && slot >= build_->places.size()) build_->places.resize(slot + size_t{1}, kNowhere);
  if (vector.empty()) return;
  rows_.grow(slot + size_t{1});
  rows_.check(slot);
  if (build_) build_->reserve(places_.size());
  std::byte* const row = rows_.row(slot);
  if (shape_.format() == RowFormat::float32) {
    normalize(vector, reinterpret_cast<float*>(row));
    put_fresh(slot, at, reinterpret_cast<const float*>(row));
  } else {
    thread_local std::vector<float> unit;
    unit.resize(dim());
    normalize(vector, unit.data());
    shape_.write(unit.data(), row);
    put_fresh(slot, at, shape_.floats(row, unit.data()));  // codes of what is kept
  }
  ++count_;
}

void VectorTable::put_fresh(Slot slot, Micros at, const float* unit_vector) {
  const auto [position, scale] = fresh(active_).add(slot, at, unit_vector);
  places_[slot] = (kFresh + active_) << kPositionBits | position;
  max_scale_ = std::max(max_scale_, scale);
  note_change(slot);
}

void VectorTable::erase_codes(uint32_t place) {
  const uint32_t region = VectorTable::region(place);
  if (is_fresh(region)) {
    fresh_[region - kFresh]->erase(position(place));
  } else {
    layout_at(region).erase(position(place));
  }
}

void VectorTable::remove(Slot slot, bool keep_row) {
  if (!has(slot)) return;
  erase_codes(places_[slot]);
  places_[slot] = kNowhere;
  --count_;
  note_change(slot);
  if (keep_row) return;
  if (build_ && !build_->layout) {
    build_->to_zero.push_back(slot);
  } else {
    rows_.erase(slot);
  }
}

// Rows of bfloat16 are not of length 1 to the digit, but each is one with itself.
float VectorTable::cosine(Slot a, Slot b) const {
  if (std::memcmp(row(a), row(b), shape_.bytes()) == 0) return 1.0f;
  thread_local std::vector<float> buffer;
  return cosine(floats(a, buffer).data(), b);
}

void VectorTable::cosines(std::span<const Slot> a, std::span<const Slot> b, float* out) const {
  thread_local std::array<std::vector<float>, 2 * kRowsTogether> buffers;
  std::array<const float*, kRowsTogether> firsts;
  std::array<const float*, kRowsTogether> seconds;
  for (size_t first = 0; first < a.size(); first += kRowsTogether) {
    const size_t count = std::min(kRowsTogether, a.size() - first);
    for (size_t i = 0; i < count; ++i) {
      firsts[i] = floats(a[first + i], buffers[2 * i]).data();
      seconds[i] = floats(b[first + i], buffers[2 * i + 1]).data();
    }
    kernels().dot_pairs(firsts.data(), seconds.data(), count, dim(), out + first);
  }
}

void VectorTable::check(Slot slot) const {
  if (!has(slot)) return;
  rows_.check(slot);
  const auto [rows, position] = find_codes(places_[slot]);
  rows->check(position);
  const uint32_t region = VectorTable::region(places_[slot]);
  if (!is_fresh(region) && layout_at(region).short_rows) layout_at(region).short_rows->check(position, 1);
}

void VectorTable::check_all() const {
  for (Slot slot = 0; slot < places_.size(); ++slot) check(slot);
}

void VectorTable::begin_layout(LayoutScope scope) {
  auto build = std::make_unique<Build>();
  build->region = region_of(scope);
  build->reserve(places_.size());
  build->touch();
  if (!fresh_[1 - active_]) {
    active_ = 1 - active_;
  } else {
    // What an abandoned layout was to take is still there and goes first. What came since stays where it is, which the new
    // layout has to learn. Rare, so that O(slots) under the lock is borne.
    for (Slot slot = 0; slot < places_.size(); ++slot) {
      if (has(slot) && region(places_[slot]) == kFresh + active_) build->changed.push_back(slot);
    }
  }
  build_ = std::move(build);
}

bool VectorTable::copy_places(Places& places, size_t most) const {
  if (build_->region == kLaidOut) return true;
  const size_t end = std::min(places_.size(), places.size() + most);
  while (places.size() < end) places.push_back(places_[places.size()]);
  return end == places_.size();
}

void VectorTable::put_places(const ClusterLayout& layout, LayoutScope scope, Places& places) {
  for (uint32_t p = 0; p < layout.size; ++p) {
    const Slot slot = layout.rows.slot(p);
    if (slot >= places.size()) places.resize(slot + size_t{1}, kNowhere);
    places[slot] = region_of(scope) << kPositionBits | p;
  }
}

void VectorTable::offer_layout(std::unique_ptr<ClusterLayout> layout, Places places, float max_scale) {
  places.resize(std::max(places.size(), places_.size()), kNowhere);
  build_->places = std::move(places);
  build_->max_scale = max_scale;
  build_->layout = std::move(layout);
}

// The order does not matter: each takes over where its slot is by now.
bool VectorTable::catch_up(size_t most) noexcept {
  auto& changed = build_->changed;
  if (!build_->layout) changed.clear();
  for (size_t left = most; left > 0 && !changed.empty(); --left, changed.pop_back()) {
    build_->follow(changed.back(), places_[changed.back()]);
  }
  return changed.empty();
}

bool VectorTable::erase_removed(size_t most) noexcept {
  auto& to_zero = build_->to_zero;
  for (size_t left = most; left > 0 && !to_zero.empty(); --left, to_zero.pop_back()) rows_.erase(to_zero.back());
  return to_zero.empty();
}

VectorTable::Retired VectorTable::install_layout() noexcept {
  catch_up(~size_t{0});
  const bool all = build_->region == kLaidOut;
  std::swap(all ? layout_ : young_, build_->layout);
  std::swap(places_, build_->places);
  max_scale_ = all && !fresh_[active_] ? build_->max_scale : std::max(build_->max_scale, max_scale_);
  Retired retired = abandon_layout();
  if (all) retired.young = std::move(young_);
  retired.fresh = std::exchange(fresh_[1 - active_], nullptr);
  rows_.fit();
  return retired;
}

VectorTable::Retired VectorTable::abandon_layout() noexcept {
  for (const Slot slot : build_->to_zero) rows_.erase(slot);
  Retired retired{std::move(build_->layout), nullptr, nullptr, std::move(build_->places)};
  build_.reset();
  return retired;
}

double VectorTable::fragmentation() const {
  size_t places = fresh_places();
  size_t scattered = places;
  for_each_layout([&](const ClusterLayout& layout) { places += layout.size, scattered += layout.dead; });
  return places == 0 ? 0.0 : static_cast<double>(scattered) / static_cast<double>(places);
}

size_t VectorTable::mapped_bytes() const {
  size_t total = rows_.mapped_bytes();
  for (const auto& fresh : fresh_) total += fresh ? fresh->mapped_bytes() : 0;
  for_each_layout([&](const ClusterLayout& layout) { total += layout.mapped_bytes(); });
  return total;
}

size_t VectorTable::bytes() const {
  size_t total = rows_.bytes() + places_.bytes();
  for (const auto& fresh : fresh_) total += fresh ? sizeof(FreshRows) + fresh->bytes() : 0;
  for_each_layout([&](const ClusterLayout& layout) { total += sizeof(ClusterLayout) + layout.bytes(); });
  return total;
}

}  // namespace memspan
