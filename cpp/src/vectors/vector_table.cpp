#include "vectors/vector_table.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "simd/kernels.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

// Rows scored before the scores are looked at: small enough for the scores to stay in the first-level cache.
constexpr size_t kChunk = 256;

}  // namespace

void VectorTable::add(Slot slot, std::span<const float> vector) {
  if (slot >= present_.size()) {
    rows_.resize((size_t{slot} + 1) * dim_, 0.0f);
    present_.resize(size_t{slot} + 1);
  }
  if (vector.empty()) return;
  normalize(vector, rows_.data() + size_t{slot} * dim_);
  present_.set(slot);
  ++count_;
}

void VectorTable::remove(Slot slot) {
  if (!present_.test(slot)) return;
  const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(size_t{slot} * dim_);
  std::fill(row, row + static_cast<std::ptrdiff_t>(dim_), 0.0f);
  present_.reset(slot);
  --count_;
}

template <typename Accept>
void VectorTable::scan_if(const float* query, TopK& best, Accept accept) const {
  const Kernels& simd = kernels();
  std::array<float, kChunk> scores;
  const size_t total = present_.size();
  for (size_t first = 0; first < total; first += kChunk) {
    const size_t count = std::min(kChunk, total - first);
    simd.dot_rows(query, rows_.data() + first * dim_, dim_, count, dim_, scores.data());
    for (size_t i = 0; i < count; ++i) {
      const auto slot = static_cast<Slot>(first + i);
      if (scores[i] >= best.threshold() && accept(slot)) best.offer(scores[i], slot);
    }
  }
}

void VectorTable::scan(const float* query, TopK& best) const {
  if (count_ == present_.size()) {
    scan_if(query, best, [](Slot) { return true; });
  } else {
    scan_if(query, best, [this](Slot slot) { return present_.test(slot); });
  }
}

void VectorTable::scan_masked(const float* query, const Bitset& allowed, TopK& best) const {
  scan_if(query, best, [&](Slot slot) { return allowed.test(slot) && present_.test(slot); });
}

void VectorTable::gather(const float* query, std::span<const Slot> slots, TopK& best) const {
  const Kernels& simd = kernels();
  std::array<float, kChunk> scores;
  for (size_t first = 0; first < slots.size(); first += kChunk) {
    const size_t count = std::min(kChunk, slots.size() - first);
    const Slot* chunk = slots.data() + first;
    simd.dot_gather(query, rows_.data(), dim_, chunk, count, dim_, scores.data());
    for (size_t i = 0; i < count; ++i) {
      if (scores[i] >= best.threshold() && present_.test(chunk[i])) best.offer(scores[i], chunk[i]);
    }
  }
}

void VectorTable::remap(std::span<const Slot> new_slots, size_t size) {
  std::vector<float> rows(size * dim_);
  Bitset present;
  present.assign(size, false);
  for (Slot old = 0; old < new_slots.size(); ++old) {
    const Slot slot = new_slots[old];
    if (slot == kNoSlot || !present_.test(old)) continue;
    std::memcpy(rows.data() + size_t{slot} * dim_, rows_.data() + size_t{old} * dim_, dim_ * sizeof(float));
    present.set(slot);
  }
  rows_ = std::move(rows);
  present_ = std::move(present);
}

// Per live slot: u8 present, then the row if it is.
void VectorTable::save(ByteWriter& out, std::span<const Slot> live) const {
  for (Slot slot : live) {
    out.put<uint8_t>(present_.test(slot));
    if (!present_.test(slot)) continue;
    for (float value : row(slot)) out.put<float>(value);
  }
}

void VectorTable::load(ByteReader& in, size_t slots) {
  in.check(slots <= in.left(), "fewer vectors than records");
  present_.assign(slots, false);
  for (Slot slot = 0; slot < slots; ++slot) {
    const auto present = in.get<uint8_t>();
    in.check(present <= 1, "a record's vector mark is neither 0 nor 1");
    rows_.resize((size_t{slot} + 1) * dim_, 0.0f);
    if (present == 0) continue;
    float* row = rows_.data() + size_t{slot} * dim_;
    for (size_t i = 0; i < dim_; ++i) row[i] = in.get<float>();
    in.check(is_unit({row, dim_}), "a vector does not have length 1");
    present_.set(slot);
    ++count_;
  }
}

}  // namespace memspan
