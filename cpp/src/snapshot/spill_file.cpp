#include "snapshot/spill_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <utility>

#include "memspan/error.hpp"
#include "snapshot/file.hpp"
#include "snapshot/mapped_file.hpp"

namespace memspan {
namespace {

constexpr uint64_t kSegmentBytes = uint64_t{1} << 30;  // a segment takes no more images when it has as many
constexpr uint64_t kPage = 4096;                       // images begin at multiples: holes are made of pages
// Images up to this size are read, larger ones mapped: a process may have some 65,000 mappings at most.
constexpr uint64_t kReadBytes = uint64_t{4} << 20;

}  // namespace

class SpillFile::Segment final : public ByteSink {
 public:
  explicit Segment(const std::string& directory) : path_(directory + "/memspan-XXXXXX") {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (descriptor_ < 0) throw_file_error(path_, "create");
    ::unlink(path_.c_str());
  }
  ~Segment() override { ::close(descriptor_); }

  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }

  // Gives the space back; where the file system cannot, it is lost until the segment is closed.
  void erase(uint64_t begin, uint64_t end) const {
#if defined(FALLOC_FL_PUNCH_HOLE)
    ::fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
                static_cast<off_t>(end - begin));
#else
    (void)begin, (void)end;
#endif
  }

 private:
  void write(std::string_view bytes) override { write_all(descriptor_, path_, bytes); }

  std::string path_;
  int descriptor_ = -1;
};

namespace {

class SpilledImage final : public UserImage {
 public:
  SpilledImage(const WrittenImage& written, std::shared_ptr<SpillFile::Segment> segment)
      : UserImage(written.place, written.summary), segment_(std::move(segment)) {}
  ~SpilledImage() override { segment_->erase(place().begin(), (place().end() + kPage - 1) / kPage * kPage); }

 private:
  Parts open() const override {
    const size_t size = place().end() - place().begin();
    return size <= kReadBytes ? read(size) : map(size);
  }
  const std::string& path() const override { return segment_->path(); }

  Parts read(size_t size) const {
    const std::shared_ptr<void> memory(std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage), std::free);
    if (!memory) throw std::bad_alloc();
    auto* const bytes = static_cast<std::byte*>(memory.get());
    for (size_t filled = 0; filled < size;) {
      const ssize_t got = ::pread(segment_->descriptor(), bytes + filled, size - filled,
                                  static_cast<off_t>(place().begin() + filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_file_error(path(), "read");
      if (got == 0) throw CorruptSnapshot(path(), place().begin() + filled, "the file ends too early");
      filled += static_cast<size_t>(got);
    }
    return parts(bytes, memory);
  }
  Parts map(size_t size) const {
    const auto mapping = std::make_shared<MappedFile>(segment_->descriptor(), place().begin(), size, path());
    return parts(mapping->data(), mapping);
  }
  Parts parts(std::byte* bytes, const std::shared_ptr<void>& owner) const {
    const char* const head = reinterpret_cast<const char*>(bytes) + (place().head - place().begin());
    Body body{nullptr, place().body_size, nullptr};
    if (body.size > 0) body.data = bytes, body.owner = owner;
    return {{head, place().head_size}, std::move(body), owner};
  }

  std::shared_ptr<SpillFile::Segment> segment_;
};

}  // namespace

SpillFile::Spilled SpillFile::write(const UserIndex& user) {
  const std::lock_guard writing(mutex_);
  if (!segment_ || segment_->position() >= kSegmentBytes) segment_ = std::make_shared<Segment>(directory_);
  try {
    segment_->align(kPage);
    const WrittenImage written = write_image(user, *segment_);
    segment_->flush();
    return {std::make_shared<SpilledImage>(written, segment_), written.changes};
  } catch (...) {
    segment_.reset();  // it may end in the middle of something
    throw;
  }
}

}  // namespace memspan
