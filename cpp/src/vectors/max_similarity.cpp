#include "vectors/max_similarity.hpp"

#include <cmath>
#include <limits>

#include "memspan/error.hpp"
#include "simd/kernels.hpp"

namespace memspan {

MaxSimilarity::MaxSimilarity(std::span<const float> question, size_t n)
    : stride_(n + n % 2), words_(question.size() / n * stride_), scales_(question.size() / n), products_(scales_.size()) {
  // As the length of a token's words: by Cauchy and Schwarz no sum of products with 8,192 bytes exceeds 32 bits then.
  constexpr double kLength = 32767.0;
  for (size_t token = 0; token < scales_.size(); ++token) {
    const float* const row = &question[token * n];
    double squares = 0.0;
    for (size_t i = 0; i < n; ++i) squares += static_cast<double>(row[i]) * static_cast<double>(row[i]);
    if (!std::isfinite(squares)) throw InvalidArgument("question: finite numbers are needed");
    if (squares == 0.0) continue;
    const double unit = std::sqrt(squares) / kLength;
    for (size_t i = 0; i < n; ++i) {
      words_[token * stride_ + i] = static_cast<int16_t>(std::lrint(static_cast<double>(row[i]) / unit));
    }
    scales_[token] = unit;
  }
}

float MaxSimilarity::operator()(const TokenBlocks& text) {
  if (text.tokens() == 0 || scales_.empty()) return std::numeric_limits<float>::quiet_NaN();
  kernels().max_products(words_.data(), scales_.size(), text.blocks(), text.block_count(), stride_, products_.data());
  double sum = 0.0;
  for (size_t token = 0; token < scales_.size(); ++token) {
    sum += static_cast<double>(products_[token]) * scales_[token];
  }
  return static_cast<float>(sum / static_cast<double>(scales_.size()));
}

}  // namespace memspan
