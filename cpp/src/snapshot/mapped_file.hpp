// A file seen as memory. What is written to that memory stays in this process; the file must not be changed in place
// by anybody meanwhile (replacing it by another file is fine: this one lives on until it is closed).
//
// Thread safety: as plain memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace memspan {

class MappedFile {
 public:
  // Refuses what is not a regular file: CorruptSnapshot; FileError if it cannot be read.
  explicit MappedFile(std::string path);
  // The `size` bytes from `offset`, a multiple of the page size, of an open file. `path` only serves the messages.
  MappedFile(int descriptor, uint64_t offset, size_t size, std::string path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }

  // Gives the memory of all pages that lie within these bytes back to the system; what was written to them is lost.
  void forget(size_t offset, size_t size) const;

 private:
  void map(int descriptor, uint64_t offset);

  std::string path_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace memspan
