// MaxSim (Khattab and Zaharia, "ColBERT", SIGIR 2020): how well the tokens of a text match those of a question.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memspan {

// Keeps memory for the largest text so far. Not thread-safe; the question must outlive it.
class MaxSimilarity {
 public:
  // The question's vectors, of length 1 and n numbers each, n > 0.
  MaxSimilarity(std::span<const float> question, size_t n) : question_(question), n_(n) {}

  // The mean, over the question's tokens, of the best cosine with a token of the text, -1 to 1; NaN if either has none.
  // A text's tokens are rows of n bytes whose lengths do not count; rows of zeros are like nothing. What it gives
  // depends on nothing but the question and the text. O(tokens x tokens x n).
  float operator()(std::span<const int8_t> text);

 private:
  std::span<const float> question_;
  size_t n_;
  std::vector<float> rows_;      // of the text, at length 1
  std::vector<float> products_;  // of one token of the question with each of them
};

}  // namespace memspan
