// Centroids in groups of such as lie near one another: a row is compared with the heads of the groups, and then with the
// members of the nearest few alone, so that to find its centroid takes O(sqrt(centroids)) instead of O(centroids).
//
// The centroid that is found may be the second or third nearest where two lie about as near. Made for one assignment of
// many rows (k_means.hpp), of codes, which it copies in the order of the groups. Const members may run in parallel.
#pragma once

#include <cstdint>
#include <vector>

#include "base/huge_pages.hpp"
#include "vectors/code_rows.hpp"
#include "vectors/row_list.hpp"

namespace memspan {

class CentroidGroups {
 public:
  // Are groups faster than to compare every row with every centroid?
  static bool pay(size_t rows, size_t centroids);

  // O(count sqrt(count) dim).
  CentroidGroups(const CodeRows& centroids, size_t count, size_t dim);

  // Writes for each row the number of a centroid among the nearest: the nearest of the groups that are looked at, the lower
  // number of two that are as near. What is found for a row depends on nothing but the row. O(rows sqrt(count) dim), unless
  // groups are very unequal.
  void assign(const RowView& rows, uint32_t* nearest) const;

 private:
  class Assignment;
  struct Group {
    uint32_t start;  // among the members
    uint32_t size;
  };

  size_t dim_;
  CodeRows heads_;  // by group
  std::vector<Group> groups_;
  CodeRows members_;               // group by group
  std::vector<uint32_t> numbers_;  // by member: which centroid it is
};

}  // namespace memspan
