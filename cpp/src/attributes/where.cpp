#include "attributes/where.hpp"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <string>
#include <vector>

#include "attributes/json_compare.hpp"
#include "lexical/utf8.hpp"
#include "memspan/error.hpp"
#include "memspan/types.hpp"

namespace memspan {

enum class Operator : uint8_t { eq, ne, gt, gte, lt, lte, in, nin, contains, exists, and_, or_, not_ };

// Either a test of one field against an operand, or a combination of other nodes. Inside a field's condition, $and,
// $or and $not combine tests of the same field: each test carries its own path.
struct WhereNode {
  Operator op = Operator::and_;
  FieldPath path;
  json::value operand;
  std::vector<WhereNode> nodes;
  std::vector<std::pair<FieldCode, uint32_t>> members;  // codes of the values of $in and $nin and their places, sorted
};

namespace {

constexpr std::array<std::string_view, 13> kOperatorNames = {"$eq",  "$ne",  "$gt",       "$gte",    "$lt",  "$lte", "$in",
                                                             "$nin", "$contains", "$exists", "$and", "$or", "$not"};
constexpr std::string_view kOperators =
    "$eq $ne $gt $gte $lt $lte $in $nin $contains $exists $and $or $not";

[[noreturn]] void refuse(std::string_view place, const std::string& got, std::string_view accepted) {
  const auto shortened = [](std::string_view text) {
    constexpr size_t kShown = 80;
    return text.size() <= kShown ? std::string(text) : std::string(utf8_prefix(text, kShown)) + "...";
  };
  throw InvalidWhere(shortened(place), shortened(got), accepted);
}

Operator parse_operator(std::string_view name, std::string_view place) {
  const auto found = std::find(kOperatorNames.begin(), kOperatorNames.end(), name);
  if (found == kOperatorNames.end()) refuse(place, "the operator '" + std::string(name) + "'", kOperators);
  return static_cast<Operator>(found - kOperatorNames.begin());
}

FieldPath parse_path(std::string_view key, std::string_view place) {
  constexpr std::string_view kEscaped = ".$\\";
  FieldPath names(1);
  for (size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '.') {
      names.emplace_back();
      continue;
    }
    const bool escapes = key[i] == '\\' && i + 1 < key.size() && kEscaped.find(key[i + 1]) != std::string_view::npos;
    names.back() += escapes ? key[++i] : key[i];
  }
  for (const std::string& name : names) {
    if (name.empty()) refuse(place, "the path '" + std::string(key) + "'", "non-empty names joined by dots");
  }
  return names;
}

WhereNode parse_filter(const json::value& filter, const std::string& place);
WhereNode parse_condition(const FieldPath& path, const json::value& condition, const std::string& place);

template <typename ParsePart>
std::vector<WhereNode> parse_list(const json::value& list, const std::string& place, ParsePart parse_part) {
  if (!list.is_array() || list.get_array().empty()) refuse(place, json::serialize(list), "a non-empty list of filters");
  std::vector<WhereNode> nodes;
  for (const json::value& part : list.get_array()) {
    nodes.push_back(parse_part(part, place + "[" + std::to_string(nodes.size()) + "]"));
  }
  return nodes;
}

WhereNode combine(Operator op, std::vector<WhereNode> nodes) {
  WhereNode node;
  node.op = op;
  node.nodes = std::move(nodes);
  return node;
}

template <typename ParsePart>
WhereNode parse_combination(Operator op, const json::value& operand, const std::string& place, ParsePart parse_part) {
  if (op != Operator::not_) return combine(op, parse_list(operand, place, parse_part));
  std::vector<WhereNode> negated;
  negated.push_back(parse_part(operand, place));
  return combine(op, std::move(negated));
}

bool is_combination(Operator op) { return op >= Operator::and_; }

void check_operand(Operator op, const json::value& operand, const std::string& place) {
  switch (op) {
    case Operator::gt:
    case Operator::gte:
    case Operator::lt:
    case Operator::lte:
      if (!operand.is_number() && !operand.is_string()) refuse(place, json::serialize(operand), "a number or a string");
      return;
    case Operator::in:
    case Operator::nin:
      if (!operand.is_array()) refuse(place, json::serialize(operand), "a list of values");
      return;
    case Operator::exists:
      if (!operand.is_bool()) refuse(place, json::serialize(operand), "true or false");
      return;
    default:
      return;
  }
}

WhereNode parse_test(Operator op, const FieldPath& path, const json::value& operand, const std::string& place) {
  if (is_combination(op)) {
    return parse_combination(op, operand, place, [&](const json::value& part, const std::string& part_place) {
      return parse_condition(path, part, part_place);
    });
  }
  check_operand(op, operand, place);
  WhereNode node;
  node.op = op;
  node.path = path;
  node.operand = operand;
  if (op == Operator::in || op == Operator::nin) {
    for (const json::value& value : operand.get_array()) {
      node.members.emplace_back(CodeOf::of(value), static_cast<uint32_t>(node.members.size()));
    }
    std::sort(node.members.begin(), node.members.end());
  }
  return node;
}

WhereNode parse_condition(const FieldPath& path, const json::value& condition, const std::string& place) {
  const json::object* object = condition.if_object();
  const auto is_operator = [](const auto& entry) { return entry.key().starts_with('$'); };
  if (object == nullptr || std::none_of(object->begin(), object->end(), is_operator)) {
    return parse_test(Operator::eq, path, condition, place);
  }
  std::vector<WhereNode> tests;
  for (const auto& [name, operand] : *object) {
    const std::string here = place + "." + std::string(name);
    tests.push_back(parse_test(parse_operator(name, here), path, operand, here));
  }
  return combine(Operator::and_, std::move(tests));
}

WhereNode parse_filter(const json::value& filter, const std::string& place) {
  if (!filter.is_object()) refuse(place, json::serialize(filter), "an object such as {\"city\": \"Oslo\"}");
  std::vector<WhereNode> parts;
  for (const auto& [key, value] : filter.get_object()) {
    const std::string here = place + "." + std::string(key);
    if (!key.starts_with('$')) {
      parts.push_back(parse_condition(parse_path(key, here), value, here));
      continue;
    }
    const Operator op = parse_operator(key, here);
    if (!is_combination(op)) refuse(here, "an operator without a field", "a field name, $and, $or or $not");
    parts.push_back(parse_combination(op, value, here, parse_filter));
  }
  return combine(Operator::and_, std::move(parts));
}

bool contains(const json::value& field, const json::value& wanted) {
  if (const json::array* list = field.if_array()) {
    return std::any_of(list->begin(), list->end(), [&](const json::value& item) { return json_equal(item, wanted); });
  }
  const json::string* text = field.if_string();
  const json::string* part = wanted.if_string();
  return text != nullptr && part != nullptr && std::string_view(*text).find(std::string_view(*part)) != std::string_view::npos;
}

// O(log values), and the values of the same code.
bool is_member(const json::value& field, const WhereNode& node) {
  const json::array& list = node.operand.get_array();
  const FieldCode code = CodeOf::of(field);
  auto member = std::lower_bound(node.members.begin(), node.members.end(), std::pair(code, uint32_t{0}));
  for (; member != node.members.end() && member->first == code; ++member) {
    if (json_equal(field, list[member->second])) return true;
  }
  return false;
}

bool test_field(const WhereNode& node, const json::value* field) {
  const Operator op = node.op;
  const json::value& operand = node.operand;
  if (field == nullptr) {
    return op == Operator::ne || op == Operator::nin || (op == Operator::exists && !operand.get_bool());
  }
  switch (op) {
    case Operator::eq: return json_equal(*field, operand);
    case Operator::ne: return !json_equal(*field, operand);
    case Operator::gt: return json_order(*field, operand) == std::partial_ordering::greater;
    case Operator::lt: return json_order(*field, operand) == std::partial_ordering::less;
    case Operator::gte: return json_order(*field, operand) >= 0;
    case Operator::lte: return json_order(*field, operand) <= 0;
    case Operator::in: return is_member(*field, node);
    case Operator::nin: return !is_member(*field, node);
    case Operator::contains: return contains(*field, operand);
    default: return operand.get_bool();  // exists
  }
}

// Recursion is bounded by the nesting that parse_json accepts.
bool evaluate(const WhereNode& node, const json::object& metadata) {
  const auto holds = [&](const WhereNode& part) { return evaluate(part, metadata); };
  switch (node.op) {
    case Operator::and_: return std::all_of(node.nodes.begin(), node.nodes.end(), holds);
    case Operator::or_: return std::any_of(node.nodes.begin(), node.nodes.end(), holds);
    case Operator::not_: return !holds(node.nodes.front());
    default: return test_field(node, find_field(metadata, node.path));
  }
}

// A list that is longer would take as long to look for as metadata to look at.
constexpr size_t kMostCodes = 16;

bool is_comparison(Operator op) { return op >= Operator::gt && op <= Operator::lte; }

bool only_compares(const WhereNode& node) {
  return is_comparison(node.op) || (node.op == Operator::and_ && std::all_of(node.nodes.begin(), node.nodes.end(), only_compares));
}

// What `node` wants fields to equal, or to be greater or less than, whatever else it wants.
void collect(const WhereNode& node, std::vector<Where::Equal>& equal, std::vector<Where::Within>& within) {
  if (node.op == Operator::and_) {
    for (const WhereNode& part : node.nodes) collect(part, equal, within);
  } else if (node.op == Operator::eq) {
    equal.push_back({&node.path, {CodeOf::of(node.operand)}});
  } else if (node.op == Operator::in && node.operand.get_array().size() <= kMostCodes) {
    equal.push_back({&node.path, {}});
    for (const json::value& value : node.operand.get_array()) equal.back().codes.push_back(CodeOf::of(value));
  } else if (is_comparison(node.op)) {
    const bool is_least = node.op <= Operator::gte;
    const KeyRange range = is_least ? keys_from(node.operand) : keys_up_to(node.operand);
    for (Where::Within& other : within) {
      if (*other.path != node.path) continue;
      other.range = {std::max(other.range.least, range.least), std::min(other.range.most, range.most)};
      return;
    }
    within.push_back({&node.path, range});
  }
}

}  // namespace

Where::Where(std::string_view text) {
  json::value filter;
  try {
    filter = parse_json(text, "where");
  } catch (const InvalidArgument& error) {
    throw InvalidWhere(error.what());
  }
  root_ = std::make_unique<WhereNode>(parse_filter(filter, "where"));
  collect(*root_, equal_, within_);
  only_within_ = only_compares(*root_);
}

Where::Where(Where&&) noexcept = default;
Where::~Where() = default;

bool Where::matches(const json::object& metadata) const { return evaluate(*root_, metadata); }

}  // namespace memspan
