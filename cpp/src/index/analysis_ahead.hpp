// The texts of a batch as tokens, slice by slice; of a large batch they are made ahead, by a second thread.
//
// Analysis takes a third of what it takes to add a record, and needs nothing of the index. Thread safety: for one thread
// at a time; the texts must stay readable and unchanged while this lives. Memory: a few slices.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <semaphore>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "memspan/analyzer.hpp"

namespace memspan {

class AnalysisAhead {
 public:
  using TextAt = std::function<std::string_view(size_t)>;

  // A slice ends with as many records or, if its texts are long, tokens.
  static constexpr size_t kSliceRecords = 32;
  static constexpr size_t kSliceTokens = 4096;
  // From so many records on, a second thread is worth its start.
  static constexpr size_t kManyRecords = 512;

  AnalysisAhead(const Analyzer& analyzer, size_t records, TextAt text_at);
  ~AnalysisAhead();
  AnalysisAhead(const AnalysisAhead&) = delete;
  AnalysisAhead& operator=(const AnalysisAhead&) = delete;

  // The tokens of the next few records; empty after the last one. Valid until the next call.
  std::span<const TokenBuffer> next();

 private:
  static constexpr size_t kSlices = 4;

  struct Slice {
    std::vector<TokenBuffer> tokens;  // of which `count` are in use; the others keep their memory
    size_t count = 0;
    std::exception_ptr failure;
  };

  void analyze(Slice& slice);
  void run();

  const Analyzer& analyzer_;
  const size_t records_;
  const TextAt text_at_;
  size_t analyzed_ = 0;  // of the thread that analyses

  // Slices go round: the second thread fills those that are free, `next` empties those that are full.
  std::array<Slice, kSlices> slices_;
  size_t next_ = 0;
  size_t delivered_ = 0;
  bool holds_one_ = false;  // the slice before next_ is in the caller's hands
  std::counting_semaphore<kSlices + 1> free_{kSlices};
  std::counting_semaphore<kSlices + 1> full_{0};
  std::atomic<bool> stop_ = false;
  std::thread thread_;      // not joinable: the caller's thread analyses
};

}  // namespace memspan
