// UserIndex: images of the user (columns_image.hpp). While one is written, writes wait and searches do not.
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

void UserIndex::verify() const {
  const FairSharedMutex::WritersOut alone(mutex_);
  verify_columns(columns_);
}

void UserIndex::load(ByteReader& in, const Body& body) {
  const std::unique_lock writing(mutex_);
  load_columns(in, body, columns_);
}

}  // namespace memspan
