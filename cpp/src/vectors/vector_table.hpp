// The embeddings of one user: unit-length float32 rows, one for each slot, row-major and contiguous.
//
// A record without an embedding has a zero row that no scan reports. Thread safety: const members may run in parallel;
// writes need exclusion. Memory: 4 dim bytes a record.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bitset.hpp"
#include "base/bytes.hpp"
#include "base/top_k.hpp"
#include "memspan/types.hpp"

namespace memspan {

class VectorTable {
 public:
  explicit VectorTable(size_t dim) : dim_(dim) {}

  // `slot` must be the next one. `vector` must have passed check_embedding, or be empty.
  void add(Slot slot, std::span<const float> vector);
  // Overwrites the row with zeros.
  void remove(Slot slot);

  bool has(Slot slot) const { return present_.test(slot); }
  std::span<const float> row(Slot slot) const { return {rows_.data() + size_t{slot} * dim_, dim_}; }
  size_t count() const { return count_; }
  size_t dim() const { return dim_; }

  // Offers every row's cosine with the unit vector `query`. O(rows dim).
  void scan(const float* query, TopK& best) const;
  // The same, for the slots in `allowed` only; reads the other rows too.
  void scan_masked(const float* query, const Bitset& allowed, TopK& best) const;
  // The same, reading only the rows of `slots`. The scores are the same bits as those of a scan.
  void gather(const float* query, std::span<const Slot> slots, TopK& best) const;

  void remap(std::span<const Slot> new_slots, size_t size);
  void save(ByteWriter& out, std::span<const Slot> live) const;
  void load(ByteReader& in, size_t slots);
  size_t bytes() const { return rows_.capacity() * sizeof(float) + present_.bytes(); }

 private:
  template <typename Accept>
  void scan_if(const float* query, TopK& best, Accept accept) const;

  size_t dim_;
  std::vector<float> rows_;
  Bitset present_;
  size_t count_ = 0;
};

}  // namespace memspan
