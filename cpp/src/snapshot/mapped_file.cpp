#include "snapshot/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "memspan/error.hpp"
#include "snapshot/file.hpp"

namespace memspan {

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer. It changes nothing for regular files.
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) throw_file_error(path_, "open");
  try {
    struct stat info;
    if (::fstat(descriptor, &info) != 0) throw_file_error(path_, "inspect");
    if (!S_ISREG(info.st_mode)) throw CorruptSnapshot(path_, 0, "not a regular file");
    size_ = static_cast<size_t>(info.st_size);
    map(descriptor, 0);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

MappedFile::MappedFile(int descriptor, uint64_t offset, size_t size, std::string path)
    : path_(std::move(path)), size_(size) {
  map(descriptor, offset);
}

void MappedFile::map(int descriptor, uint64_t offset) {
  if (size_ == 0) return;
  void* const memory =
      ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw_file_error(path_, "map");
  data_ = static_cast<std::byte*>(memory);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::forget(size_t offset, size_t size) const {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t first = (offset + page - 1) / page * page;
  const size_t last = (offset + size) / page * page;
  // Only advice: a failure costs memory.
  if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

}  // namespace memspan
