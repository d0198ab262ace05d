// A snapshot file taken apart, so that a test can damage a part and put the file together with right checksums.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/crc32c.hpp"

namespace memspan::test {

struct SnapshotParts {
  static constexpr size_t kHeader = 16;
  static constexpr size_t kFooter = 32;
  static constexpr size_t kAlignment = 64;

  struct User {
    std::string name;
    std::string body;
    std::string head;
    std::array<uint64_t, 5> summary;
  };

  std::string header;
  std::string config;  // of the directory: up to the number of users
  std::vector<User> users;

  static SnapshotParts split(const std::string& file) {
    SnapshotParts parts;
    parts.header = file.substr(0, kHeader);
    Cursor in{file, static_cast<size_t>(number<uint64_t>(file, file.size() - kFooter))};
    const size_t start = in.position;
    in.position += 4 + 1 + 1 + 4 + 8 + 8;
    in.text();
    in.position += 1 + 8;  // nobody has quotas
    parts.config = file.substr(start, in.position - start);
    const auto count = in.get<uint64_t>();
    for (uint64_t i = 0; i < count; ++i) {
      User user;
      user.name = in.text();
      const auto body = in.get<uint64_t>();
      const auto body_size = in.get<uint64_t>();
      const auto head = in.get<uint64_t>();
      const auto head_size = in.get<uint64_t>();
      in.get<uint32_t>();
      user.body = file.substr(body, body_size);
      user.head = file.substr(head, head_size);
      for (uint64_t& value : user.summary) value = in.get<uint64_t>();
      parts.users.push_back(std::move(user));
    }
    return parts;
  }

  // The file up to the directory, and the directory.
  struct Joined {
    std::string images;
    std::string directory;
  };
  Joined join() const {
    Joined joined{header, config};
    append<uint64_t>(joined.directory, users.size());
    for (const User& user : users) {
      joined.images.resize((joined.images.size() + kAlignment - 1) / kAlignment * kAlignment);
      append(joined.directory, static_cast<uint32_t>(user.name.size()));
      joined.directory += user.name;
      append<uint64_t>(joined.directory, joined.images.size());
      append<uint64_t>(joined.directory, user.body.size());
      append<uint64_t>(joined.directory, joined.images.size() + user.body.size());
      append<uint64_t>(joined.directory, user.head.size());
      append(joined.directory, crc32c(user.head));
      for (const uint64_t value : user.summary) append(joined.directory, value);
      joined.images += user.body + user.head;
    }
    return joined;
  }
  static std::string seal(const Joined& joined) {
    std::string footer;
    append<uint64_t>(footer, joined.images.size());
    append<uint64_t>(footer, joined.directory.size());
    append(footer, crc32c(joined.directory));
    append(footer, crc32c(footer));
    return joined.images + joined.directory + footer + "\nMEMSPAN";
  }

 private:
  template <typename T>
  static T number(const std::string& bytes, size_t offset) {
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
  }
  template <typename T>
  static void append(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  struct Cursor {
    const std::string& bytes;
    size_t position;
    template <typename T>
    T get() {
      position += sizeof(T);
      return number<T>(bytes, position - sizeof(T));
    }
    std::string text() {
      const auto size = get<uint32_t>();
      position += size;
      return bytes.substr(position - size, size);
    }
  };
};

}  // namespace memspan::test
