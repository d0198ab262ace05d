#include "vectors/k_means.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "base/in_parallel.hpp"
#include "simd/kernels.hpp"
#include "vectors/centroid_groups.hpp"
#include "vectors/interruption.hpp"

namespace memspan {
using huge_pages::PassingVector;
namespace {

constexpr size_t kSampleForEach = 48;
constexpr size_t kAssigned = 16;
constexpr size_t kWorthAThread = 2048;  // rows

void encode(Centroids& centroids) {
  for (size_t i = 0; i < centroids.size(); ++i) centroids.codes.put(i, static_cast<Slot>(i), 0, centroids.row(i));
}

// Unit length, unless nothing is left of a sum that cancels out.
bool normalize_sum(std::span<float> sum) {
  double square = 0.0;
  for (float value : sum) square += static_cast<double>(value) * static_cast<double>(value);
  if (square < 1e-12) return false;
  const auto scale = static_cast<float>(1.0 / std::sqrt(square));
  for (float& value : sum) value *= scale;
  return true;
}

void compare_with_all(const RowView& rows, const CodeRows& centroids, size_t count, uint32_t* nearest) {
  const Kernels& simd = kernels();
  const size_t dim = rows.dim();
  const size_t stride = code_stride(dim);
  std::vector<float> buffer(dim);
  AlignedBuffer<int8_t> queries(kAssigned * stride);
  std::array<int32_t, kAssigned> offsets;
  PassingVector<float> scores(kAssigned * count);
  for (size_t first = 0; first < rows.size(); first += kAssigned) {
    check_interruption();
    const size_t batch = std::min(kAssigned, rows.size() - first);
    for (size_t i = 0; i < batch; ++i) {
      simd.quantize_query(rows.floats(first + i, buffer.data()), dim, queries.data() + i * stride, &offsets[i]);
    }
    simd.code_rows_batch(queries.data(), offsets.data(), batch, centroids.codes(), stride, centroids.scales(), count, stride,
                         scores.data());
    for (size_t i = 0; i < batch; ++i) {
      const float* const row = scores.data() + i * count;
      nearest[first + i] = static_cast<uint32_t>(std::max_element(row, row + count) - row);
    }
  }
}

}  // namespace

PassingVector<uint32_t> assign(const RowView& rows, const CodeRows& centroids, size_t count) {
  PassingVector<uint32_t> nearest(rows.size());
  std::optional<CentroidGroups> groups;
  if (CentroidGroups::pay(rows.size(), count)) groups.emplace(centroids, count, rows.dim());
  const Interruption interruption = interruption_of_thread();
  in_parallel(rows.size(), kWorthAThread, [&](size_t first, size_t last) {
    share_interruption(interruption);
    const RowView part = rows.part(first, last - first);
    if (groups) {
      groups->assign(part, nearest.data() + first);
    } else {
      compare_with_all(part, centroids, count, nearest.data() + first);
    }
  });
  return nearest;
}

Centroids find_centroids(const RowView& rows, size_t k, size_t rounds, std::mt19937& random) {
  k = std::min(k, rows.size());
  const size_t dim = rows.dim();
  Centroids centroids{dim, PassingVector<float>(k * dim), CodeRows(dim, k)};
  if (k == 0) return centroids;
  // A prefix of a shuffle: distinct rows.
  PassingVector<const std::byte*> places(rows.begin(), rows.end());
  const size_t sampled = std::min(rows.size(), k * kSampleForEach);
  for (size_t i = 0; i < sampled; ++i) {
    std::swap(places[i], places[i + random() % (places.size() - i)]);
  }
  const RowView sample(rows.shape(), std::span(places).first(sampled));
  std::vector<float> buffer(dim);
  for (size_t i = 0; i < k; ++i) std::copy_n(sample.floats(i, buffer.data()), dim, centroids.rows.data() + i * dim);
  encode(centroids);
  if (k == 1) rounds = 1;

  for (size_t round = 0; round < rounds; ++round) {
    const PassingVector<uint32_t> nearest = assign(sample, centroids.codes, k);
    std::fill(centroids.rows.begin(), centroids.rows.end(), 0.0f);
    for (size_t i = 0; i < sample.size(); ++i) {
      float* const sum = centroids.rows.data() + nearest[i] * dim;
      const float* const row = sample.floats(i, buffer.data());
      for (size_t d = 0; d < dim; ++d) sum[d] += row[d];
    }
    for (size_t i = 0; i < k; ++i) {
      const std::span<float> sum(centroids.rows.data() + i * dim, dim);
      if (!normalize_sum(sum)) std::copy_n(sample.floats(random() % sample.size(), buffer.data()), dim, sum.data());
    }
    encode(centroids);
  }
  return centroids;
}

}  // namespace memspan
