#include "index/analysis_ahead.hpp"

#include <system_error>
#include <utility>

namespace memspan {

AnalysisAhead::AnalysisAhead(const Analyzer& analyzer, size_t records, TextAt text_at)
    : analyzer_(analyzer), records_(records), text_at_(std::move(text_at)) {
  if (records < kManyRecords || std::thread::hardware_concurrency() < 2) return;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // No thread is to be had.
  }
}

AnalysisAhead::~AnalysisAhead() {
  if (!thread_.joinable()) return;
  stop_ = true;
  free_.release();
  thread_.join();
}

void AnalysisAhead::analyze(Slice& slice) {
  size_t total = 0;
  for (const TokenBuffer& tokens : slice.tokens) total += tokens.size();
  if (total > kSliceTokens) slice.tokens.clear();  // keep no long text's memory
  slice.count = total = 0;
  while (slice.count < kSliceRecords && total < kSliceTokens && analyzed_ < records_) {
    if (slice.tokens.size() == slice.count) slice.tokens.emplace_back();
    TokenBuffer& tokens = slice.tokens[slice.count];
    tokens.clear();
    analyzer_.analyze(text_at_(analyzed_), tokens);
    total += tokens.size();
    ++slice.count;
    ++analyzed_;
  }
}

void AnalysisAhead::run() {
  for (size_t i = 0; analyzed_ < records_; i = (i + 1) % kSlices) {
    free_.acquire();
    if (stop_) return;
    Slice& slice = slices_[i];
    try {
      analyze(slice);
    } catch (...) {
      slice.failure = std::current_exception();
    }
    const bool failed = slice.failure != nullptr;
    full_.release();
    if (failed) return;
  }
}

std::span<const TokenBuffer> AnalysisAhead::next() {
  if (!thread_.joinable()) {
    analyze(slices_[0]);
    return std::span(slices_[0].tokens).first(slices_[0].count);
  }
  if (holds_one_) free_.release();
  holds_one_ = false;
  if (delivered_ == records_) return {};
  full_.acquire();
  holds_one_ = true;
  const Slice& slice = slices_[next_];
  next_ = (next_ + 1) % kSlices;
  if (slice.failure) std::rethrow_exception(slice.failure);
  delivered_ += slice.count;
  return std::span(slice.tokens).first(slice.count);
}

}  // namespace memspan
