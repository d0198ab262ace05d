// Rows of one shape that lie anywhere in memory, where they must stay readable and unchanged.
//
// A RowList holds the places, a RowView shows some of them. Thread safety: as a vector and a span.
#pragma once

#include <cstddef>
#include <span>

#include "base/huge_pages.hpp"
#include "vectors/row_shape.hpp"

namespace memspan {

class RowView {
 public:
  RowView(const RowShape& shape, std::span<const std::byte* const> rows) : shape_(shape), rows_(rows) {}

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  size_t dim() const { return shape_.dim(); }
  const RowShape& shape() const { return shape_; }
  const std::byte* operator[](size_t i) const { return rows_[i]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  RowView part(size_t first, size_t count) const { return {shape_, rows_.subspan(first, count)}; }
  // As RowShape::floats; valid as long as row and buffer.
  const float* floats(size_t i, float* buffer) const { return shape_.floats(rows_[i], buffer); }
  float dot(const float* query, size_t i) const { return shape_.dot(query, rows_[i]); }

 private:
  RowShape shape_;
  std::span<const std::byte* const> rows_;
};

class RowList {
 public:
  explicit RowList(const RowShape& shape) : shape_(shape) {}

  size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  size_t dim() const { return shape_.dim(); }
  const RowShape& shape() const { return shape_; }
  const std::byte* operator[](size_t i) const { return rows_[i]; }
  const std::byte*& operator[](size_t i) { return rows_[i]; }
  const float* floats(size_t i, float* buffer) const { return shape_.floats(rows_[i], buffer); }
  void push_back(const std::byte* row) { rows_.push_back(row); }
  // Of a list of float32.
  void push_back(const float* row) { rows_.push_back(reinterpret_cast<const std::byte*>(row)); }
  void resize(size_t size) { rows_.resize(size); }
  void clear() { rows_.clear(); }
  operator RowView() const { return {shape_, rows_}; }

 private:
  RowShape shape_;
  huge_pages::PassingVector<const std::byte*> rows_;
};

}  // namespace memspan
