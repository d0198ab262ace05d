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

void check_intervals(std::span<const Interval> intervals, const std::string& argument) {
  if (intervals.empty() || intervals.size() > limits::kIntervals) {
    throw InvalidTime(argument, std::to_string(intervals.size()) + " intervals",
                      "1-" + std::to_string(limits::kIntervals) + " intervals");
  }
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].start > intervals[i].end) {
      throw InvalidTime(argument + "[" + std::to_string(i) + "]", "an interval that ends before it starts", "start <= end");
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

void check_ranking(const Query& query) {
  if (query.fusion != Fusion::learned) {
    if (query.features) throw InvalidArgument("features", "true with another fusion", "false; they are of a learned ranking");
    return;
  }
  if (!query.ranking) throw InvalidArgument("ranking", "none", "the weights of a learned ranking");
  if (query.neighbors > 0) {
    throw InvalidArgument("neighbors", std::to_string(query.neighbors) + " with a learned ranking",
                          "0; a learned ranking looks at neighbours itself");
  }
  // Within these no sum of features overflows. NaN is refused too.
  const auto in_range = [](float weight) { return weight >= -1e6f && weight <= 1e6f; };
  for (size_t f = 0; f < kRankFeatures; ++f) {
    const float weight = query.ranking->weights[f];
    if (in_range(weight)) continue;
    throw InvalidArgument("ranking[" + std::string(kRankFeatureNames[f]) + "]", std::to_string(weight),
                          "-1,000,000 to 1,000,000");
  }
  if (!query.ranking->hints.empty()) check_intervals(query.ranking->hints, "hints");
  const Selection& selection = query.ranking->selection;
  check_range<size_t>("sessions", selection.sessions, 1, limits::kTop);
  const auto check_share = [](const char* name, float value) {
    if (value >= 0.0f && value <= 1000.0f) return;
    throw InvalidArgument(name, std::to_string(value), "a number of 0-1,000");
  };
  check_share("diversity", selection.diversity);
  check_share("spread", selection.spread);
}

// Is the name its own normal form (lexical/tag_name.hpp)? False for some that are; true for the usual.
bool is_plainly_normal(std::string_view name) {
  bool after_letter = false;
  for (const char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!letter && !(after_letter && (c == '_' || c == '-'))) return false;
    after_letter = letter;
  }
  return after_letter && name.size() <= limits::kTagBytes;
}

void prepare_tags(std::span<const std::string> tags, const char* argument, size_t limit,
                  std::vector<std::string>& normal) {
  if (!std::all_of(tags.begin(), tags.end(), is_plainly_normal) || tags.size() > limit) {
    normal = checked_tags(tags, argument, limit);
    return;
  }
  normal.assign(tags.begin(), tags.end());
  // Each once, in the order of their first mention.
  size_t kept = 0;
  for (size_t i = 0; i < normal.size(); ++i) {
    const auto end = normal.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::find(normal.begin(), end, normal[i]) == end) std::swap(normal[kept++], normal[i]);
  }
  normal.resize(kept);
}

// How many candidates each view must find for the answer to be what it would be with all of them. One view alone keeps
// its own order, unless its scores are scaled by the worst of the candidates or lift their neighbours.
size_t choose_depth(const PreparedQuery& prepared) {
  const Query& query = *prepared.query;
  const bool ordered = prepared.single_view() && query.fusion != Fusion::weighted && query.fusion != Fusion::learned &&
                       query.neighbors == 0;
  if (ordered || prepared.listing()) return query.k;
  if (query.depth != 0) return std::max(query.depth, query.k);
  // What ranks by more than the views' own order looks deeper.
  const size_t least = query.fusion == Fusion::learned ? 200 : 100;
  return std::max<size_t>(least, 4 * size_t{query.k});
}

}  // namespace

void check_listing(std::span<const Interval> between, uint32_t k) {
  check_range<size_t>("k", k, 1, limits::kTop);
  if (!between.empty()) check_intervals(between, "between");
}

void prepare(const Query& query, const IndexConfig& config, const Analyzer& analyzer, PreparedQuery& prepared) {
  prepared.query = &query;
  check_name(query.user, "user");
  check_range<size_t>("k", query.k, 1, limits::kTop);
  check_range<size_t>("depth", query.depth, 0, limits::kDepth);
  check_range<size_t>("neighbors", query.neighbors, 0, 100);
  check_range<size_t>("route", query.route, 0, 1000);
  check_range<size_t>("tag_depth", query.tag_depth, 0, 100);
  check_weights(query.weights);
  check_ranking(query);
  if (!(query.recall > 0.0f && query.recall <= 1.0f)) {  // NaN is refused too
    throw InvalidArgument("recall", std::to_string(query.recall), "more than 0, at most 1");
  }

  prepared.tokens.clear();
  if (query.text) {
    if (query.text->size() > limits::kTextBytes) {
      throw InvalidArgument("text", std::to_string(query.text->size()) + " bytes",
                            "at most " + std::to_string(limits::kTextBytes) + " bytes");
    }
    analyzer.analyze(*query.text, prepared.tokens);
  }
  prepared.unit_embedding.clear();
  if (!query.embedding.empty()) {
    prepared.unit_embedding.resize(config.dim);
    normalize_checked(query.embedding, config.dim, "embedding", prepared.unit_embedding.data());
  }
  if (query.route > 0 && query.embedding.empty()) {
    throw InvalidArgument("route", std::to_string(query.route) + " without an embedding", "0, or an embedding as well");
  }
  prepared.views = choose_views(query);
  prepare_tags(query.tags, "tags", 1000, prepared.tags);
  prepare_tags(query.require_tags, "require_tags", limits::kTagsPerRecord, prepared.require_tags);

  prepared.intervals.reset();
  if (query.between) {
    check_intervals(*query.between, "between");
    merge_intervals(*query.between, prepared.interval_memory);
    prepared.intervals = prepared.interval_memory;
  }
  prepared.kinds = {true, true, true, true, false};
  if (query.kinds) {
    if (query.kinds->empty()) throw InvalidArgument("kinds", "an empty list", "at least one kind, or none at all");
    prepared.kinds = {};
    for (Kind kind : *query.kinds) prepared.kinds[static_cast<size_t>(kind)] = true;
  }
  prepared.where.reset();
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
  prepared.depth = choose_depth(prepared);
}

size_t PreparedQuery::bytes() const {
  size_t total = unit_embedding.capacity() * sizeof(float) + tokens.bytes();
  total += interval_memory.capacity() * sizeof(Interval);
  for (const auto* names : {&tags, &require_tags}) {
    total += names->capacity() * sizeof(std::string);
    for (const std::string& name : *names) total += name.capacity();
  }
  return total;
}

}  // namespace memspan
