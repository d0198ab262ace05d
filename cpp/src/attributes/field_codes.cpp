#include "attributes/field_codes.hpp"

#include <bit>
#include <cmath>
#include <string_view>

#include "base/hash_map.hpp"

namespace memspan {
namespace {

// Numbers are equal by value, however they are written: what an int64 holds goes by that, and all else by the nearest double.
uint64_t hash_of_number(const json::value& number) noexcept {
  constexpr double kBeyond = 9223372036854775808.0;  // 2^63
  if (number.is_int64()) return static_cast<uint64_t>(number.get_int64());
  const double value = number.is_uint64() ? static_cast<double>(number.get_uint64()) : number.get_double();
  if (value >= -kBeyond && value < kBeyond && value == std::trunc(value)) return static_cast<uint64_t>(static_cast<int64_t>(value));
  return std::bit_cast<uint64_t>(value);
}

uint64_t hash_of(const json::value& value) noexcept {
  const auto kind = static_cast<uint64_t>(value.kind());
  if (value.is_number()) return hash_of_number(value);
  if (const json::string* text = value.if_string()) return StringHash()(*text);
  if (const bool* flag = value.if_bool()) return (kind << 1) + (*flag ? 1 : 0);
  return kind << 1;  // lists and objects: one for all, as their elements would have to be put in an order
}

}  // namespace

FieldCodes::Code FieldCodes::of(const json::value& value) noexcept {
  const auto code = static_cast<Code>(hash_of(value) * 0x9e3779b97f4a7c15 >> 48);
  return code == kMissing ? Code{1} : code;
}

void FieldCodes::Column::keep(std::span<const Code> wanted, Bitset& records, std::vector<uint64_t>& marks) const {
  marks.assign(codes_.size() / 64, 0);
  for (const Code code : wanted) kernels().mark_equal(codes_.data(), code, marks.data(), marks.size());
  records.keep_words([&](size_t i, uint64_t) { return i < marks.size() ? marks[i] : 0; });
}

bool FieldCodes::full() const {
  size_t count = 0;
  for_each([&](const Column&) { ++count; });
  return count >= kMost;
}

const FieldCodes::Column* FieldCodes::make(const FieldPath& path, std::vector<Code> codes) const {
  auto column = std::make_unique<Column>();
  column->path_ = path;
  codes.resize(padded(codes.size()), kMissing);
  column->codes_ = std::move(codes);
  Column* first = first_.load(std::memory_order_acquire);
  do {
    if (const Column* const other = find_from(first, path)) return other;
    if (full()) return nullptr;
    column->next_ = first;
  } while (!first_.compare_exchange_weak(first, column.get(), std::memory_order_acq_rel, std::memory_order_acquire));
  return column.release();
}

const FieldCodes::Column* FieldCodes::find_from(const Column* column, const FieldPath& path) {
  while (column != nullptr && column->path_ != path) column = column->next_;
  return column;
}

size_t FieldCodes::bytes() const {
  size_t total = 0;
  for_each([&](const Column& column) {
    total += sizeof(Column) + column.codes_.capacity() * sizeof(Code) + column.path_.capacity() * sizeof(std::string);
  });
  return total;
}

void FieldCodes::free_all() noexcept {
  for (Column* column = first_.exchange(nullptr); column != nullptr;) delete std::exchange(column, column->next_);
}

}  // namespace memspan
