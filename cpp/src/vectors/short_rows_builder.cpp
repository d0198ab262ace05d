#include "vectors/short_rows_builder.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"
#include "base/in_parallel.hpp"
#include "vectors/interruption.hpp"

namespace memspan {
namespace {

constexpr size_t kSampledRows = 2048;  // rows that the directions are found of
constexpr size_t kShortenedWorthAThread = 4096;
constexpr size_t kShortenedAtATime = 1024;

void put_all(ShortRows& shorts, const RowView& rows) {
  const Interruption interruption = interruption_of_thread();
  std::mutex mutex;
  std::vector<uint32_t> apart;
  in_parallel(rows.size(), kShortenedWorthAThread, [&](size_t first, size_t last) {
    share_interruption(interruption);
    std::vector<float> buffer(rows.dim());
    for (; first < last; ++first) {
      if (first % kShortenedAtATime == 0) check_interruption();
      if (shorts.put(first, rows.floats(first, buffer.data()))) continue;
      const std::lock_guard lock(mutex);
      apart.push_back(static_cast<uint32_t>(first));
    }
  });
  std::sort(apart.begin(), apart.end());
  shorts.keep_apart(std::move(apart));
}

}  // namespace

std::unique_ptr<ShortRows> shorten_rows(const RowView& rows, std::mt19937& random) {
  const size_t dim = rows.dim();
  const size_t count = std::min(kSampledRows, rows.size());
  huge_pages::PassingVector<float> sample;
  sample.reserve(count * dim);
  std::vector<float> buffer(dim);
  for (size_t i = 0; i < count; ++i) {
    const float* const row = rows.floats(random() % rows.size(), buffer.data());
    sample.insert(sample.end(), row, row + dim);
  }
  LeadingDirections directions = find_leading_directions(sample, dim, ShortRows::kCoordinates, Origin::zero);
  huge_pages::PassingVector<ShortRows::Numbers> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = ShortRows::numbers_of_row(directions, sample.data() + i * dim);
  auto shorts = std::make_unique<ShortRows>(std::move(directions), ShortScale::of(numbers), rows.size());
  put_all(*shorts, rows);
  return shorts;
}

std::unique_ptr<ShortRows> shorten_rows(const ShortRows& like, const RowView& rows) {
  auto shorts = std::make_unique<ShortRows>(like.directions(), like.scale(), rows.size());
  shorts->reach = like.reach;
  shorts->least_covered = like.least_covered;
  put_all(*shorts, rows);
  return shorts;
}

}  // namespace memspan
