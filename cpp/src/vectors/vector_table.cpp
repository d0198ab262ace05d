#include "vectors/vector_table.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vectors/unit_vector.hpp"

namespace memspan {

void VectorTable::add(Slot slot, Micros at, std::span<const float> vector) {
  if (slot >= places_.size()) {
    rows_.resize(slot + 1);  // first, so that whoever has a place has a row
    places_.resize(slot + 1, kNowhere);
  }
  if (vector.empty()) {
    std::fill_n(rows_.row(slot), dim(), 0.0f);
    return;
  }
  normalize(vector, rows_.row(slot));
  put_fresh(slot, at);
  ++count_;
}

void VectorTable::put_fresh(Slot slot, Micros at) {
  const auto [position, scale] = fresh_[active_].add(slot, at, rows_.row(slot));
  places_[slot] = (kFresh + active_) << kPositionBits | position;
  max_scale_ = std::max(max_scale_, scale);
  if (building_) changed_.push_back(slot);
}

void VectorTable::erase_codes(uint32_t place) {
  const uint32_t region = VectorTable::region(place);
  if (region == kClustered) {
    layout_->erase(position(place));
  } else {
    fresh_[region - kFresh].erase(position(place));
  }
}

void VectorTable::remove(Slot slot) {
  if (!has(slot)) return;
  erase_codes(places_[slot]);
  places_[slot] = kNowhere;
  --count_;
  if (building_) {
    changed_.push_back(slot);
    to_zero_.push_back(slot);
  } else {
    std::fill_n(rows_.row(slot), dim(), 0.0f);
  }
}

void VectorTable::begin_layout() {
  building_ = true;
  if (fresh_[1 - active_].size() == 0) active_ = 1 - active_;
}

VectorTable::Retired VectorTable::install_layout(std::unique_ptr<ClusterLayout> layout, std::vector<uint32_t> places,
                                                 float max_scale) {
  places.resize(places_.size(), kNowhere);
  for (Slot slot : changed_) {
    // Whatever the new layout holds of a changed slot is gone by now: slots are not used again while it is built.
    if (places[slot] != kNowhere && region(places[slot]) == kClustered) layout->erase(position(places[slot]));
    places[slot] = places_[slot];
  }
  Retired retired;
  retired.layout = std::exchange(layout_, std::move(layout));
  retired.fresh = std::exchange(fresh_[1 - active_], FreshRows(dim()));
  retired.places = std::exchange(places_, std::move(places));
  max_scale_ = std::max(max_scale, fresh_[active_].live() == 0 ? 0.0f : max_scale_);
  abandon_layout();
  return retired;
}

void VectorTable::abandon_layout() {
  building_ = false;
  for (Slot slot : to_zero_) std::fill_n(rows_.row(slot), dim(), 0.0f);
  changed_ = {};
  to_zero_ = {};
}

double VectorTable::fragmentation() const {
  const size_t fresh = fresh_[0].size() + fresh_[1].size();
  const size_t places = fresh + (layout_ ? layout_->size : 0);
  if (places == 0) return 0.0;
  return static_cast<double>(fresh + (layout_ ? layout_->dead : 0)) / static_cast<double>(places);
}

void VectorTable::remap(std::span<const Slot> new_slots, size_t size) {
  RowStore rows(dim());
  rows.resize(size);
  std::vector<uint32_t> places(size, kNowhere);
  for (Slot old = 0; old < new_slots.size(); ++old) {
    const Slot slot = new_slots[old];
    if (slot == kNoSlot) continue;
    std::memcpy(rows.row(slot), rows_.row(old), dim() * sizeof(float));
    places[slot] = places_[old];
    if (places[slot] == kNowhere) continue;
    const uint32_t place = places[slot];
    if (region(place) == kClustered) {
      layout_->rows.set_slot(position(place), slot);
    } else {
      fresh_[region(place) - kFresh].set_slot(position(place), slot);
    }
  }
  rows_ = std::move(rows);
  places_ = std::move(places);
}

size_t VectorTable::bytes() const {
  return rows_.bytes() + places_.capacity() * sizeof(uint32_t) + fresh_[0].bytes() + fresh_[1].bytes() +
         (layout_ ? layout_->bytes() : 0);
}

}  // namespace memspan
