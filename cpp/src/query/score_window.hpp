// Where the scores of neighbouring slots are added up: they stay in the first-level cache while postings stream by, and a
// thread keeps no array as long as its longest user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace memspan {

// Memory that a thread keeps between queries; of one view at a time. Every score is zero between them.
struct ScoreWindow {
  static constexpr size_t kSlots = 4096;
  static constexpr size_t kSelected = 512;

  alignas(64) std::array<float, kSlots> scores = {};
  std::array<uint32_t, kSelected> selected;

  // Made by the first search: as a thread's own storage every thread would have it, whatever it does.
  static ScoreWindow& of_thread() {
    thread_local const auto window = std::make_unique<ScoreWindow>();
    return *window;
  }
};

}  // namespace memspan
