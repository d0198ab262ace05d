// A user as it was saved, in a snapshot or in a spill file, from where it can be loaded again.
//
//   image := body, at a multiple of BodyWriter::kAlignment; head, after it
//
// The head is checked when the user is loaded; the body is for the user's columns to check.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "memspan/stats.hpp"
#include "snapshot/body.hpp"
#include "snapshot/byte_sink.hpp"

namespace memspan {

class RowShape;
class UserIndex;

// What is known of a user without loading it.
struct UserSummary {
  uint64_t records = 0;
  uint64_t embeddings = 0;
  uint64_t terms = 0;
  uint64_t tags = 0;
  uint64_t relations = 0;

  static UserSummary of(const UserStats& stats) {
    return {stats.records, stats.embeddings, stats.terms, stats.tags, stats.relations};
  }
  bool empty() const { return records == 0 && tags == 0; }
};

// Where an image lies in its file.
struct ImagePlace {
  uint64_t body = 0;
  uint64_t body_size = 0;
  uint64_t head = 0;
  uint64_t head_size = 0;
  uint32_t head_checksum = 0;  // CRC-32C

  uint64_t begin() const { return body; }
  uint64_t end() const { return head + head_size; }
};

// Thread safety: const members may run in parallel.
class UserImage {
 public:
  UserImage(const ImagePlace& place, const UserSummary& summary) : place_(place), summary_(summary) {}
  virtual ~UserImage() = default;
  UserImage(const UserImage&) = delete;
  UserImage& operator=(const UserImage&) = delete;

  const UserSummary& summary() const { return summary_; }

  // Throws CorruptSnapshot, FileError or std::bad_alloc.
  std::shared_ptr<UserIndex> load(const RowShape& shape) const;
  // Loads the user for a moment, to check every byte of the image.
  void verify(const RowShape& shape) const;
  // Appends the image as it is, without reading anything into it but the head's checksum.
  ImagePlace copy(ByteSink& out) const;

 protected:
  struct Parts {
    std::string_view head;  // valid as long as `owner` is
    Body body;
    std::shared_ptr<void> owner;
  };
  virtual Parts open() const = 0;
  // As it was saved, whatever a user who was loaded from it has written to the body; nobody writes to this one.
  virtual Parts open_original() const { return open(); }
  virtual const std::string& path() const = 0;  // for messages
  const ImagePlace& place() const { return place_; }

 private:
  Parts checked(Parts parts) const;

  ImagePlace place_;
  UserSummary summary_;
};

// Appends an image of the user, who may be in use meanwhile.
struct WrittenImage {
  ImagePlace place;
  UserSummary summary;
  uint64_t changes;  // UserIndex::changes() of what was written
};
WrittenImage write_image(const UserIndex& user, ByteSink& out);

}  // namespace memspan
