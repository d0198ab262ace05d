#include "snapshot/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "memspan/error.hpp"

namespace memspan {
namespace {

[[noreturn]] void fail(const std::string& path, const char* action) {
  const int code = errno;
  throw FileError(code, path, path + ": cannot " + action + ": " + std::strerror(code));
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void write_all(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail(path, "write");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

// Random, because writers in other containers may share the volume and the process number; O_EXCL refuses a collision.
std::string temporary_name(const std::string& path) {
  std::random_device random;
  return path + ".tmp." + std::to_string(random()) + std::to_string(random());
}

}  // namespace

std::string read_file(const std::string& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer. It changes nothing for regular files.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() < 0) fail(path, "open");
  struct stat info;
  if (::fstat(file.get(), &info) != 0) fail(path, "inspect");
  if (!S_ISREG(info.st_mode)) throw CorruptSnapshot(path, 0, "not a regular file");

  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, "read");
    if (got == 0) break;  // shrank meanwhile; the checksums will tell
    filled += static_cast<size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

void replace_file(const std::string& path, std::string_view bytes) {
  const std::string temporary = temporary_name(path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file.get() < 0) fail(temporary, "create");
  try {
    write_all(file.get(), temporary, bytes);
    if (::fsync(file.get()) != 0) fail(temporary, "flush");
    if (::close(file.release()) != 0) fail(temporary, "close");
    if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(path, "replace");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const std::string directory = directory_of(path);
  const Descriptor handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (handle.get() < 0 || ::fsync(handle.get()) != 0) fail(directory, "flush");
}

}  // namespace memspan
