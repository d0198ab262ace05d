#include "snapshot/spill_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned_buffer.hpp"
#include "base/forks.hpp"
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
  // With another process, for whom its images must stay, and with whom the descriptor's place in the file is shared.
  bool is_shared() const { return made_at_ != forks(); }

  // Gives the space back; where the file system cannot, it is lost until the segment is closed.
  void erase(uint64_t begin, uint64_t end) const {
    if (is_shared()) return;
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
  const uint64_t made_at_ = forks();
};

namespace {

// A piece of a segment, for as long as an image is to be loaded from it or somebody uses what is mapped of it.
class Space {
 public:
  Space(std::shared_ptr<SpillFile::Segment> segment, uint64_t begin, uint64_t end)
      : segment_(std::move(segment)), begin_(begin), end_(end) {}
  ~Space() { segment_->erase(begin_, (end_ + kPage - 1) / kPage * kPage); }
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  const SpillFile::Segment& segment() const { return *segment_; }

 private:
  std::shared_ptr<SpillFile::Segment> segment_;
  uint64_t begin_;
  uint64_t end_;
};

class SpilledImage final : public UserImage {
 public:
  SpilledImage(const WrittenImage& written, std::shared_ptr<SpillFile::Segment> segment)
      : UserImage(written.place, written.summary),
        space_(std::make_shared<Space>(std::move(segment), place().begin(), place().end())) {}

 private:
  Parts open() const override { return place().end() - place().begin() <= kReadBytes ? read() : map(); }
  const std::string& path() const override { return space_->segment().path(); }

  Parts read() const {
    const auto head = std::make_shared<std::vector<std::byte>>(place().head_size);
    read(*head, place().head);
    Parts parts{{reinterpret_cast<const char*>(head->data()), head->size()}, {}, head};
    // From the pages for lasting arrays: users of any sizes come and go, and would leave malloc full of holes.
    const auto body = std::make_shared<AlignedBuffer<std::byte>>(place().body_size);
    read({body->data(), body->size()}, place().body);
    if (body->size() > 0) parts.body = {.data = body->data(), .size = body->size(), .owner = body, .on_heap = true};
    return parts;
  }
  void read(std::span<std::byte> bytes, uint64_t offset) const {
    for (size_t filled = 0; filled < bytes.size();) {
      const ssize_t got = ::pread(space_->segment().descriptor(), bytes.data() + filled, bytes.size() - filled,
                                  static_cast<off_t>(offset + filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_file_error(path(), "read");
      if (got == 0) throw CorruptSnapshot(path(), offset + filled, "the file ends too early");
      filled += static_cast<size_t>(got);
    }
  }
  Parts map() const {
    struct Use {
      std::shared_ptr<Space> space;
      Mapping mapping;
    };
    const size_t size = place().end() - place().begin();
    const std::shared_ptr<Use> use(new Use{
        space_, Mapping(space_->segment().descriptor(), place().begin(), size, Mapping::Writes::allowed, path())});
    std::byte* const bytes = use->mapping.data();
    Parts parts{{reinterpret_cast<const char*>(bytes) + place().body_size, place().head_size}, {}, use};
    if (place().body_size > 0) parts.body = {.data = bytes, .size = place().body_size, .owner = use};
    return parts;
  }

  std::shared_ptr<Space> space_;
};

}  // namespace

void SpillFile::check_directory() const {
  try {
    const Segment made(directory_);
  } catch (const FileError& error) {
    throw InvalidArgument("spill_directory", "'" + directory_ + "': " + std::strerror(error.code),
                          "a directory in which files can be made");
  }
}

SpillFile::Spilled SpillFile::write(const UserIndex& user) {
  const std::lock_guard writing(mutex_);
  if (!segment_ || segment_->is_shared() || segment_->position() >= kSegmentBytes) {
    segment_ = std::make_shared<Segment>(directory_);
  }
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
