#include "attributes/attributes.hpp"

#include <boost/json/serialize.hpp>
#include <string>

#include "base/remap.hpp"

namespace memspan {

void Attributes::add(Slot, const RecordInput& record, json::object metadata) {
  kinds_.push_back(record.kind);
  ++kind_counts_[static_cast<size_t>(record.kind)];
  untils_.push_back(record.until);
  recorded_ats_.push_back(record.recorded_at);
  sessions_.push_back(strings_.acquire(record.session));
  speakers_.push_back(strings_.acquire(record.speaker));
  metadata_.push_back(metadata.empty() ? nullptr : std::make_unique<json::object>(std::move(metadata)));
}

void Attributes::remove(Slot slot) {
  --kind_counts_[static_cast<size_t>(kinds_[slot])];
  strings_.release(sessions_[slot]);
  strings_.release(speakers_[slot]);
  sessions_[slot] = speakers_[slot] = StringPool::kNone;
  metadata_[slot].reset();
}

const json::object& Attributes::metadata(Slot slot) const {
  static const json::object kEmpty;
  return metadata_[slot] ? *metadata_[slot] : kEmpty;
}

void Attributes::remap(std::span<const Slot> new_slots, size_t size) {
  remap_column(kinds_, new_slots, size);
  remap_column(untils_, new_slots, size);
  remap_column(recorded_ats_, new_slots, size);
  remap_column(sessions_, new_slots, size);
  remap_column(speakers_, new_slots, size);
  remap_column(metadata_, new_slots, size);
}

// Per live slot: u8 kind; i64 until; i64 recorded_at; text session; text speaker; text metadata as JSON.
void Attributes::save(ByteWriter& out, std::span<const Slot> live) const {
  for (Slot slot : live) {
    out.put<uint8_t>(static_cast<uint8_t>(kinds_[slot]));
    out.put<int64_t>(untils_[slot]);
    out.put<int64_t>(recorded_ats_[slot]);
    out.put_text(session_text(slot));
    out.put_text(speaker_text(slot));
    out.put_text(metadata_[slot] ? json::serialize(*metadata_[slot]) : std::string());
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
  // An object's own size is not known; its serialised form is a fair estimate, but too slow to make here.
  constexpr size_t kObjectBytes = 128;
  size_t total = kinds_.capacity() * sizeof(Kind) + (untils_.capacity() + recorded_ats_.capacity()) * sizeof(Micros) +
                 (sessions_.capacity() + speakers_.capacity()) * sizeof(StringPool::Symbol) +
                 metadata_.capacity() * sizeof(metadata_[0]) + strings_.bytes();
  for (const auto& object : metadata_) total += object ? kObjectBytes : 0;
  return total;
}

}  // namespace memspan
