// Files seen as memory. They must not be changed in place by anybody meanwhile (replacing one by another file is fine: it
// lives on until it is closed).
//
// Thread safety: as plain memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memspan {

// Bytes of an open file, from an offset that is a multiple of the page size. What is written to them stays in this
// process, and never reaches the file.
class Mapping {
 public:
  enum class Writes { refused, allowed };

  Mapping() = default;
  // Throws FileError. `path` only serves its message.
  Mapping(int descriptor, uint64_t offset, size_t size, Writes writes, const std::string& path);
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

  // Gives the memory of all pages that lie within these bytes back to the system; what was written to them is lost. Whoever
  // reads them meanwhile or later finds what the file holds.
  void forget(size_t begin, size_t end) const;

 private:
  std::byte* data_ = nullptr;
  size_t size_ = 0;
};

// A whole file, twice: as it is, and to be written to in places. Pages cost memory where they are used.
class MappedFile {
 public:
  // Refuses what is not a regular file: CorruptSnapshot; FileError if it cannot be read.
  explicit MappedFile(std::string path);

  const std::string& path() const { return path_; }
  size_t size() const { return original_.size(); }
  std::string_view bytes() const { return {reinterpret_cast<const char*>(original_.data()), size()}; }  // as they are
  const Mapping& original() const { return original_; }
  const Mapping& copy() const { return copy_; }

 private:
  std::string path_;
  Mapping original_;
  Mapping copy_;
};

}  // namespace memspan
