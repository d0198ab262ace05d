#include "snapshot/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <utility>

#include "memspan/error.hpp"

namespace memspan {

void throw_file_error(const std::string& path, const char* action) {
  const int code = errno;
  throw FileError(code, path, path + ": cannot " + action + ": " + std::strerror(code));
}

void write_all(int descriptor, const std::string& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      throw_file_error(path, "write");
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

namespace {

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Random, because writers in other containers may share the volume and the process number; O_EXCL refuses a collision.
std::string temporary_name(const std::string& path) {
  std::random_device random;
  return path + ".tmp." + std::to_string(random()) + std::to_string(random());
}

std::string link_to(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// A file that can be given a name later; -1 where the system or the file system has none.
int open_unnamed([[maybe_unused]] const std::string& directory) {
#ifdef O_TMPFILE
  const int descriptor = ::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0 || ::access(link_to(descriptor).c_str(), F_OK) == 0) return descriptor;
  ::close(descriptor);
#endif
  return -1;
}

}  // namespace

FileReplacement::FileReplacement(std::string path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
  descriptor_ = open_unnamed(directory_of(path_));
  named_ = descriptor_ < 0;
  if (named_) descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (descriptor_ < 0) throw_file_error(path_, "create");  // nobody has heard of the temporary name
}

FileReplacement::~FileReplacement() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!committed_ && named_) ::unlink(temporary_.c_str());
}

void FileReplacement::write(std::string_view bytes) { write_all(descriptor_, path_, bytes); }

void FileReplacement::commit() {
  flush();
  if (::fsync(descriptor_) != 0) throw_file_error(path_, "flush");
  if (!named_) {
    if (::linkat(AT_FDCWD, link_to(descriptor_).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      throw_file_error(path_, "create");
    }
    named_ = true;
  }
  if (::close(std::exchange(descriptor_, -1)) != 0) throw_file_error(path_, "close");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) throw_file_error(path_, "replace");
  committed_ = true;
  const std::string directory = directory_of(path_);
  const int handle = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool flushed = handle >= 0 && ::fsync(handle) == 0;
  const int code = errno;
  if (handle >= 0) ::close(handle);
  errno = code;
  if (!flushed) throw_file_error(directory, "flush");
}

}  // namespace memspan
