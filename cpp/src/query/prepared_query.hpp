// A query after every check and after all the work that needs no user's data.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "attributes/where.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/index.hpp"
#include "memspan/query.hpp"

namespace memspan {

struct PreparedQuery {
  const Query* query = nullptr;
  std::array<bool, kViewCount> views = {};
  std::vector<float> unit_embedding;       // empty: none
  TokenBuffer tokens;                      // of the text
  std::vector<std::string> tags;           // normalised
  std::vector<std::string> require_tags;   // normalised
  std::optional<std::vector<Interval>> intervals;  // merged
  std::array<bool, kKindCount> kinds = {};
  std::optional<Where> where;
  size_t depth = 0;

  bool has(View view) const { return views[static_cast<size_t>(view)]; }
};

// Throws InvalidArgument (or a more specific error) that names the argument. `query` must outlive the result.
PreparedQuery prepare(const Query& query, const IndexConfig& config, const Analyzer& analyzer);

}  // namespace memspan
