// The cohesion of a user's rows, from so many of them that it costs the same whatever there is.
#pragma once

#include <vector>

#include "base/hash_map.hpp"
#include "index/user_columns.hpp"
#include "tags/tag_cohesion.hpp"

namespace memspan {

// 0: there are no tags to tell by.
struct Cohesion {
  double laid_out = 0.0;  // of the blocks
  double joined = 0.0;    // expected of them when the late rows, which are young or fresh, have joined them
  double all = 0.0;       // the late rows as one more block
};

// Of every block, or of 128 of them, sixteen rows, and 512 of the late ones: 2,560 in all, each with sixteen tags at most.
class CohesionSample {
 public:
  // Takes some more, in some tens of microseconds; false when everything was taken. With the user's lock held, which may be
  // released in between: records and tags may come and go, as long as compaction gives them no other numbers and the layout
  // stays. `layout`: null for none.
  bool step(const ClusterLayout* layout, const VectorTable& vectors, const TagDag& tags);
  // O(pairs of tags that meet in the sample + kMostJudged blocks); needs no lock.
  Cohesion measure() const;
  // Without the late rows, if these are not asked for.
  void leave_out_late() { with_late_ = false; }

 private:
  void take(Slot slot, const TagDag& tags);
  void take_block(const ClusterLayout& layout, size_t taken, const TagDag& tags);
  void take_late(const VectorTable& vectors, const TagDag& tags);

  TaggedRecords records_;
  std::vector<TagGroup> groups_;  // blocks, then the late rows
  size_t blocks_ = 0;
  bool with_late_ = true;
  bool has_late_ = false;
  HashSet<TagId> known_;
  std::vector<TagId> distinct_;
  size_t related_ = 0;  // of `distinct_`, whose relations were taken
};

}  // namespace memspan
