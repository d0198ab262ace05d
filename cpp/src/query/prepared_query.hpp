// A query after every check and after all the work that needs no user's data.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attributes/where.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/index.hpp"
#include "memspan/query.hpp"

namespace memspan {

struct PreparedQuery {
  PreparedQuery() = default;
  PreparedQuery(PreparedQuery&&) = default;

  const Query* query = nullptr;
  std::array<bool, kViewCount> views = {};
  std::vector<float> unit_embedding;       // empty: none
  TokenBuffer tokens;                      // of the text
  std::vector<std::string> tags;           // normalised
  std::vector<std::string> require_tags;   // normalised
  std::optional<std::span<const Interval>> intervals;  // merged
  std::vector<Interval> interval_memory;   // of `intervals`
  std::array<bool, kKindCount> kinds = {};
  std::optional<Where> where;
  size_t depth = 0;  // candidates that each view finds

  bool has(View view) const { return views[static_cast<size_t>(view)]; }
  bool single_view() const { return views[0] + views[1] + views[2] == 1; }
  // A query of filters alone: the newest records, all with score 0.
  bool listing() const {
    return single_view() && has(View::symbolic) && query->tags.empty() && query->route == 0;
  }
  bool routes() const { return query->route > 0 && has(View::symbolic); }  // to tags near its embedding
  size_t bytes() const;
};

// Does the semantic view have to find the best, without approximation?
inline bool is_exact(const Query& query) { return query.exact || query.recall >= 1.0f; }

// The checks of `prepare` for these arguments alone.
void check_listing(std::span<const Interval> between, uint32_t k);

// Throws InvalidArgument (or a more specific error) that names the argument. `query` must outlive `prepared`, whose
// memory is used again.
void prepare(const Query& query, const IndexConfig& config, const Analyzer& analyzer, PreparedQuery& prepared);

}  // namespace memspan
