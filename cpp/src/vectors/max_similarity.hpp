// MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): how well the tokens of a text match those of a question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vectors/token_blocks.hpp"

namespace memspan {

// Not thread-safe.
class MaxSimilarity {
 public:
  // The question's vectors, n numbers each, 0 < n <= 8,192. They are kept as 16 bits a number, which moves a cosine of 96
  // numbers by some millionths. Throws InvalidArgument if one is not finite.
  MaxSimilarity(std::span<const float> question, size_t n);

  // The mean, over the question's tokens, of the best cosine with a token of the text, times the length of the question's;
  // NaN if either has no tokens. What it gives depends on nothing but the question and the text, at every SIMD level.
  // Both have as many values a token. O(tokens x tokens x n).
  float operator()(const TokenBlocks& text);

 private:
  size_t stride_;
  std::vector<int16_t> words_;
  std::vector<double> scales_;   // by token of the question: what a unit of its words stands for
  std::vector<float> products_;  // likewise, with the best of the text
};

}  // namespace memspan
