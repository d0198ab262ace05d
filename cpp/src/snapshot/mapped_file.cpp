#include "snapshot/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "memspan/error.hpp"
#include "snapshot/file.hpp"

namespace memspan {

Mapping::Mapping(int descriptor, uint64_t offset, size_t size, Writes writes, const std::string& path) : size_(size) {
  if (size == 0) return;
  const int access = writes == Writes::allowed ? PROT_READ | PROT_WRITE : PROT_READ;
  void* const memory = ::mmap(nullptr, size, access, MAP_PRIVATE, descriptor, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw_file_error(path, "map");
  data_ = static_cast<std::byte*>(memory);
}

Mapping::~Mapping() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void Mapping::forget(size_t begin, size_t end) const {
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t first = (begin + page - 1) / page * page;
  const size_t last = end / page * page;
  // Only advice: a failure costs memory.
  if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer. It changes nothing for regular files.
  const int descriptor = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) throw_file_error(path_, "open");
  try {
    struct stat info;
    if (::fstat(descriptor, &info) != 0) throw_file_error(path_, "inspect");
    if (!S_ISREG(info.st_mode)) throw CorruptSnapshot(path_, 0, "not a regular file");
    const auto size = static_cast<size_t>(info.st_size);
    original_ = Mapping(descriptor, 0, size, Mapping::Writes::refused, path_);
    copy_ = Mapping(descriptor, 0, size, Mapping::Writes::allowed, path_);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

}  // namespace memspan
