// The errors that the core throws. Each public operation validates first and then changes state, so that an error
// leaves everything as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace memspan {

// Base of every error thrown on purpose by the core. what() ends at the first NUL, so that those of a name or a text that the
// message repeats are written out.
struct Error : std::runtime_error {
  explicit Error(std::string message) : std::runtime_error(without_nul(std::move(message))) {}

 private:
  static std::string without_nul(std::string message) {
    for (size_t at = 0; (at = message.find('\0', at)) != std::string::npos;) message.replace(at, 1, "\\x00");
    return message;
  }
};

// An argument has the wrong value, shape or size.
struct InvalidArgument : Error {
  using Error::Error;
  InvalidArgument(std::string_view argument, std::string_view got, std::string_view accepted)
      : Error(std::string(argument) + ": got " + std::string(got) + "; accepted: " + std::string(accepted)) {}
};

// A vector of the wrong dimension, with NaN or infinity, or zero.
struct InvalidEmbedding : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

// A time outside the years 1-9999.
struct InvalidTime : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

// A malformed metadata filter.
struct InvalidWhere : InvalidArgument {
  using InvalidArgument::InvalidArgument;
};

// A relation that would close a cycle; the message shows the path that exists.
struct TagCycle : Error {
  using Error::Error;
};

// A kind of record is full and nothing of it may be evicted.
struct QuotaExceeded : Error {
  using Error::Error;
};

// A snapshot file that is damaged, truncated, or of another version.
struct CorruptSnapshot : Error {
  using Error::Error;
  CorruptSnapshot(const std::string& file, uint64_t offset, const std::string& reason)
      : Error(file + ": offset " + std::to_string(offset) + ": " + reason) {}
};

// A snapshot file that nothing is known to be wrong with, but that another version of this program wrote.
struct OtherVersion : CorruptSnapshot {
  using CorruptSnapshot::CorruptSnapshot;
};

// The operating system refused to read or write a file.
struct FileError : Error {
  FileError(int error_number, std::string path, const std::string& message)
      : Error(message), code(error_number), file(std::move(path)) {}
  int code;  // errno
  std::string file;
};

}  // namespace memspan
