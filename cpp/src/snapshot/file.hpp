// A file that takes the place of an older one as a whole or not at all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "snapshot/byte_sink.hpp"

namespace memspan {

// Writes to a temporary file (mode 0600) beside `path`; it vanishes with this object unless commit() was called, and with
// the process where the file system can have files without a name.
// Every member throws FileError.
class FileReplacement final : public ByteSink {
 public:
  explicit FileReplacement(std::string path);
  ~FileReplacement() override;
  FileReplacement(const FileReplacement&) = delete;
  FileReplacement& operator=(const FileReplacement&) = delete;

  // Makes the contents durable, then gives them the name.
  void commit();

 private:
  void write(std::string_view bytes) override;

  std::string path_;
  std::string temporary_;
  bool named_ = true;  // has the temporary file its name yet?
  int descriptor_ = -1;
  bool committed_ = false;
};

[[noreturn]] void throw_file_error(const std::string& path, const char* action);  // from errno
// All of them, however often the system is interrupted.
void write_all(int descriptor, const std::string& path, std::string_view bytes);

}  // namespace memspan
