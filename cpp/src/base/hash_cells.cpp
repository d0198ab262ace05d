#include "base/hash_cells.hpp"

#include <algorithm>

#include "base/huge_pages.hpp"

namespace memspan {
namespace {

using Memory = huge_pages::Allocator<std::byte>;

constexpr uint32_t kFewestCells = 4;  // which malloc's least piece holds, if they are not wide
constexpr size_t kHeaderBytes = 2 * sizeof(uint32_t);
constexpr size_t kMostPages = 3;     // of a segment
constexpr uint32_t kMostDepth = 24;
constexpr size_t kNumbersAnEntry = 64;  // the directory doubles only when there are so many for each of its entries

// Of numbers of so many bytes.
constexpr uint32_t cells_in(size_t pages, size_t width) {
  constexpr size_t kAlignment = sizeof(uint32_t);
  const size_t cells = (pages * huge_pages::kPage - kHeaderBytes) / (width + sizeof(uint8_t));
  return static_cast<uint32_t>(cells / kAlignment * kAlignment);
}

constexpr uint32_t grown(uint32_t cells, size_t width) {
  const uint32_t in_page = cells_in(1, width);
  if (cells < in_page) return cells == 0 ? kFewestCells : 2 * cells <= in_page * 3 / 4 ? 2 * cells : in_page;
  for (size_t pages = 2; pages <= kMostPages; ++pages) {
    if (cells < cells_in(pages, width)) return cells_in(pages, width);
  }
  return 2 * cells;
}

}  // namespace

// With room for a few more.
uint32_t HashCells::cells_for(size_t numbers, bool wide) {
  uint32_t cells = kFewestCells;
  while (most_numbers(cells) < numbers + numbers / 16) cells = grown(cells, width(wide));
  return cells;
}

size_t HashCells::bytes_of(uint32_t cells, bool wide) { return kHeaderBytes + bytes_of_tags(cells) + cells * width(wide); }

HashCells::Segment HashCells::make_segment(uint32_t cells, uint32_t depth, bool wide) {
  static_assert(sizeof(Header) == kHeaderBytes);
  Segment segment;
  segment.memory = Memory().allocate(bytes_of(cells, wide));
  segment.cells = cells;
  segment.wide = wide;
  segment.header() = {0, depth};
  std::fill_n(segment.tags(), cells, uint8_t{0});
  return segment;
}

void HashCells::free_segment(const Segment& segment) noexcept {
  if (segment.memory != nullptr) Memory().deallocate(segment.memory, bytes_of(segment.cells, segment.wide));
}

// Or as large, if it is wider.
HashCells::Segment HashCells::make_larger(const Segment& old, bool wide) {
  const uint32_t used = old.memory == nullptr ? 0 : old.header().used;
  uint32_t cells = kFewestCells;
  while (most_numbers(cells) <= used) cells = grown(cells, width(wide));
  return make_segment(cells, old.memory == nullptr ? 0 : old.header().depth, wide);
}

bool HashCells::can_split(const Segment& segment) const {
  const bool can_double = depth_ < kMostDepth && entries() * kNumbersAnEntry <= size_;
  return segment.cells >= cells_in(kMostPages, segment.width()) && (segment.header().depth < depth_ || can_double);
}

void HashCells::replace(uint64_t hash, const Segment& larger) noexcept {
  free_segment(segment_of(hash));
  if (depth_ == 0) {
    single_ = larger;
    return;
  }
  const size_t shared = size_t{1} << (depth_ - larger.header().depth);
  std::fill_n(directory_.get() + entry_of(hash, depth_) / shared * shared, shared, larger);
}

void HashCells::split(uint64_t hash, std::span<const Hashed> hashed, bool wide) {
  const Segment full = segment_of(hash);
  const uint32_t deeper = full.header().depth + 1;
  const auto upper = [deeper](const Hashed& each) { return (entry_of(each.hash, deeper) & 1) != 0; };
  const auto uppers = static_cast<size_t>(std::count_if(hashed.begin(), hashed.end(), upper));
  if (deeper > depth_) double_directory();
  const Segment first = make_segment(cells_for(hashed.size() - uppers, wide), deeper, wide);
  Segment second;
  try {
    second = make_segment(cells_for(uppers, wide), deeper, wide);
  } catch (...) {
    free_segment(first);
    throw;
  }
  for (const Hashed& each : hashed) (upper(each) ? second : first).put(each.hash, each.number);
  free_segment(full);
  const size_t half = size_t{1} << (depth_ - deeper);
  Segment* const begin = directory_.get() + entry_of(hash, depth_) / (2 * half) * (2 * half);
  std::fill_n(begin, half, first);
  std::fill_n(begin + half, half, second);
}

void HashCells::double_directory() {
  auto doubled = std::make_unique<Segment[]>(2 * entries());
  for (size_t entry = 0; entry < 2 * entries(); ++entry) doubled[entry] = depth_ == 0 ? single_ : directory_[entry / 2];
  directory_ = std::move(doubled);
  single_ = {};
  ++depth_;
}

std::unique_ptr<const uint32_t[]> HashCells::make_segments(std::span<const uint64_t> hashes) {
  auto numbers = std::make_unique_for_overwrite<uint32_t[]>(hashes.size());
  if (hashes.empty()) return numbers;
  const bool wide = is_wide(static_cast<uint32_t>(hashes.size() - 1));
  const size_t mean = most_numbers(cells_in(kMostPages, width(wide))) * 3 / 4;
  uint32_t depth = 0;
  while (hashes.size() >> depth > mean) ++depth;
  const size_t segments = size_t{1} << depth;
  const auto segment_of_hash = [depth](uint64_t hash) { return depth == 0 ? 0 : entry_of(hash, depth); };
  std::vector<uint32_t> starts(segments + 1, 0);
  for (const uint64_t hash : hashes) ++starts[segment_of_hash(hash) + 1];
  for (size_t s = 0; s < segments; ++s) starts[s + 1] += starts[s];
  std::vector<uint32_t> next(starts.begin(), starts.end() - 1);
  for (uint32_t number = 0; number < hashes.size(); ++number) numbers[next[segment_of_hash(hashes[number])]++] = number;

  auto directory = std::make_unique<Segment[]>(segments);
  try {
    for (size_t s = 0; s < segments; ++s) directory[s] = make_segment(cells_for(starts[s + 1] - starts[s], wide), depth, wide);
  } catch (...) {
    for (size_t s = 0; s < segments; ++s) free_segment(directory[s]);
    throw;
  }
  if (depth == 0) {
    single_ = directory[0];
  } else {
    directory_ = std::move(directory);
  }
  depth_ = depth;
  return numbers;
}

void HashCells::clear() {
  for_each_segment([](const Segment& segment) { free_segment(segment); });
  single_ = {};
  directory_.reset();
  depth_ = 0;
  size_ = 0;
}

HashCells& HashCells::operator=(HashCells&& other) noexcept {
  if (this == &other) return *this;
  clear();
  single_ = std::exchange(other.single_, {});
  directory_ = std::move(other.directory_);
  depth_ = std::exchange(other.depth_, 0);
  size_ = std::exchange(other.size_, 0);
  return *this;
}

size_t HashCells::bytes() const {
  size_t total = depth_ == 0 ? 0 : entries() * sizeof(Segment);
  for_each_segment([&](const Segment& segment) { total += bytes_of(segment.cells, segment.wide); });
  return total;
}

}  // namespace memspan
