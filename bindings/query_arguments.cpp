#include "query_arguments.hpp"

#include <optional>

#include "choices.hpp"
#include "fast_values.hpp"
#include "json_text.hpp"

namespace memspan::python {
namespace {

constexpr uint32_t kLatestDefault = 20;

// An optional field keeps its memory in `spare` while it is empty.
template <typename T>
T& engage(std::optional<T>& field, T& spare) {
  if (!field) field.emplace(std::move(spare));
  return *field;
}

template <typename T>
bool disengage(std::optional<T>& field, T& spare) {
  if (field) {
    spare = std::move(*field);
    field.reset();
  }
  return true;
}

bool read_user(PyObject* value, std::string& out) {
  std::string_view text;
  if (value == nullptr || !view_text(value, text)) return false;
  out.assign(text);
  return true;
}

bool read_optional_text(PyObject* value, std::optional<std::string>& out, std::string& spare) {
  if (is_absent(value)) return disengage(out, spare);
  std::string_view text;
  if (!view_text(value, text)) return false;
  engage(out, spare).assign(text);
  return true;
}

bool read_end(PyObject* value, Micros open, Micros& out) {
  out = open;
  return value == Py_None || read_micros(value, out);
}

bool read_interval(const Items& pair, Interval& out) {
  const Interval open;
  return pair && pair.size() == 2 && read_end(pair[0], open.start, out.start) && read_end(pair[1], open.end, out.end) &&
         out.start <= out.end;
}

// One pair, or a list of pairs.
bool read_between(PyObject* value, std::optional<std::vector<Interval>>& out, std::vector<Interval>& spare) {
  if (is_absent(value)) return disengage(out, spare);
  const Items items(value);
  if (!items || items.size() == 0 || items.size() > limits::kIntervals) return false;
  std::vector<Interval>& intervals = engage(out, spare);
  if (!PyTuple_Check(items[0]) && !PyList_Check(items[0])) {
    intervals.resize(1);
    return read_interval(items, intervals[0]);
  }
  intervals.resize(items.size());
  for (size_t i = 0; i < intervals.size(); ++i) {
    if (!read_interval(Items(items[i]), intervals[i])) return false;
  }
  return true;
}

// Not empty: what an empty list means is the slow path's business.
template <typename Enum, size_t N>
bool read_choices(PyObject* value, const InternedNames<N>& names, std::optional<std::vector<Enum>>& out,
                  std::vector<Enum>& spare) {
  if (is_absent(value)) return disengage(out, spare);
  const Items items(value);
  if (!items || items.size() == 0) return false;
  std::vector<Enum>& choices = engage(out, spare);
  choices.resize(items.size());
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!read_choice(items[i], names, choices[i])) return false;
  }
  return true;
}

bool read_optional_micros(PyObject* value, std::optional<Micros>& out) {
  out.reset();
  if (is_absent(value)) return true;
  Micros time = 0;
  if (!read_micros(value, time)) return false;
  out = time;
  return true;
}

bool read_count(PyObject* value, uint32_t low, size_t high, uint32_t absent, uint32_t& out) {
  out = absent;
  if (value == nullptr) return true;
  int64_t number = 0;
  if (!read_integer(value, low, static_cast<int64_t>(high), number)) return false;
  out = static_cast<uint32_t>(number);
  return true;
}

bool read_flag(PyObject* value, bool& out, bool absent = false) {
  out = value == nullptr ? absent : value == Py_True;
  return value == nullptr || PyBool_Check(value);
}

bool read_share(PyObject* value, float absent, float& out) {
  out = absent;
  if (value == nullptr) return true;
  if (!PyFloat_CheckExact(value)) return false;
  const double number = PyFloat_AS_DOUBLE(value);
  out = static_cast<float>(number);
  return number > 0.0 && number <= 1.0;
}

// A learned ranking without weights takes the slow path, which knows the usual ones; weights for another fusion do, too,
// and are refused there.
bool read_ranking(PyObject* value, Query& query) {
  query.ranking.reset();
  if (is_absent(value)) return query.fusion != Fusion::learned;
  if (query.fusion != Fusion::learned) return false;
  pybind11::detail::make_caster<Ranking> caster;
  if (!caster.load(value, false)) return false;
  query.ranking = pybind11::cast<std::shared_ptr<Ranking>>(pybind11::handle(value));
  return true;
}

}  // namespace

const InternedNames<kQueryKeywords>& query_keywords() {
  static const InternedNames<kQueryKeywords> names(
      {"user", "text", "embedding", "tags", "between", "kinds", "require_tags", "where", "exclude", "as_of", "valid_at",
       "k", "views", "fusion", "weights", "ranking", "depth", "route", "tag_depth", "neighbors", "exact", "recall", "explain",
       "track", "features"});
  choice_names();
  return names;
}

const InternedNames<kLatestKeywords>& latest_keywords() {
  static const InternedNames<kLatestKeywords> names({"user", "k", "between", "kinds"});
  return names;
}

bool read_query(const QueryValues& values, ReusableQuery& into) {
  static const Query defaults;
  const ChoiceNames& names = choice_names();
  Query& query = into.query;
  query.weights = defaults.weights;
  query.fusion = defaults.fusion;
  return is_absent(values[kWeights]) && read_user(values[kUser], query.user) &&
         read_optional_text(values[kText], query.text, into.text) && read_vector(values[kEmbedding], query.embedding) &&
         read_texts(values[kTags], query.tags) && read_between(values[kBetween], query.between, into.between) &&
         read_choices(values[kKinds], names.kinds, query.kinds, into.kinds) &&
         read_texts(values[kRequireTags], query.require_tags) && read_json(values[kWhere], query.where) &&
         read_texts(values[kExclude], query.exclude) &&
         read_optional_micros(values[kAsOf], query.as_of) && read_optional_micros(values[kValidAt], query.valid_at) &&
         read_count(values[kTop], 1, limits::kTop, defaults.k, query.k) &&
         read_choices(values[kViews], names.views, query.views, into.views) &&
         (values[kFusion] == nullptr || read_choice(values[kFusion], names.fusions, query.fusion)) &&
         read_ranking(values[kRanking], query) &&
         read_count(is_absent(values[kDepth]) ? nullptr : values[kDepth], 1, limits::kDepth, 0, query.depth) &&
         read_count(values[kRoute], 0, 1000, defaults.route, query.route) &&
         read_count(values[kTagDepth], 0, 100, defaults.tag_depth, query.tag_depth) &&
         read_count(values[kNeighbors], 0, 100, defaults.neighbors, query.neighbors) &&
         read_flag(values[kExact], query.exact) && read_share(values[kRecall], defaults.recall, query.recall) &&
         read_flag(values[kExplain], query.explain) && read_flag(values[kTrack], query.track, defaults.track) &&
         read_flag(values[kFeatures], query.features) && (!query.features || query.fusion == Fusion::learned);
}

bool read_latest(const KeywordValues<kLatestKeywords>& values, LatestArguments& into) {
  into.between.reset();
  if (values[kLatestUser] == nullptr || !view_text(values[kLatestUser], into.user) || !is_absent(values[kLatestKinds]) ||
      !read_count(values[kLatestTop], 1, limits::kTop, kLatestDefault, into.k)) {
    return false;
  }
  if (is_absent(values[kLatestBetween])) return true;
  const Items pair(values[kLatestBetween]);
  into.between.emplace();
  return read_interval(pair, *into.between);
}

void ReusableQuery::trim() {
  constexpr size_t kKeptBytes = 1 << 18;
  constexpr size_t kKeptTexts = 1 << 12;
  const bool large = (query.text && query.text->capacity() > kKeptBytes) || text.capacity() > kKeptBytes ||
                     query.user.capacity() > kKeptBytes || query.where.capacity() > kKeptBytes || query.tags.capacity() > kKeptTexts ||
                     query.require_tags.capacity() > kKeptTexts || query.exclude.capacity() > kKeptTexts;
  if (large) *this = {};
}

}  // namespace memspan::python
