// Little-endian serialisation. The reader never trusts what it reads: every length is checked against what is left.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "memspan/error.hpp"

namespace memspan {

static_assert(std::endian::native == std::endian::little, "snapshots are written in native, little-endian order");

class ByteWriter {
 public:
  template <typename T>
    requires std::is_arithmetic_v<T>
  void put(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // u64 count, then the elements.
  template <typename T>
    requires std::is_arithmetic_v<T>
  void put_array(std::span<const T> values) {
    put<uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  void put_text(std::string_view text) {
    put<uint32_t>(static_cast<uint32_t>(text.size()));
    bytes_.append(text);
  }
  void put_bytes(std::string_view bytes) { bytes_.append(bytes); }
  // `count` elements without their count: each(i) is the i-th.
  template <typename T, typename Each>
    requires std::is_arithmetic_v<T>
  void put_each(size_t count, Each each) {
    const size_t start = bytes_.size();
    bytes_.resize(start + count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
      const T value = each(i);
      std::memcpy(bytes_.data() + start + i * sizeof(T), &value, sizeof value);
    }
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Values that put_each or put_array wrote, where they lie: at any address, for as long as the bytes are there. Reading a
// large column so spares its copy, whose pages would have to come from the system.
template <typename T>
class PackedValues {
 public:
  PackedValues() = default;
  PackedValues(const char* bytes, size_t size) : bytes_(bytes), size_(size) {}
  explicit PackedValues(std::span<const T> values)
      : PackedValues(reinterpret_cast<const char*>(values.data()), values.size()) {}

  size_t size() const { return size_; }
  T operator[](size_t i) const {
    T value;
    std::memcpy(&value, bytes_ + i * sizeof(T), sizeof value);
    return value;
  }

 private:
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

class ByteReader {
 public:
  // `file` and `origin` (offset of `bytes` in it) only serve the error messages.
  ByteReader(std::string_view bytes, std::string file, uint64_t origin)
      : bytes_(bytes), file_(std::move(file)), origin_(origin) {}

  template <typename T>
    requires std::is_arithmetic_v<T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <typename T>
    requires std::is_arithmetic_v<T>
  std::vector<T> get_array() {
    const uint64_t count = get<uint64_t>();
    if (count > left() / sizeof(T)) fail("an array is longer than the block");
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), take(count * sizeof(T)), count * sizeof(T));
    return values;
  }
  // Fills `values`, as put_each wrote them.
  template <typename T>
    requires std::is_arithmetic_v<T>
  void get_each(std::span<T> values) {
    if (values.size() > left() / sizeof(T)) fail("the block ends too early");
    if (!values.empty()) std::memcpy(values.data(), take(values.size_bytes()), values.size_bytes());
  }
  template <typename T>
  std::vector<T> get_each(size_t count) {
    if (count > left() / sizeof(T)) fail("the block ends too early");
    std::vector<T> values(count);
    get_each(std::span<T>(values));
    return values;
  }
  // As get_each and get_array, without a copy.
  template <typename T>
  PackedValues<T> view_each(size_t count) {
    if (count > left() / sizeof(T)) fail("the block ends too early");
    return {take(count * sizeof(T)), count};
  }
  template <typename T>
  PackedValues<T> view_array() {
    const uint64_t count = get<uint64_t>();
    if (count > left() / sizeof(T)) fail("an array is longer than the block");
    return {take(count * sizeof(T)), count};
  }
  // A reader of the next `size` bytes, which this one passes over.
  ByteReader part(uint64_t size) {
    const uint64_t origin = origin_ + position_;
    return {get_bytes(size), file_, origin};
  }
  std::string_view get_text(size_t limit) {
    const uint32_t size = get<uint32_t>();
    if (size > limit) fail("a text is longer than allowed");
    return {take(size), size};
  }
  std::string_view get_bytes(uint64_t size) {
    if (size > left()) fail("the block ends too early");
    return {take(size), size};
  }
  // A count of items that take at least `item_bytes` each.
  uint64_t get_count(size_t item_bytes) {
    const uint64_t count = get<uint64_t>();
    if (count > left() / item_bytes) fail("a count is larger than the block");
    return count;
  }

  void check(bool condition, const char* reason) const {
    if (!condition) fail(reason);
  }
  [[noreturn]] void fail(const std::string& reason) const { throw CorruptSnapshot(file_, origin_ + position_, reason); }
  const std::string& file() const { return file_; }
  size_t left() const { return bytes_.size() - position_; }
  uint64_t origin() const { return origin_; }

 private:
  const char* take(size_t size) {
    if (size > left()) fail("the block ends too early");
    const char* start = bytes_.data() + position_;
    position_ += size;
    return start;
  }

  std::string_view bytes_;
  size_t position_ = 0;
  std::string file_;
  uint64_t origin_;
};

}  // namespace memspan
