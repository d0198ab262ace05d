#include "snapshot/user_image.hpp"

#include "base/bytes.hpp"
#include "base/crc32c.hpp"
#include "index/user_index.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

class BodyStream final : public BodyWriter {
 public:
  explicit BodyStream(ByteSink& out) : out_(out) {
    out_.align(kAlignment);
    start_ = out_.position();
  }
  uint64_t append(std::span<const std::byte> bytes) override {
    out_.align(kAlignment);
    const uint64_t offset = out_.position() - start_;
    out_.append({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return offset;
  }
  uint64_t start() const { return start_; }
  uint64_t size() const { return out_.position() - start_; }

 private:
  ByteSink& out_;
  uint64_t start_;
};

}  // namespace

WrittenImage write_image(const UserIndex& user, ByteSink& out) {
  WrittenImage written;
  ByteWriter head;
  BodyStream body(out);
  const UserIndex::Saved saved = user.save(head, body);
  written.summary = saved.summary;
  written.changes = saved.changes;
  written.place.body = body.start();
  written.place.body_size = body.size();
  written.place.head = out.position();
  written.place.head_size = head.bytes().size();
  written.place.head_checksum = crc32c(head.bytes());
  out.append(head.bytes());
  return written;
}

UserImage::Parts UserImage::checked(Parts parts) const {
  if (crc32c(parts.head) != place_.head_checksum) {
    throw CorruptSnapshot(path(), place_.head, "a checksum does not match");
  }
  return parts;
}

std::shared_ptr<UserIndex> UserImage::load(const RowShape& shape) const {
  const Parts parts = checked(open());
  auto user = std::make_shared<UserIndex>(shape);
  ByteReader head(parts.head, path(), place_.head);
  user->load(head, parts.body);
  head.check(user->size() == summary_.records, "the directory has another number of records");
  return user;
}

void UserImage::verify(const RowShape& shape) const { load(shape)->verify(); }

ImagePlace UserImage::copy(ByteSink& out) const {
  const Parts parts = checked(open_original());
  ImagePlace copied = place_;
  out.align(BodyWriter::kAlignment);
  copied.body = out.position();
  out.append({reinterpret_cast<const char*>(parts.body.data), place_.body_size});
  copied.head = out.position();
  out.append(parts.head);
  return copied;
}

}  // namespace memspan
