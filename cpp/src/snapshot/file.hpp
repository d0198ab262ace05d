// Reading and replacing whole files safely (POSIX).
#pragma once

#include <string>
#include <string_view>

namespace memspan {

// The contents of a regular file. Follows no symbolic link in the last component. Throws FileError, or CorruptSnapshot
// if it is no regular file.
std::string read_file(const std::string& path);

// Writes a temporary file beside `path` (mode 0600), makes it durable, puts it in the place of `path`, and makes that
// durable: after a crash there is the old file or the new one, whole. Throws FileError and removes the temporary file.
void replace_file(const std::string& path, std::string_view bytes);

}  // namespace memspan
