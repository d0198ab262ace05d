#include "base/hash_index.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memspan {
namespace {

constexpr uint32_t kSmallestLog = 2;
constexpr uint32_t kSegmentLog = 10;
constexpr size_t kKeysPerEntry = 64;  // the directory doubles only when there are so many for each of its entries

constexpr uint32_t most_keys(uint32_t log_size) { return (1u << log_size) - (1u << log_size) / 4; }

}  // namespace

HashIndex::Place* HashIndex::make_segment(uint32_t depth, uint32_t log_size) {
  const size_t size = size_t{1} << log_size;
  auto* places = new Place[1 + size];
  places[0] = {0, depth << 8 | log_size};
  std::fill_n(places + 1, size, Place{0, kNone});
  return places;
}

void HashIndex::put(Place* places, uint32_t hash, uint32_t number) {
  uint32_t i = hash & mask(places);
  while (places[1 + i].number != kNone) i = (i + 1) & mask(places);
  places[1 + i] = {hash, number};
  ++places[0].hash;
}

void HashIndex::insert(uint32_t hash, uint32_t number) {
  if (entries() == 0) single_ = make_segment(0, kSmallestLog);
  for (;;) {
    Place* places = segment(hash);
    if (places[0].hash < most_keys(places[0].number & 0xFF)) {
      put(places, hash, number);
      ++size_;
      return;
    }
    make_room(hash);
  }
}

void HashIndex::build(std::span<const uint32_t> hashes) {
  if (hashes.empty()) return;
  constexpr size_t kMeanKeys = 512;  // of a segment: random hashes then hardly ever fill one
  uint32_t depth = 0;
  if (hashes.size() > most_keys(kSegmentLog)) {
    while (hashes.size() >> depth > kMeanKeys) ++depth;
  }
  const size_t segments = size_t{1} << depth;
  const auto segment_of = [depth](uint32_t hash) { return static_cast<size_t>(uint64_t{hash} >> (32 - depth)); };
  std::vector<uint32_t> starts(segments + 1, 0);
  for (const uint32_t hash : hashes) ++starts[segment_of(hash) + 1];
  for (size_t s = 0; s < segments; ++s) starts[s + 1] += starts[s];
  std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
  std::vector<uint32_t> numbers(hashes.size());  // by segment
  for (uint32_t i = 0; i < hashes.size(); ++i) numbers[next[segment_of(hashes[i])]++] = i;

  std::vector<std::unique_ptr<Place[]>> made(segments);
  for (size_t s = 0; s < segments; ++s) {
    uint32_t log_size = kSmallestLog;
    while (most_keys(log_size) < starts[s + 1] - starts[s]) ++log_size;
    made[s].reset(make_segment(depth, log_size));
    for (uint32_t i = starts[s]; i < starts[s + 1]; ++i) put(made[s].get(), hashes[numbers[i]], numbers[i]);
  }
  if (depth > 0) directory_ = new Place*[segments];
  for (size_t s = 0; s < segments; ++s) directory_[s] = made[s].release();
  depth_ = depth;
  size_ = static_cast<uint32_t>(hashes.size());
}

// Splits the full segment of `hash`, or doubles it while it is small or cannot be split.
void HashIndex::make_room(uint32_t hash) {
  const Place* full = segment(hash);
  const uint32_t log_size = full[0].number & 0xFF;
  const bool can_double = depth_ < 31 && entries() * kKeysPerEntry <= size_;
  if (log_size < kSegmentLog || (depth(full) == depth_ && !can_double)) {
    Place* larger = make_segment(depth(full), log_size + 1);
    for (uint32_t i = 0; i <= mask(full); ++i) {
      if (full[1 + i].number != kNone) put(larger, full[1 + i].hash, full[1 + i].number);
    }
    replace(hash, larger, larger);
    return;
  }

  if (depth(full) == depth_) {
    auto** doubled = new Place*[2 * entries()];
    for (size_t entry = 0; entry < 2 * entries(); ++entry) doubled[entry] = directory_[entry / 2];
    if (directory_ != &single_) delete[] directory_;
    directory_ = doubled;
    ++depth_;
  }
  const uint32_t deeper = depth(full) + 1;
  std::unique_ptr<Place[]> first(make_segment(deeper, log_size));
  Place* second = make_segment(deeper, log_size);
  for (uint32_t i = 0; i <= mask(full); ++i) {
    const Place& place = full[1 + i];
    if (place.number == kNone) continue;
    put((place.hash >> (32 - deeper) & 1) != 0 ? second : first.get(), place.hash, place.number);
  }
  replace(hash, first.release(), second);
}

// Puts two segments in the place of the one that holds `hash`: one for each half of its entries in the directory.
void HashIndex::replace(uint32_t hash, Place* first, Place* second) {
  const Place* old = segment(hash);
  const size_t count = size_t{1} << (depth_ - depth(old));
  const size_t begin = directory_entry(hash) / count * count;
  for (size_t i = 0; i < count; ++i) directory_[begin + i] = i < count / 2 ? first : second;
  if (count == 1) directory_[begin] = first;
  delete[] old;
}

void HashIndex::erase(uint32_t hash, uint32_t number) noexcept {
  Place* places = segment(hash);
  const uint32_t wrap = mask(places);
  Place* const table = places + 1;
  uint32_t hole = hash & wrap;
  while (table[hole].number != number || table[hole].hash != hash) hole = (hole + 1) & wrap;
  // Later ones of the run move into the hole unless that is before their own place: no mark is left behind.
  for (uint32_t i = (hole + 1) & wrap; table[i].number != kNone; i = (i + 1) & wrap) {
    if (((i - table[i].hash) & wrap) < ((i - hole) & wrap)) continue;
    table[hole] = table[i];
    hole = i;
  }
  table[hole] = {0, kNone};
  --places[0].hash;
  --size_;
}

void HashIndex::clear() {
  for_each_segment([](const Place* places) { delete[] places; });
  if (directory_ != &single_) delete[] directory_;
  single_ = nullptr;
  directory_ = &single_;
  depth_ = 0;
  size_ = 0;
}

HashIndex& HashIndex::operator=(HashIndex&& other) noexcept {
  if (this == &other) return *this;
  clear();
  single_ = std::exchange(other.single_, nullptr);
  const bool alone = other.directory_ == &other.single_;
  directory_ = alone ? &single_ : other.directory_;
  other.directory_ = &other.single_;
  depth_ = std::exchange(other.depth_, 0);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

size_t HashIndex::bytes() const {
  size_t total = directory_ == &single_ ? 0 : entries() * sizeof(Place*);
  for_each_segment([&](const Place* places) { total += (size_t{mask(places)} + 2) * sizeof(Place); });
  return total;
}

}  // namespace memspan
