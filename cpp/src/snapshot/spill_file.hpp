// Where users wait who are not in memory and have changed since the last snapshot: files without a name, which vanish
// with the process, however that ends.
//
// Images are appended; the space of one that is no longer needed is given back to the file system at once (as holes), and
// a full file is closed with its last image.
//
// Processes that come from a fork share the files that there were, each with users of its own. So from then on nobody
// appends to those or makes holes in them: each side goes on with files of its own, and the space of a shared one is given
// back when the last image of both sides has gone.
// Thread safety: all members may be called from any thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "snapshot/user_image.hpp"

namespace memspan {

class SpillFile {
 public:
  // Nothing is made before the first write. `directory` must then exist and be writable.
  explicit SpillFile(std::string directory) : directory_(std::move(directory)) {}

  // Makes a file, and drops it. Throws InvalidArgument if that cannot be done in the directory.
  void check_directory() const;

  struct Spilled {
    std::shared_ptr<const UserImage> image;
    uint64_t changes = 0;  // UserIndex::changes() of what was written
  };
  // Throws FileError or std::bad_alloc; then nothing is kept.
  Spilled write(const UserIndex& user);

  class Segment;

 private:
  std::string directory_;
  std::mutex mutex_;  // of the segment that is written to
  std::shared_ptr<Segment> segment_;
};

}  // namespace memspan
