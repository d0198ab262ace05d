// UserIndex: images of the user (columns_image.hpp). While one is written, writes wait and searches do not.
#include <numeric>

#include "index/columns_image.hpp"
#include "index/user_index.hpp"

namespace memspan {

UserIndex::Saved UserIndex::save(ByteWriter& head, BodyWriter& body) const {
  const FairSharedMutex::WritersOut alone(mutex_);
  columns_.uses.begin_save();  // what is used from here on makes this image old
  const uint64_t changes = changes_locked();
  save_columns(columns_, slots_of_image(columns_), head, body);
  return {UserSummary::of(stats_locked()), changes};
}

// Its slots are those of the image.
std::unique_ptr<const std::string> UserIndex::save_uses() const {
  constexpr size_t kFew = 256;         // bytes
  constexpr size_t kBytesARecord = 4;  // one in four records
  const FairSharedMutex::WritersOut alone(mutex_);
  std::vector<Slot> slots(columns_.slots());
  std::iota(slots.begin(), slots.end(), Slot{0});
  ByteWriter out;
  columns_.uses.save(out, slots);
  if (out.bytes().size() > std::max(kFew, kBytesARecord * slots.size())) return nullptr;
  return std::make_unique<const std::string>(out.bytes());
}

void UserIndex::load_uses(const std::string& saved) {
  const std::unique_lock writing(mutex_);
  ByteReader in(saved, "memory", 0);
  columns_.uses.load(in, columns_.slots());
}

void UserIndex::verify() const {
  const FairSharedMutex::WritersOut alone(mutex_);
  verify_columns(columns_);
}

void UserIndex::load(ByteReader& in, const Body& body) {
  const std::unique_lock writing(mutex_);
  load_columns(in, body, columns_);
}

}  // namespace memspan
