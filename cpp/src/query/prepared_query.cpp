#include "query/prepared_query.hpp"

#include <algorithm>
#include <cmath>

#include "index/validation.hpp"
#include "memspan/error.hpp"
#include "timeline/intervals.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

template <typename Value>
void check_range(std::string_view argument, Value value, Value low, Value high) {
  if (value >= low && value <= high) return;
  throw InvalidArgument(argument, std::to_string(value), std::to_string(low) + "-" + std::to_string(high));
}

void check_intervals(const std::vector<Interval>& intervals) {
  if (intervals.empty() || intervals.size() > limits::kIntervals) {
    throw InvalidTime("between", std::to_string(intervals.size()) + " intervals",
                      "1-" + std::to_string(limits::kIntervals) + " intervals");
  }
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].start > intervals[i].end) {
      throw InvalidTime("between[" + std::to_string(i) + "]", "an interval that ends before it starts", "start <= end");
    }
  }
}

void check_weights(const std::array<float, kViewCount>& weights) {
  for (size_t v = 0; v < kViewCount; ++v) {
    if (std::isfinite(weights[v]) && weights[v] >= 0.0f && weights[v] <= 1e6f) continue;
    throw InvalidArgument("weights[" + std::string(kViewNames[v]) + "]", std::to_string(weights[v]), "0 to 1,000,000");
  }
}

// Which views take part: those asked for, each of which must have a query, or all that have one. Boosting tags take
// part whatever was asked for. A query of filters alone lists the newest records through the symbolic view.
std::array<bool, kViewCount> choose_views(const Query& query) {
  const std::array<bool, kViewCount> has_query = {!query.embedding.empty(), query.text.has_value(),
                                                  !query.tags.empty() || query.route > 0};
  std::array<bool, kViewCount> views = has_query;
  if (query.views) {
    constexpr std::array<std::string_view, kViewCount> kNeeded = {"embedding", "text", "tags or route"};
    views = {};
    for (View view : *query.views) {
      const auto v = static_cast<size_t>(view);
      const bool listing = view == View::symbolic && query.views->size() == 1;
      if (!has_query[v] && !listing) {
        throw InvalidArgument("views", "'" + std::string(kViewNames[v]) + "' without " + std::string(kNeeded[v]),
                              "views that have a query");
      }
      views[v] = true;
    }
    views[static_cast<size_t>(View::symbolic)] |= has_query[static_cast<size_t>(View::symbolic)];
  }
  if (!views[0] && !views[1]) views[static_cast<size_t>(View::symbolic)] = true;
  return views;
}

}  // namespace

PreparedQuery prepare(const Query& query, const IndexConfig& config, const Analyzer& analyzer) {
  PreparedQuery prepared;
  prepared.query = &query;
  check_name(query.user, "user");
  check_range<size_t>("k", query.k, 1, limits::kTop);
  check_range<size_t>("depth", query.depth, 0, limits::kDepth);
  check_range<size_t>("neighbors", query.neighbors, 0, 100);
  check_range<size_t>("route", query.route, 0, 1000);
  check_range<size_t>("tag_depth", query.tag_depth, 0, 100);
  check_weights(query.weights);
  if (!(query.recall > 0.0f && query.recall <= 1.0f)) {  // NaN is refused too
    throw InvalidArgument("recall", std::to_string(query.recall), "more than 0, at most 1");
  }

  if (query.text) {
    if (query.text->size() > limits::kTextBytes) {
      throw InvalidArgument("text", std::to_string(query.text->size()) + " bytes",
                            "at most " + std::to_string(limits::kTextBytes) + " bytes");
    }
    analyzer.analyze(*query.text, prepared.tokens);
  }
  if (!query.embedding.empty()) {
    check_embedding(query.embedding, config.dim, "embedding");
    prepared.unit_embedding.resize(config.dim);
    normalize(query.embedding, prepared.unit_embedding.data());
  }
  if (query.route > 0 && query.embedding.empty()) {
    throw InvalidArgument("route", std::to_string(query.route) + " without an embedding", "0, or an embedding as well");
  }
  prepared.views = choose_views(query);
  prepared.tags = checked_tags(std::span<const std::string>(query.tags), "tags", 1000);
  prepared.require_tags = checked_tags(std::span<const std::string>(query.require_tags), "require_tags", limits::kTagsPerRecord);

  if (query.between) {
    check_intervals(*query.between);
    prepared.intervals = merge_intervals(*query.between);
  }
  prepared.kinds = {true, true, true, true, false};
  if (query.kinds) {
    if (query.kinds->empty()) throw InvalidArgument("kinds", "an empty list", "at least one kind, or none at all");
    prepared.kinds = {};
    for (Kind kind : *query.kinds) prepared.kinds[static_cast<size_t>(kind)] = true;
  }
  if (!query.where.empty()) {
    if (query.where.size() > limits::kWhereBytes) {
      throw InvalidWhere("where", std::to_string(query.where.size()) + " bytes",
                         "at most " + std::to_string(limits::kWhereBytes) + " bytes of JSON");
    }
    prepared.where.emplace(query.where);
  }
  if (query.exclude.size() > limits::kExcluded) {
    throw InvalidArgument("exclude", std::to_string(query.exclude.size()) + " ids",
                          "at most " + std::to_string(limits::kExcluded) + " ids");
  }
  if (query.as_of) check_time(*query.as_of, "as_of");
  if (query.valid_at) check_time(*query.valid_at, "valid_at");
  prepared.depth = query.depth != 0 ? std::max<size_t>(query.depth, query.k) : std::max<size_t>(100, 4 * size_t{query.k});
  return prepared;
}

}  // namespace memspan
