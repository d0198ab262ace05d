// The embeddings of one user: unit rows for exact scores, in float32 or bfloat16, and int8 codes of them for scans.
//
// Codes lie in one of four regions: the layout, the young layout, and two lots of fresh rows, of which one takes what comes
// and the other is what a running consolidation is about to lay out. A large user's consolidations lay out the fresh rows and
// the young ones, until these are so many that all rows are laid out together: as a log-structured merge tree does (O'Neil et
// al. 1996), so that what a write pays for, and what searches scan meanwhile, grow slower than the user. Slots may be used
// again after a removal, except while a consolidation runs (`pinned`).
//
// A record without an embedding has no place, and no search reports it. Thread safety: const members may run in
// parallel; writes need exclusion. Memory: 5 dim + 20 bytes a record,
// 3 dim + 20 in bfloat16.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/bitset.hpp"
#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/top_k.hpp"
#include "memspan/types.hpp"
#include "simd/kernels.hpp"
#include "vectors/cluster_layout.hpp"
#include "vectors/fresh_rows.hpp"
#include "vectors/row_shape.hpp"
#include "vectors/row_store.hpp"
#include "vectors/vector_search.hpp"

namespace memspan {

// What a consolidation lays out: all rows, or those that came since it last laid out all.
enum class LayoutScope : uint8_t { all, young };

class VectorTable {
 public:
  explicit VectorTable(const RowShape& shape) : shape_(shape), rows_(shape.bytes()) {}

  // `slot` must be the next one or one that was removed. `vector` must have passed check_embedding, or be empty. If
  // that throws, nothing has changed.
  void add(Slot slot, Micros at, std::span<const float> vector);
  // Overwrites the row with zeros, which must have been checked; while a consolidation runs, when that ends. With
  // `keep_row` the row stays until another comes to the slot: nothing reads it. Needs no memory.
  void remove(Slot slot, bool keep_row = false);

  // Room for more rows that is made without exclusion (row_store.hpp).
  void expect(size_t rows) { rows_.expect(rows); }  // see RowStore
  // What the next rows will need, in bytes of each piece: best made, or prepared in huge pages, without exclusion.
  struct Wanted {
    size_t spare = 0;  // for take_spare
    size_t rows = 0;   // lasting
    size_t codes = 0;  // passing
  };
  Wanted wanted() const {
    return {.spare = rows_.wants_spare() ? rows_.spare_bytes() : 0,
            .rows = rows_.next_chunk(),
            .codes = fresh_[active_] ? fresh_[active_]->next_chunk() : 0};
  }
  void take_spare(RowStore::ChunkMemory& spare) { rows_.take_spare(spare); }

  bool has(Slot slot) const { return places_[slot] != kNowhere; }
  // Of a slot that has one: as it is kept, and as floats, which lie in `buffer` where it is not kept so (row_shape.hpp).
  // Throws CorruptSnapshot, as all that reads rows does, if the row comes from a snapshot and is damaged there.
  const std::byte* row(Slot slot) const {
    rows_.check(slot);
    return rows_.row(slot);
  }
  std::span<const float> floats(Slot slot, std::vector<float>& buffer) const {
    if (shape_.format() != RowFormat::float32) buffer.resize(dim());
    return {shape_.floats(row(slot), buffer.data()), dim()};
  }
  // The exact cosine of a unit vector and a row.
  float cosine(const float* unit_vector, Slot slot) const { return shape_.dot(unit_vector, row(slot)); }
  // The exact cosines of rows with each other: out[i] is that of a[i] and b[i], which have rows.
  float cosine(Slot a, Slot b) const;
  void cosines(std::span<const Slot> a, std::span<const Slot> b, float* out) const;
  // Calls use(i, cosine) with the exact cosine of the unit vector `query` for each i < count whose slot, slot_of(i), has a
  // row. Rows that lie anywhere are best read so: their memory is asked for ahead.
  template <typename SlotOf, typename Use>
  void score_each(const float* query, size_t count, SlotOf slot_of, Use use) const {
    std::array<const std::byte*, kRowsTogether> rows;
    std::array<size_t, kRowsTogether> places;
    std::array<float, kRowsTogether> cosines;
    size_t waiting = 0;
    const auto score = [&] {
      shape_.dot_each(query, rows.data(), waiting, cosines.data());
      for (size_t j = 0; j < waiting; ++j) use(places[j], cosines[j]);
      waiting = 0;
    };
    for (size_t i = 0; i < std::min(kRowsAhead, count); ++i) prefetch(slot_of(i));
    for (size_t i = 0; i < count; ++i) {
      if (i + kRowsAhead < count) prefetch(slot_of(i + kRowsAhead));
      const Slot slot = slot_of(i);
      if (!has(slot)) continue;
      rows[waiting] = row(slot);
      places[waiting++] = i;
      if (waiting == kRowsTogether) score();
    }
    score();
  }
  void prefetch(Slot slot) const;        // the row, to the second level
  void prefetch_codes(Slot slot) const;  // that which a removal that keeps the floats changes
  // Throws CorruptSnapshot if anything that is kept of the slot is damaged; of every slot.
  void check(Slot slot) const;
  void check_all() const;
  size_t count() const { return count_; }
  size_t dim() const { return shape_.dim(); }
  const RowShape& shape() const { return shape_; }

  // Searches of all rows, or of those in `allowed`, at most kScansTogether, which read a row once (row_scan.cpp). Exact ones are
  // offered the exact cosines of all that can be among their best k, the same bits whichever way they were found; others what
  // `nearest` finds, which must read everything. O(rows dim).
  void scan(std::span<RowScan> searches, const Bitset* allowed = nullptr) const;
  // The same among `slots`.
  void gather(RowScan& search, std::span<const Slot> slots) const;

  // Leaves in `scratch.rescored`, in no order and with exact cosines, rows that are meant to hold the best k admitted
  // ones; at least `recall` of them on average. Rows are read block by block, the most promising first, until no other
  // block is likely to hold one of the best k. O((fresh + blocks + rows of the probed blocks) dim). False: it gave up,
  // because `nearest_of` the admitted slots will be faster.
  // Without a filter every row is read if reads_all(recall).
  bool nearest(const float* query, size_t k, float recall, const VectorFilter& filter, VectorScratch& scratch,
               VectorSearchStats& stats) const;
  // The same among `slots`.
  void nearest_of(const float* query, size_t k, std::span<const Slot> slots, VectorScratch& scratch,
                  VectorSearchStats& stats) const;
  // Does it cost less to read the codes of all rows than to choose among blocks?
  bool reads_all(float recall) const;
  // What `nearest` is estimated to cost when `admitted` of the rows are and k wanted, in rows read by `nearest_of` instead. Their
  // times form these intervals; none: any time.
  size_t probing_cost(size_t admitted, size_t k, std::span<const Interval> intervals) const;

  // Consolidation (index/user_consolidation.cpp): begin, then without exclusion pin the rows and build a layout of what
  // `pending` names, offer it, let it catch up, erase what was removed, and install it; or abandon it. Slots are not used
  // again in between. Searches may run beside all of it but erase_removed, install_layout and abandon_layout; writes beside none.
  bool pinned() const { return build_ != nullptr; }
  void begin_layout(LayoutScope scope = LayoutScope::all);
  bool pending(Slot slot) const {
    if (!has(slot)) return false;
    const uint32_t region = VectorTable::region(places_[slot]);
    return region != kFresh + active_ && (region != kLaidOut || build_->region == kLaidOut);
  }
  // The block that the row lies in, of the layout that the new one will replace, or kNowhere.
  uint32_t block_of(Slot slot) const {
    const uint32_t place = places_[slot];
    if (place == kNowhere || region(place) != build_->region) return kNowhere;
    return static_cast<uint32_t>(layout_at(region(place)).block_of(position(place)));
  }
  RowStore pin_rows() const { return rows_.pin(); }
  size_t slots() const { return places_.size(); }
  // Where rows will be when the layout is there, to be offered with it: first of the slots that it leaves where they are, `most`
  // more a call, true when none is left; then, which needs no lock, of its own.
  using Places = ChunkedVector<uint32_t>;  // by slot
  bool copy_places(Places& places, size_t most) const;
  static void put_places(const ClusterLayout& layout, LayoutScope scope, Places& places);
  // From here on the layout follows what changes. What changed before, `catch_up` brings to it, `most` changes a call; true
  // when nothing is left. Without an offer there is nothing to bring. O(slots that `places` lacks), O(most).
  void offer_layout(std::unique_ptr<ClusterLayout> layout, Places places, float max_scale);
  bool catch_up(size_t most) noexcept;
  // Overwrites `most` rows that were removed before the offer; true when none is left. O(most).
  bool erase_removed(size_t most) noexcept;
  // What is no longer used comes back, so that it can be freed without a lock. O(1) when everything has caught up.
  struct Retired {
    std::unique_ptr<ClusterLayout> layout;
    std::unique_ptr<ClusterLayout> young;
    std::unique_ptr<FreshRows> fresh;
    Places places;
  };
  Retired install_layout() noexcept;
  // The same of an offered layout that is not to be used.
  Retired abandon_layout() noexcept;

  const ClusterLayout* layout() const { return layout_.get(); }
  // Of rows that came since; null: none.
  const ClusterLayout* young_layout() const { return young_.get(); }
  size_t blocks() const {
    size_t total = 0;
    for_each_layout([&](const ClusterLayout& layout) { total += layout.blocks.size(); });
    return total;
  }
  size_t young_places() const { return young_ ? young_->size : 0; }  // dead ones included
  size_t fresh_rows() const;
  // Dead ones included: what every search scans.
  size_t fresh_places() const;
  // Fresh and young rows, which lie in no block of `layout`. The slot of the i-th, or kNoSlot.
  size_t late_places() const { return fresh_places() + young_places(); }
  Slot late_slot(size_t i) const;
  // That came or went since the last consolidation began, up to places that were used again. O(1).
  size_t changed_rows() const {
    size_t total = fresh_rows();
    for_each_layout([&](const ClusterLayout& layout) { total += layout.dead; });
    return total;
  }
  // Share of the places that a scan passes in vain or out of order: fresh and dead ones.
  double fragmentation() const;

  // Those of `live` with a vector must come first; they become slots 0, 1, ... Rows and codes go to the body and are
  // used there after a load, which reads nothing of it (vector_table_snapshot.cpp).
  void save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live) const;
  void load(ByteReader& in, const Body& body, const PackedValues<Micros>& ats);
  size_t bytes() const;         // on the heap
  size_t mapped_bytes() const;  // in the body

  static constexpr uint32_t kNowhere = ~uint32_t{0};

 private:
  // A place is a region in the upper two bits, and a position in it. No young row lies as far up as kNowhere.
  static constexpr uint32_t kLaidOut = 0;
  static constexpr uint32_t kFresh = 1;  // and 2
  static constexpr uint32_t kYoung = 3;
  static constexpr uint32_t kPositionBits = 30;
  static constexpr uint32_t kPositionMask = (uint32_t{1} << kPositionBits) - 1;
  // Rows are asked for so many ahead, into the second level: 32 rows out of 300 MB took 3.1 us instead of 5.6 with two
  // ahead into the first level; a search among 1,000 records of one of 100 users a fifth less than with eight ahead into
  // the first.
  static constexpr size_t kRowsAhead = 12;
  static constexpr size_t kRowsTogether = 4;  // a block of the kernels

  static uint32_t region(uint32_t place) { return place >> kPositionBits; }
  static uint32_t position(uint32_t place) { return place & kPositionMask; }

  static uint32_t region_of(LayoutScope scope) { return scope == LayoutScope::young ? kYoung : kLaidOut; }
  ClusterLayout& layout_at(uint32_t region) const { return region == kYoung ? *young_ : *layout_; }
  static bool is_fresh(uint32_t region) { return region != kLaidOut && region != kYoung; }
  template <typename Use>
  void for_each_layout(Use use) const {
    if (layout_) use(*layout_);
    if (young_) use(*young_);
  }

  // The layouts that may hold admitted rows, in the order in which to read them, and about how many these are, of `admitted`.
  struct Share {
    const ClusterLayout* layout = nullptr;  // null: none
    double admitted = 0.0;
    // Of the best, the part that is to be expected here. 1 of the layout that is read first: the calibration knew of no other.
    double of_best = 1.0;

    // How far blocks or rows may reach for the best k: as far as for so few as chance may leave here. What the layout before
    // has brought rules out more than the k best of this one would.
    float reach(const ProbeReach& calibrated, size_t k, float recall) const {
      constexpr double kByChance = 2.0;  // standard deviations of a count
      const double expected = of_best * static_cast<double>(k);
      const double fewest = expected - kByChance * std::sqrt(expected * (1.0 - of_best));
      const auto own = static_cast<size_t>(std::max(1.0, fewest));
      const float usual = calibrated.at(k, recall);
      return own < k ? std::max(usual, calibrated.at(own, recall)) : usual;
    }
  };
  std::array<Share, 2> shares(size_t admitted, std::span<const Interval> intervals) const;

  bool reads_codes(size_t k) const;
  void scan_codes(std::span<RowScan> searches, const Bitset* allowed) const;
  void scan_rows(std::span<const RowScan> searches, const Bitset* allowed) const;
  void begin_exact(RowScan& search) const;
  template <typename Use>
  float score_best(const RowScan& search, Use use) const;
  void offer_left(const RowScan& search) const;
  void put_fresh(Slot slot, Micros at, const float* unit_vector);
  FreshRows& fresh(uint32_t which);
  void erase_codes(uint32_t place);
  std::pair<const CodeRows*, size_t> find_codes(uint32_t place) const;
  template <typename Admits>
  void offer_scored(const CodeRows& rows, size_t first, size_t count, float* scores, VectorScratch& scratch, Admits admits) const;
  void offer_scored(const CodeRows& rows, size_t first, size_t count, float* scores, const Bitset* allowed, VectorScratch& scratch) const;
  void offer_slots(std::span<const Slot> slots, VectorScratch& scratch, VectorSearchStats& stats) const;
  template <typename Admits>
  void scan_codes(const CodeRows& rows, size_t first, size_t count, VectorScratch& scratch, VectorSearchStats& stats,
                  Admits admits) const;
  template <typename Admits>
  void scan_fresh(VectorScratch& scratch, VectorSearchStats& stats, Admits admits) const;
  void scan_span(const ClusterLayout& layout, RowSpan span, size_t k, VectorScratch& scratch, VectorSearchStats& stats) const;
  void scan_block(const ClusterLayout& layout, const Block& block, const VectorFilter& filter, VectorScratch& scratch,
                  VectorSearchStats& stats) const;
  static void collect_spans(const ClusterLayout& layout, std::span<const uint32_t> blocks, const VectorFilter& filter,
                            VectorScratch& scratch);
  void offer_gathered(const CodeRows& rows, size_t count, VectorScratch& scratch) const;
  // Where blocks cannot be told apart (vector_sift.cpp).
  float good_score(size_t rows, size_t wanted, VectorScratch& scratch) const;
  bool sift(const ClusterLayout& layout, const float* query, size_t k, float reach, const VectorFilter& filter,
            VectorScratch& scratch, VectorSearchStats& stats) const;
  // Among blocks (vector_probe.cpp).
  class Probe;
  static bool reads_all(const ClusterLayout& layout, float recall);
  bool probe(const Share& share, const float* query, size_t k, float recall, const VectorFilter& filter, VectorScratch& scratch,
             VectorSearchStats& stats) const;
  void rescore(const float* query, size_t k, VectorScratch& scratch, VectorSearchStats& stats) const;
  void begin_search(const float* query, size_t k, VectorScratch& scratch) const;
  static void make_room(VectorScratch& scratch);
  CodeRows load_codes(ByteReader& in, const Body& body, const PackedValues<Micros>& ats, uint32_t region);
  std::unique_ptr<ClusterLayout> load_layout(ByteReader& in, const Body& body, const PackedValues<Micros>& ats, uint32_t region);

  RowShape shape_;
  RowStore rows_;                 // by slot
  Places places_;                 // by slot
  size_t count_ = 0;
  float max_scale_ = 0.0f;        // no code row has a larger one
  uint32_t active_ = 0;           // the fresh rows that take what comes

  std::unique_ptr<ClusterLayout> layout_;  // null before the first consolidation
  std::unique_ptr<ClusterLayout> young_;   // null: no young rows; never without the former
  std::array<std::unique_ptr<FreshRows>, 2> fresh_;  // null: none

  // What happened since begin_layout. When the layout is there, only what it has not followed yet.
  struct Build {
    uint32_t region;  // that it is for
    huge_pages::PassingVector<Slot> changed;
    huge_pages::PassingVector<Slot> to_zero;  // removed
    std::unique_ptr<ClusterLayout> layout;  // null: not there yet
    Places places;
    float max_scale = 0.0f;

    void reserve(size_t slots) {
      if (layout || changed.capacity() >= 2 * slots) return;
      changed.reserve(4 * slots);
      to_zero.reserve(2 * slots);
    }
    // The first pages of the lists, which are huge ones for a large user (huge_pages::prepare).
    void touch() {
      for (auto* const list : {&changed, &to_zero}) {
        list->push_back(0);
        list->pop_back();
      }
    }
    // The slot is at `place` now. Whatever the layout holds of it is gone: slots are not used again while it is built.
    void follow(Slot slot, uint32_t place) noexcept {
      if (places[slot] != kNowhere && VectorTable::region(places[slot]) == region) layout->erase(position(places[slot]));
      places[slot] = place;
    }
  };
  void note_change(Slot slot) {
    if (!build_) return;
    if (build_->layout) {
      build_->follow(slot, places_[slot]);
    } else {
      build_->changed.push_back(slot);
    }
  }
  std::unique_ptr<Build> build_;
};

}  // namespace memspan
