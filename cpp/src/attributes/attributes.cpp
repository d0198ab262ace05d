#include "attributes/attributes.hpp"

#include <boost/json/serialize.hpp>
#include <string>

#include "base/remap.hpp"

namespace memspan {

void Attributes::add(Slot slot, const RecordInput& record, json::object metadata) {
  auto object = metadata.empty() ? nullptr : std::make_unique<json::object>(std::move(metadata));
  const uint64_t distance = static_cast<uint64_t>(kForever) - static_cast<uint64_t>(record.until);
  if (slot >= kinds_.size()) {
    // A slot that one column has and another has not yet is harmless: the next attempt overwrites it.
    recorded_ats_.resize(size_t{slot} + 1);
    places_.resize(size_t{slot} + 1);
    kinds_.resize(size_t{slot} + 1);
  }
  if (distance != 0) before_forever_.set(slot, distance);
  const size_t object_bytes = object ? json_bytes(*object) : 0;
  Place place;
  try {
    place.session = strings_.acquire(record.session);
    place.speaker = strings_.acquire(record.speaker);
    if (object) metadata_.set(slot, std::move(object));
  } catch (...) {
    strings_.release(place.session);
    strings_.release(place.speaker);
    before_forever_.reset(slot);
    throw;
  }
  metadata_bytes_ += object_bytes;
  kinds_[slot] = record.kind;
  recorded_ats_[slot] = record.recorded_at;
  places_[slot] = place;
  ++kind_counts_[static_cast<size_t>(record.kind)];
}

void Attributes::remove(Slot slot) noexcept {
  --kind_counts_[static_cast<size_t>(kinds_[slot])];
  strings_.release(places_[slot].session);
  strings_.release(places_[slot].speaker);
  places_[slot] = Place();
  before_forever_.reset(slot);
  if (const json::object& object = metadata(slot); !object.empty()) metadata_bytes_ -= json_bytes(object);
  metadata_.reset(slot);
}

const json::object& Attributes::metadata(Slot slot) const {
  static const json::object kEmpty;
  const auto* object = metadata_.find(slot);
  return object != nullptr && *object ? **object : kEmpty;
}

void Attributes::remap(std::span<const Slot> new_slots, size_t size) {
  remap_column(kinds_, new_slots, size);
  remap_column(recorded_ats_, new_slots, size);
  remap_column(places_, new_slots, size);
  before_forever_.remap(new_slots);
  metadata_.remap(new_slots);
}

// Per live slot: u8 kind; i64 until; i64 recorded_at; text session; text speaker; text metadata as JSON.
void Attributes::save(ByteWriter& out, std::span<const Slot> live) const {
  for (Slot slot : live) {
    out.put<uint8_t>(static_cast<uint8_t>(kinds_[slot]));
    out.put<int64_t>(until(slot));
    out.put<int64_t>(recorded_ats_[slot]);
    out.put_text(session_text(slot));
    out.put_text(speaker_text(slot));
    const json::object& object = metadata(slot);
    out.put_text(object.empty() ? std::string() : json::serialize(object));
  }
}

void Attributes::load(ByteReader& in, size_t slots) {
  for (Slot slot = 0; slot < slots; ++slot) {
    RecordInput record;
    const auto kind = in.get<uint8_t>();
    in.check(kind < kKindCount, "an unknown kind");
    record.kind = static_cast<Kind>(kind);
    record.until = in.get<int64_t>();
    record.recorded_at = in.get<int64_t>();
    record.session = in.get_text(limits::kNameBytes);
    record.speaker = in.get_text(limits::kNameBytes);
    // Serialising may lengthen what came in, by escapes and by the digits of numbers.
    const std::string_view text = in.get_text(8 * limits::kMetadataBytes);
    json::object metadata;
    try {
      if (!text.empty()) metadata = parse_json_object(text, "metadata");
    } catch (const InvalidArgument& error) {
      in.fail(error.what());
    }
    add(slot, record, std::move(metadata));
  }
}

size_t Attributes::bytes() const {
  return kinds_.bytes() + recorded_ats_.bytes() + places_.bytes() + before_forever_.bytes() + metadata_.bytes() +
         metadata_bytes_ + strings_.bytes();
}

}  // namespace memspan
