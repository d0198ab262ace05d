#include "vectors/max_similarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "simd/kernels.hpp"

namespace memspan {
namespace {

void to_unit(const int8_t* bytes, size_t n, float* row) {
  int32_t squares = 0;  // of at most 8,192 bytes
  for (size_t i = 0; i < n; ++i) squares += int32_t{bytes[i]} * int32_t{bytes[i]};
  const float scale = 1.0f / std::sqrt(static_cast<float>(std::max(squares, 1)));
  for (size_t i = 0; i < n; ++i) row[i] = static_cast<float>(bytes[i]) * scale;
}

}  // namespace

float MaxSimilarity::operator()(std::span<const int8_t> text) {
  const size_t tokens = text.size() / n_;
  const size_t asked = question_.size() / n_;
  if (tokens == 0 || asked == 0) return std::numeric_limits<float>::quiet_NaN();
  rows_.resize(std::max(rows_.size(), tokens * n_));
  products_.resize(std::max(products_.size(), tokens));
  for (size_t token = 0; token < tokens; ++token) to_unit(&text[token * n_], n_, &rows_[token * n_]);
  double sum = 0.0;
  for (size_t token = 0; token < asked; ++token) {
    kernels().dot_rows(&question_[token * n_], rows_.data(), n_, tokens, n_, products_.data());
    sum += static_cast<double>(*std::max_element(products_.begin(), products_.begin() + static_cast<std::ptrdiff_t>(tokens)));
  }
  return static_cast<float>(sum / static_cast<double>(asked));
}

}  // namespace memspan
