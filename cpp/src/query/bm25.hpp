// What one posting adds to a record's BM25 score.
//
// A posting of frequency f in a record of n tokens adds weight * f / (f + offset + slope * n). The fraction depends on
// nothing but (f, n), and most postings have a small f and n: a table of it replaces a division by a read. It has the
// very bits that the formula gives, so that equal records tie, whichever way each was scored.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "lexical/retired_words.hpp"

namespace memspan {

class Bm25 {
 public:
  // Fills the table if the postings to score are many enough to pay for it. O(longest record) or less.
  void prepare(const WordStatistics& statistics, double k1, double b, size_t postings) {
    const double average = static_cast<double>(statistics.tokens()) / static_cast<double>(statistics.documents());
    offset_ = static_cast<float>(k1 * (1.0 - b));
    slope_ = static_cast<float>(k1 * b / average);
    gain_ = k1 + 1.0;
    usual_ = static_cast<float>(1.0 / (1.0 + k1));
    documents_ = static_cast<double>(statistics.documents());
    const uint32_t lengths = std::min(statistics.lexical().longest(), Posting::kShortLength) + 1;
    const size_t rows = postings > 2 * kRows * lengths ? kRows : 0;
    for (uint32_t f = 1; f <= rows; ++f) {
      float* const row = table_.data() + (f << Posting::kLengthBits);
      for (uint32_t n = 0; n < lengths; ++n) row[n] = saturation(static_cast<float>(f), static_cast<float>(n));
    }
    limit_ = static_cast<uint32_t>(rows + 1) << Posting::kLengthBits;
  }

  // ln(1 + (N - n + 0.5) / (n + 0.5)), times k1 + 1.
  float weight(size_t with_term) const {
    const auto n = static_cast<double>(with_term);
    return static_cast<float>(std::log(1.0 + (documents_ - n + 0.5) / (n + 0.5)) * gain_);
  }

  // The fraction of a posting of frequency 1 in a record of average length.
  float usual() const { return usual_; }
  // No fraction of a posting with at most this frequency is greater, however it was rounded. `frequency` is what
  // Posting::frequency() tells: of that or more, if it is at the cap.
  float most(uint32_t frequency) const {
    constexpr float kRounding = 1.0f + 1e-6f;
    if (frequency == 0) return 0.0f;  // of a list behind whose word a tail follows; with b = 1, 0 / 0 otherwise
    if (frequency >= Posting::kShortCap) return kRounding;
    const auto f = static_cast<float>(frequency);
    return f / (f + offset_) * kRounding;
  }

  // The fraction of a posting whose code is less than limit() is table()[code].
  uint32_t limit() const { return limit_; }
  const float* table() const { return table_.data(); }
  // The fraction of any posting of the term.
  [[gnu::noinline]] float compute(const LexicalIndex& lexical, TermId term, const Posting& posting) const {
    const uint32_t frequency = posting.has_frequency() ? posting.frequency() : lexical.frequency(term, posting);
    const uint32_t length = posting.has_length() ? posting.length() : lexical.length(posting.slot());
    return saturation(static_cast<float>(frequency), static_cast<float>(length));
  }

 private:
  static constexpr uint32_t kRows = 4;  // frequencies in the table

  float saturation(float frequency, float length) const {
    return frequency / (frequency + (offset_ + slope_ * length));
  }

  float offset_ = 0.0f;
  float slope_ = 0.0f;
  float usual_ = 0.0f;
  double gain_ = 0.0;
  double documents_ = 0.0;
  uint32_t limit_ = 0;
  std::array<float, (kRows + 1) << Posting::kLengthBits> table_;
};

}  // namespace memspan
