// A user's image inside a mapped snapshot.
//
// The body of a user in memory is used where it lies in the file's copy (mapped_file.hpp), and what the user writes to it
// is private memory, which is given back when nobody needs the user any more: neither the table, nor a call in progress,
// nor rows that were pinned. Everything else, heads and copies for another snapshot, is read from the file as it is.
//
// A page is given back as a whole, so only if no other user's body has a part in it. With heads between the bodies, which
// nobody writes to, that is every page but those of users who take less than one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "snapshot/mapped_file.hpp"
#include "snapshot/user_image.hpp"

namespace memspan {

class MappedImage final : public UserImage, public std::enable_shared_from_this<MappedImage> {
 public:
  // `free_from`: where the body of the image before this one ends. Must be held by a shared pointer.
  MappedImage(const ImagePlace& place, const UserSummary& summary, uint64_t free_from, std::shared_ptr<const MappedFile> file);

 private:
  class Use;

  Parts open() const override;
  Parts open_original() const override;
  const std::string& path() const override { return file_->path(); }

  const uint64_t free_from_;
  const std::shared_ptr<const MappedFile> file_;
  // How many use the body: it can be loaded again before the last holder of a user who has just left memory, unchanged,
  // is done with it, and then what the new one writes must stay. No lock, so that a child forked at any moment can come to
  // its end.
  mutable std::atomic<uint32_t> uses_ = 0;
};

}  // namespace memspan
