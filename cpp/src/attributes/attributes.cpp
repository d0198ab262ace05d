#include "attributes/attributes.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <limits>
#include <string>
#include <vector>

namespace memspan {
namespace {

constexpr uint32_t kUnused = std::numeric_limits<uint32_t>::max();

// A field gets a column when so many records are to be asked for it, and one in so many of all.
constexpr size_t kAskedRecords = 1024;
constexpr size_t kAskedShare = 16;

}  // namespace

bool Attributes::add(Slot slot, const RecordInput& record, json::object metadata) {
  const uint64_t distance = static_cast<uint64_t>(kForever) - static_cast<uint64_t>(record.until);
  // A slot that one column has and another has not yet is harmless: the next attempt overwrites it.
  if (slot >= traits_.size()) traits_.resize(size_t{slot} + 1);
  if (record.kind != Kind::episodic && slot >= kinds_.size()) kinds_.resize(size_t{slot} + 1, Kind::episodic);
  const bool placed = !record.session.empty() || !record.speaker.empty();
  if (placed && slot >= places_.size()) places_.resize(size_t{slot} + 1);
  of_kinds_.make_room(slot, record.kind);
  recorded_ats_.set(slot, record.recorded_at);
  if (distance != 0) before_forever_.set(slot, distance);
  Place place;
  MetadataPool::Symbol metadata_symbol = MetadataPool::kNone;
  try {
    place.session = strings_.acquire(record.session);
    place.speaker = strings_.acquire(record.speaker);
    if (!metadata.empty()) {
      if (!metadata_pool_) metadata_pool_ = std::make_unique<MetadataPool>();
      metadata_symbol = metadata_pool_->acquire(record.metadata, std::move(metadata));
      metadata_.set(slot, metadata_symbol);
    }
    field_codes_.make_room(slot);
    field_keys_.make_room(slot);
    states_.add(slot, record);
  } catch (...) {
    strings_.release(place.session);
    strings_.release(place.speaker);
    before_forever_.reset(slot);
    metadata_.reset(slot);
    if (metadata_pool_) metadata_pool_->release(metadata_symbol);
    throw;
  }
  if (slot < kinds_.size()) kinds_[slot] = record.kind;
  of_kinds_.set(slot, record.kind);
  field_codes_.set(slot, metadata_of(metadata_symbol));
  field_keys_.set(slot, metadata_of(metadata_symbol));
  traits_[slot] = traits_of(record.text);
  if (placed) places_[slot] = place;
  ++kind_counts_[static_cast<size_t>(record.kind)];
  return count_speaker(slot, 1);
}

bool Attributes::remove(Slot slot) noexcept {
  --kind_counts_[static_cast<size_t>(kind(slot))];
  of_kinds_.reset(slot, kind(slot));
  const bool fell_silent = count_speaker(slot, -1);
  strings_.release(session(slot));
  strings_.release(speaker(slot));
  if (slot < places_.size()) places_[slot] = Place();
  before_forever_.reset(slot);
  if (metadata_pool_) metadata_pool_->release(metadata_symbol(slot));
  metadata_.reset(slot);
  states_.remove(slot);
  return fell_silent;
}

const json::object& Attributes::metadata_of(MetadataPool::Symbol symbol) const {
  static const json::object kEmpty;
  return metadata_pool_ ? metadata_pool_->object(symbol) : kEmpty;
}

template <typename Columns>
const typename Columns::Column* Attributes::column_of(const Columns& columns, const FieldPath& path, size_t records) const {
  if (const typename Columns::Column* const known = columns.find(path)) return known;
  if (records < kAskedRecords || records * kAskedShare < traits_.size() || columns.full()) return nullptr;
  return make_column(columns, path);
}
template const FieldCodes::Column* Attributes::column_of(const FieldCodes&, const FieldPath&, size_t) const;
template const FieldKeys::Column* Attributes::column_of(const FieldKeys&, const FieldPath&, size_t) const;

// Each metadata is looked at once, however many records share it.
template <typename Columns>
const typename Columns::Column* Attributes::make_column(const Columns& columns, const FieldPath& path) const {
  using Number = typename Columns::Number;
  std::vector<Number> of_symbols(metadata_symbols());
  if (metadata_pool_) {
    metadata_pool_->for_each([&](MetadataPool::Symbol symbol, const json::object& metadata) {
      of_symbols[symbol] = Columns::of(metadata, path);
    });
  }
  std::vector<Number> numbers(Columns::padded(traits_.size()));
  for (size_t word = 0; word * 64 < traits_.size(); ++word) {
    const MetadataPool::Symbol* const symbols = metadata_symbols_of(word);
    if (symbols == nullptr) continue;
    const size_t count = std::min<size_t>(64, traits_.size() - word * 64);
    for (size_t i = 0; i < count; ++i) numbers[word * 64 + i] = of_symbols[symbols[i]];
  }
  return columns.make(path, std::move(numbers));
}

// Columns by live slot: u64 up to which slot any is not episodic, u8 kind of these; u8 traits of the text
// (ranking/text_traits.hpp); i64 recorded_at (base/grouped_column.hpp); u64 up to which slot any has a session or a
// speaker, u32 session, u32 speaker (symbols) of these; the shared strings (base/string_pool.hpp); u64 records with an
// end, u32 slot of each, i64 until of each; u64 different metadata, JSON text of each; u64 records with metadata, u32
// slot of each, u32 number of its metadata; the states (record_states.cpp).
void Attributes::save(ByteWriter& out, std::span<const Slot> live) const {
  std::vector<uint32_t> ending;
  std::vector<uint32_t> described;
  std::vector<uint32_t> descriptions;  // by record with metadata
  std::vector<Slot> first_described;   // by description
  std::vector<uint32_t> new_descriptions(metadata_symbols(), kUnused);
  for (uint32_t i = 0; i < live.size(); ++i) {
    if (until(live[i]) != kForever) ending.push_back(i);
    const MetadataPool::Symbol symbol = metadata_symbol(live[i]);
    if (symbol == MetadataPool::kNone) continue;
    if (new_descriptions[symbol] == kUnused) {
      new_descriptions[symbol] = static_cast<uint32_t>(first_described.size());
      first_described.push_back(live[i]);
    }
    described.push_back(i);
    descriptions.push_back(new_descriptions[symbol]);
  }
  ByteWriter strings;
  const std::vector<StringPool::Symbol> new_symbols = strings_.save(strings);
  const auto new_symbol = [&](StringPool::Symbol symbol) { return symbol == StringPool::kNone ? symbol : new_symbols[symbol]; };
  size_t kinds = live.size();
  while (kinds > 0 && kind(live[kinds - 1]) == Kind::episodic) --kinds;
  out.put<uint64_t>(kinds);
  out.put_each<uint8_t>(kinds, [&](size_t i) { return static_cast<uint8_t>(kind(live[i])); });
  out.put_each<uint8_t>(live.size(), [&](size_t i) { return traits_[live[i]]; });
  GroupedColumn<Micros>::save(out, live.size(), [&](size_t i) { return recorded_ats_[live[i]]; });
  size_t placed = live.size();
  while (placed > 0 && session(live[placed - 1]) == StringPool::kNone && speaker(live[placed - 1]) == StringPool::kNone) --placed;
  out.put<uint64_t>(placed);
  out.put_each<uint32_t>(placed, [&](size_t i) { return new_symbol(session(live[i])); });
  out.put_each<uint32_t>(placed, [&](size_t i) { return new_symbol(speaker(live[i])); });
  out.put_bytes(strings.bytes());
  out.put_array<uint32_t>(ending);
  out.put_each<Micros>(ending.size(), [&](size_t i) { return until(live[ending[i]]); });
  out.put<uint64_t>(first_described.size());
  for (const Slot slot : first_described) out.put_text(json::serialize(metadata(slot)));
  out.put_array<uint32_t>(described);
  out.put_array<uint32_t>(descriptions);
  states_.save(out, live);
}

void Attributes::load(ByteReader& in, size_t slots) {
  const uint64_t kinds = in.get_count(sizeof(uint8_t));
  in.check(kinds <= slots, "there are more kinds than records");
  kind_counts_[static_cast<size_t>(Kind::episodic)] = static_cast<uint32_t>(slots - kinds);
  kinds_.fill(kinds, [&](std::span<Kind> column) {
    for (Kind& kind : column) {
      const auto number = in.get<uint8_t>();
      in.check(number < kKindCount, "an unknown kind");
      kind = static_cast<Kind>(number);
      ++kind_counts_[number];
    }
  });
  for (Slot slot = 0; slot < slots && count(Kind::episodic) < slots; ++slot) {
    of_kinds_.make_room(slot, kind(slot));
    of_kinds_.set(slot, kind(slot));
  }
  traits_.fill(slots, [&](std::span<TextTraits> traits) {
    in.get_each(traits);
    for (const TextTraits each : traits) in.check((each & ~kAllTraits) == 0, "an unknown trait of a text");
  });
  recorded_ats_.load(in, slots);
  const uint64_t placed = in.get_count(2 * sizeof(uint32_t));
  in.check(placed <= slots, "there are more places than records");
  const auto sessions = in.view_each<uint32_t>(placed);
  const auto speakers = in.view_each<uint32_t>(placed);
  places_.fill(placed, [&](std::span<Place> places) {
    const size_t first = places_.size();
    for (size_t i = 0; i < places.size(); ++i) places[i] = {sessions[first + i], speakers[first + i]};
  });
  strings_.load(in, [&](size_t count) {
    std::vector<uint32_t> references(count, 0);
    for (const PackedValues<uint32_t>& column : {sessions, speakers}) {
      for (size_t slot = 0; slot < placed; ++slot) {
        const uint32_t symbol = column[slot];
        in.check(symbol < count || symbol == StringPool::kNone, "a record has an unknown session or speaker");
        if (symbol != StringPool::kNone) ++references[symbol];
      }
    }
    return references;
  });

  const std::vector<uint32_t> ending = in.get_array<uint32_t>();
  const std::vector<Micros> untils = in.get_each<Micros>(ending.size());
  for (size_t i = 0; i < ending.size(); ++i) {
    in.check(ending[i] < slots && (i == 0 || ending[i - 1] < ending[i]), "records with an end are not in order");
    if (untils[i] != kForever) before_forever_.set(ending[i], static_cast<uint64_t>(kForever) - static_cast<uint64_t>(untils[i]));
  }
  load_metadata(in, slots);
  states_.load(in, slots);
  for (Slot slot = 0; slot < placed; ++slot) count_speaker(slot, 1);
}

void Attributes::load_metadata(ByteReader& in, size_t slots) {
  const uint64_t count = in.get_count(sizeof(uint32_t));
  if (count == 0) {
    in.check(in.get_array<uint32_t>().empty() && in.get_array<uint32_t>().empty(), "records with metadata have none");
    return;
  }
  std::vector<MetadataPool::Symbol> symbols(count);
  metadata_pool_ = std::make_unique<MetadataPool>();
  for (MetadataPool::Symbol& symbol : symbols) {
    // Serialising may lengthen what came in, by escapes and by the digits of numbers.
    const std::string_view text = in.get_text(8 * limits::kMetadataBytes);
    try {
      symbol = metadata_pool_->acquire(text, parse_json_object(text, "metadata"));
    } catch (const InvalidArgument& error) {
      in.fail(error.what());
    }
  }
  const std::vector<uint32_t> described = in.get_array<uint32_t>();
  const std::vector<uint32_t> descriptions = in.get_array<uint32_t>();
  in.check(descriptions.size() == described.size(), "records with metadata are not as many as their metadata");
  for (size_t i = 0; i < described.size(); ++i) {
    in.check(described[i] < slots && (i == 0 || described[i - 1] < described[i]), "records with metadata are not in order");
    in.check(descriptions[i] < count, "a record has unknown metadata");
    metadata_.set(described[i], metadata_pool_->share(symbols[descriptions[i]]));
  }
  for (const MetadataPool::Symbol symbol : symbols) metadata_pool_->release(symbol);
}

size_t Attributes::bytes() const {
  return of_kinds_.bytes() + kinds_.bytes() + traits_.bytes() + recorded_ats_.bytes() + places_.bytes() + before_forever_.bytes() +
         metadata_.bytes() + (metadata_pool_ ? metadata_pool_->bytes() : 0) + field_codes_.bytes() + field_keys_.bytes() + states_.bytes() +
         strings_.bytes();
}

}  // namespace memspan
