#include "snapshot/mapped_image.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace memspan {
namespace {

constexpr uint64_t kSmallestPage = 4096;  // at least; where pages are larger, fewer are given back
constexpr uint32_t kForgetting = ~uint32_t{0};

}  // namespace

class MappedImage::Use {
 public:
  explicit Use(std::shared_ptr<const MappedImage> image) : image_(std::move(image)) {
    std::atomic<uint32_t>& uses = image_->uses_;
    for (uint32_t seen = uses.load();;) {
      if (seen != kForgetting) {
        if (uses.compare_exchange_weak(seen, seen + 1)) return;
      } else {  // for some microseconds
        std::this_thread::yield();
        seen = uses.load();
      }
    }
  }
  ~Use() {
    std::atomic<uint32_t>& uses = image_->uses_;
    uint32_t seen = uses.load();
    while (!uses.compare_exchange_weak(seen, seen == 1 ? kForgetting : seen - 1)) {
    }
    if (seen > 1) return;
    const ImagePlace& place = image_->place();
    const uint64_t begin = std::max(image_->free_from_, place.body / kSmallestPage * kSmallestPage);
    const uint64_t end = std::min(place.end(), (place.body + place.body_size + kSmallestPage - 1) / kSmallestPage * kSmallestPage);
    image_->file_->copy().forget(begin, end);
    uses = 0;
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  std::shared_ptr<const MappedImage> image_;
};

MappedImage::MappedImage(const ImagePlace& place, const UserSummary& summary, uint64_t free_from,
                         std::shared_ptr<const MappedFile> file)
    : UserImage(place, summary), free_from_(free_from), file_(std::move(file)) {}

UserImage::Parts MappedImage::open() const {
  Parts parts = open_original();
  if (parts.body.size > 0) {
    parts.body.data = file_->copy().data() + place().body;
    parts.body.owner = std::make_shared<Use>(shared_from_this());
  }
  return parts;
}

UserImage::Parts MappedImage::open_original() const {
  // Nothing was written to these pages, so they may go at any time, whoever else reads them.
  const std::shared_ptr<void> reading(nullptr, [file = file_, begin = place().begin(), end = place().end()](void*) {
    file->original().forget(begin, end);
  });
  Parts parts{file_->bytes().substr(place().head, place().head_size), {}, reading};
  parts.body.size = place().body_size;
  if (parts.body.size > 0) {
    parts.body.data = file_->original().data() + place().body;
    parts.body.owner = reading;
  }
  return parts;
}

}  // namespace memspan
