// The plain columns of a user's records: kind, times of validity and of learning, session, speaker, metadata, what is
// kept of the text, and what few records have (record_states.hpp).
//
// Thread safety: const members may run in parallel; writes need exclusion. Memory: 1.3 bytes a record, 8 more where those
// around it were learned at other times, 8 more once one has a session or a speaker, each distinct one of these once, and
// what the records of other kinds than most, with an end, with metadata or with a state add.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>

#include "attributes/field_codes.hpp"
#include "attributes/field_keys.hpp"
#include "attributes/json.hpp"
#include "attributes/kind_sets.hpp"
#include "attributes/metadata_pool.hpp"
#include "attributes/record_states.hpp"
#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "base/grouped_column.hpp"
#include "base/prefetch.hpp"
#include "base/sparse_column.hpp"
#include "base/string_pool.hpp"
#include "memspan/record.hpp"
#include "memspan/types.hpp"
#include "ranking/text_traits.hpp"

namespace memspan {

class Attributes {
 public:
  // `slot` must be the next one, or one that was removed; `metadata` is the parsed form of record.metadata. If that
  // throws, nothing has changed. True: who speaks may be others than before.
  bool add(Slot slot, const RecordInput& record, json::object metadata);
  bool remove(Slot slot) noexcept;

  Kind kind(Slot slot) const { return slot < kinds_.size() ? kinds_[slot] : Kind::episodic; }
  uint32_t count(Kind kind) const { return kind_counts_[static_cast<size_t>(kind)]; }
  const KindSets& of_kinds() const { return of_kinds_; }
  Micros until(Slot slot) const {
    const uint64_t* distance = before_forever_.find(slot);
    return distance == nullptr ? kForever : static_cast<Micros>(static_cast<uint64_t>(kForever) - *distance);
  }
  // False: none of the 64 slots around this one ends.
  bool may_end_near(Slot slot) const { return before_forever_.find(slot) != nullptr; }
  Micros recorded_at(Slot slot) const { return recorded_ats_[slot]; }
  TextTraits traits(Slot slot) const { return traits_[slot]; }
  StringPool::Symbol session(Slot slot) const { return place(slot).session; }
  StringPool::Symbol speaker(Slot slot) const { return place(slot).speaker; }
  size_t placed() const { return places_.size(); }  // slots; those behind have neither
  std::string_view speaker_text(Slot slot) const { return strings_.text(speaker(slot)); }
  // Calls use(symbol) for all who speak in what is not retired. O(sessions and speakers).
  template <typename Use>
  void for_each_speaker(Use use) const {
    strings_.for_each_speaker(use);
  }
  std::string_view text(StringPool::Symbol symbol) const { return strings_.text(symbol); }
  const RecordStates& states() const { return states_; }
  void pin(Slot slot, bool pinned) { states_.pin(slot, pinned); }
  // Of equal metadata mostly the same number, less than metadata_symbols(); kNone of a record without.
  MetadataPool::Symbol metadata_symbol(Slot slot) const {
    const MetadataPool::Symbol* symbol = metadata_.find(slot);
    return symbol == nullptr ? MetadataPool::kNone : *symbol;
  }
  // Of the 64 slots from 64 * word on; null if none of these has any.
  const MetadataPool::Symbol* metadata_symbols_of(size_t word) const { return metadata_.word(word); }
  size_t metadata_symbols() const { return metadata_pool_ ? metadata_pool_->symbols() : 1; }
  // Empty for a record without metadata.
  const json::object& metadata(Slot slot) const { return metadata_of(metadata_symbol(slot)); }
  const json::object& metadata_of(MetadataPool::Symbol symbol) const;
  // Codes or keys of a field, for a filter that is about to ask so many records for it; nullptr where there are none, and they
  // are not worth making or there are too many. Made in O(slots and different metadata), once. Safe beside itself and the others.
  const FieldCodes::Column* field_codes(const FieldPath& path, size_t records) const { return column_of(field_codes_, path, records); }
  const FieldKeys::Column* field_keys(const FieldPath& path, size_t records) const { return column_of(field_keys_, path, records); }
  size_t field_columns() const { return field_codes_.count() + field_keys_.count(); }

  // Asks for the memory of a record that will be removed.
  void prefetch(Slot slot) const {
    if (slot < places_.size()) prefetch_line(&places_[slot]);
    recorded_ats_.prefetch(slot);
  }

  void save(ByteWriter& out, std::span<const Slot> live) const;
  void load(ByteReader& in, size_t slots);
  size_t bytes() const;

 private:
  struct Place {
    StringPool::Symbol session = StringPool::kNone;
    StringPool::Symbol speaker = StringPool::kNone;
  };

  void load_metadata(ByteReader& in, size_t slots);
  template <typename Columns>
  const typename Columns::Column* column_of(const Columns& columns, const FieldPath& path, size_t records) const;
  template <typename Columns>
  const typename Columns::Column* make_column(const Columns& columns, const FieldPath& path) const;
  Place place(Slot slot) const { return slot < places_.size() ? places_[slot] : Place(); }
  bool retired(Slot slot) const { return states_.retired_at(slot) != kForever; }
  bool count_speaker(Slot slot, int by) noexcept {
    return retired(slot) ? speaker(slot) != StringPool::kNone : strings_.count_spoken(speaker(slot), by);
  }

  ChunkedVector<Kind> kinds_;  // up to the last slot that had another than episodic
  KindSets of_kinds_;
  ChunkedVector<TextTraits> traits_;
  GroupedColumn<Micros> recorded_ats_;
  ChunkedVector<Place> places_;  // up to the last slot that had one
  SparseColumn<uint64_t> before_forever_;  // kForever - until: 0 for most
  SparseColumn<MetadataPool::Symbol> metadata_;
  std::unique_ptr<MetadataPool> metadata_pool_;  // null: no record ever had any
  FieldCodes field_codes_;
  FieldKeys field_keys_;
  RecordStates states_;
  std::array<uint32_t, kKindCount> kind_counts_ = {};
  StringPool strings_;
};

}  // namespace memspan
