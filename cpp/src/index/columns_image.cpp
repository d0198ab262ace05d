#include "index/columns_image.hpp"

#include <algorithm>
#include <array>

#include "base/in_parallel.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

constexpr size_t kParts = 2;
constexpr size_t kReadTogether = 4'000;  // records from which on a second thread is worth starting

void check_retired_words(const UserColumns& c, const ByteReader& in) {
  if (c.retired_words.empty()) return;
  uint64_t documents = 0;
  uint64_t tokens = 0;
  for (Slot slot = 0; slot < c.slots(); ++slot) {
    if (!c.standing.retired(slot)) continue;
    documents += c.lexical.length(slot) > 0;
    tokens += c.lexical.length(slot);
  }
  in.check(documents == c.retired_words.documents() && tokens == c.retired_words.tokens(),
           "the words of retired records are not those of the records");
}

// Ids, times, what is said of each record, and its words.
void load_records(ByteReader& in, const Body& body, const PackedValues<Micros>& ats, UserColumns& c) {
  const size_t count = ats.size();
  c.ids.load(in, count);
  Slot next = 0;
  c.ats.fill(count, [&](std::span<Micros> column) {
    for (Micros& at : column) {
      at = ats[next++];
      in.check(at >= kMinTime && at <= kMaxTime, "a record's time is out of range");
    }
  });
  c.live.assign(count, true);
  c.timeline.load(in, count, c.recency());
  c.attributes.load(in, count);
  c.uses.load(in, count);
  c.evictions.load(in, c.attributes, count);
  std::vector<StringPool::Symbol> sessions(c.attributes.placed());
  for (Slot slot = 0; slot < sessions.size(); ++slot) sessions[slot] = c.attributes.session(slot);
  const RecordStates& states = c.attributes.states();
  for (Slot slot = 0; states.retired() + states.expiring() > 0 && slot < count; ++slot) {
    c.standing.add(slot, states.retired_at(slot), states.expires_at(slot));
    if (slot < sessions.size() && c.standing.retired(slot)) sessions[slot] = StringPool::kNone;
  }
  for (Slot slot = 0; slot < count; ++slot) c.bounds.add(slot, c.times(slot));
  c.sessions.build(sessions, c.timeline);
  c.lexical.load(in, body, count);
  c.retired_words.load(in, c.lexical);
  check_retired_words(c, in);
  in.check(in.left() == 0, "bytes are left after the last column");
}

// Touches none of the columns that load_records fills.
void load_tags_and_vectors(ByteReader& in, const Body& body, const PackedValues<Micros>& ats, UserColumns& c) {
  c.tags.load(in, body, ats.size(), c.vectors.dim());
  c.vectors.load(in, body, ats);
  in.check(in.left() == 0, "bytes are left after the last vector");
}

}  // namespace

std::vector<Slot> slots_of_image(const UserColumns& columns) {
  std::vector<Slot> live;
  live.reserve(columns.live_count());
  for (const bool with_vector : {true, false}) {
    columns.live.for_each([&](Slot slot) {
      if (columns.vectors.has(slot) == with_vector) live.push_back(slot);
    });
  }
  return live;
}

void save_columns(const UserColumns& c, std::span<const Slot> live, ByteWriter& head, BodyWriter& body) {
  head.put<uint64_t>(live.size());
  std::vector<Slot> new_slots(c.slots(), kNoSlot);
  for (Slot i = 0; i < live.size(); ++i) new_slots[live[i]] = i;
  head.put_each<Micros>(live.size(), [&](size_t i) { return c.ats[live[i]]; });
  std::array<ByteWriter, kParts> parts;
  ByteWriter& records = parts[0];
  c.ids.save(records, live);
  c.timeline.save(records, new_slots);
  c.attributes.save(records, live);
  c.uses.save(records, live);
  c.evictions.save(records, live, new_slots);
  c.lexical.save(records, body, live, new_slots);
  c.retired_words.save(records, c.lexical);
  ByteWriter& tags_and_vectors = parts[1];
  c.tags.save(tags_and_vectors, body, live);
  c.vectors.save(tags_and_vectors, body, live);
  for (const ByteWriter& part : parts) head.put<uint64_t>(part.bytes().size());
  for (const ByteWriter& part : parts) head.put_bytes(part.bytes());
}

void load_columns(ByteReader& in, const Body& body, UserColumns& columns) {
  const uint64_t count = in.get_count(sizeof(uint16_t) + sizeof(Micros));
  in.check(count <= limits::kRecordsPerUser, "too many records");
  const auto ats = in.view_each<Micros>(count);
  std::array<uint64_t, kParts> sizes;
  for (uint64_t& size : sizes) size = in.get<uint64_t>();
  ByteReader records = in.part(sizes[0]);
  ByteReader tags_and_vectors = in.part(sizes[1]);
  in.check(in.left() == 0, "bytes are left after the last part");
  const size_t apart = count < kReadTogether ? kParts : 1;
  in_parallel(kParts, apart, [&](size_t first, size_t last) {
    if (first == 0) load_records(records, body, ats, columns);
    if (last == kParts) load_tags_and_vectors(tags_and_vectors, body, ats, columns);
  });
}

void verify_columns(const UserColumns& columns) {
  columns.tags.check();
  columns.lexical.check_all();
  columns.vectors.check_all();
}

}  // namespace memspan
