#include "lexical/forward_lists.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/malloc_sizes.hpp"

namespace memspan {

std::span<const uint8_t> ForwardLists::operator[](Slot slot) const {
  const uint16_t size = sizes_[slot];
  if (size == 0) return {};
  if (size == kLong) {
    const Long& apart = *long_.find(slot);
    return {apart.bytes.get(), apart.size};
  }
  return {groups_[slot / kGroup].bytes.get() + offset(slot), size};
}

void ForwardLists::set(Slot slot, std::span<const uint8_t> bytes) {
  const bool next = slot == size();
  if (next) sizes_.make_room();
  if (bytes.size() > kShort) {
    Bytes copy(new uint8_t[bytes.size()]);
    std::copy(bytes.begin(), bytes.end(), copy.get());
    const size_t before = long_bytes(slot);
    long_.set(slot, {std::move(copy), static_cast<uint32_t>(bytes.size())});
    long_bytes_ += bytes.size() - before;
    if (next) {
      sizes_.push_back(0);
    } else if (sizes_[slot] != kLong) {
      erase(slot);
    }
    sizes_[slot] = kLong;
    return;
  }
  put_short(slot, bytes, next);
  if (next) {
    sizes_.push_back(0);
  } else if (sizes_[slot] == kLong) {
    drop_long(slot);
  }
  sizes_[slot] = static_cast<uint16_t>(bytes.size());
}

// What the long list of a slot has on the heap, if there is one.
size_t ForwardLists::long_bytes(Slot slot) const {
  const Long* const apart = long_.find(slot);
  return apart == nullptr || apart->bytes.get_deleter().stored ? 0 : apart->size;
}

void ForwardLists::drop_long(Slot slot) noexcept {
  long_bytes_ -= long_bytes(slot);
  long_.reset(slot);
}

// Puts the bytes in the place of those that the slot has in its group; `last`: behind all others.
void ForwardLists::put_short(Slot slot, std::span<const uint8_t> bytes, bool last) {
  if (bytes.empty() && slot / kGroup >= groups_.size()) return;
  while (slot / kGroup >= groups_.size()) {
    if (!groups_.empty()) close(groups_[groups_.size() - 1]);
    groups_.push_back({});
  }
  Group& group = groups_[slot / kGroup];
  const size_t begin = last ? group.size : offset(slot);
  const size_t end = begin + (last ? 0 : short_size(sizes_[slot]));
  const size_t behind = group.size - end;
  const size_t size = begin + bytes.size() + behind;
  uint8_t* const old = group.bytes.get();
  if (size > group.capacity) {
    const size_t more = last && (slot + 1) % kGroup != 0 ? size / 4 : 0;
    const size_t capacity = fill_malloc_piece<uint8_t>(size + more);
    Bytes grown(new uint8_t[capacity]);
    std::copy_n(old, begin, grown.get());
    std::copy(bytes.begin(), bytes.end(), grown.get() + begin);
    std::copy_n(old + end, behind, grown.get() + begin + bytes.size());
    group.bytes = std::move(grown);
    group.capacity = static_cast<uint32_t>(capacity);
  } else if (group.capacity > 0) {
    std::memmove(old + begin + bytes.size(), old + end, behind);
    std::copy(bytes.begin(), bytes.end(), old + begin);
    if (size < group.size) std::memset(old + size, 0, group.size - size);
  }
  group.size = static_cast<uint32_t>(size);
}

void ForwardLists::erase(Slot slot) noexcept {
  if (sizes_[slot] == kLong) {
    drop_long(slot);
  } else if (sizes_[slot] != 0) {
    Group& group = groups_[slot / kGroup];
    const size_t begin = offset(slot);
    const size_t size = group.size - sizes_[slot];
    uint8_t* const bytes = group.bytes.get();
    std::memmove(bytes + begin, bytes + begin + sizes_[slot], size - begin);
    std::memset(bytes + size, 0, sizes_[slot]);
    group.size = static_cast<uint32_t>(size);
  }
  sizes_[slot] = 0;
}

// Gives back what lies idle in a piece that no slot will be added to, if there is memory for a smaller one.
void ForwardLists::close(Group& group) noexcept {
  const size_t capacity = fill_malloc_piece<uint8_t>(group.size);
  if (group.size == 0 || capacity >= group.capacity) return;
  Bytes smaller(new (std::nothrow) uint8_t[capacity]);
  if (!smaller) return;
  std::copy_n(group.bytes.get(), group.size, smaller.get());
  group.bytes = std::move(smaller);
  group.capacity = static_cast<uint32_t>(capacity);
}

size_t ForwardLists::bytes() const {
  size_t total = sizes_.bytes() + groups_.bytes() + long_.bytes() + long_bytes_;
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (!groups_[g].bytes.get_deleter().stored) total += groups_[g].capacity;
  }
  return total;
}

uint64_t ForwardLists::load(ByteReader& head, size_t count) {
  uint64_t total = 0;
  size_t long_count = 0;
  sizes_.fill(count, [&](std::span<uint16_t> sizes) {
    head.get_each(sizes);
    for (size_t first = 0; first < sizes.size(); first += kGroup) {
      Group group;
      for (const uint16_t size : sizes.subspan(first, std::min(kGroup, sizes.size() - first))) {
        head.check(size <= kShort || size == kLong, "a forward list is longer than it may be");
        group.size += static_cast<uint32_t>(short_size(size));
        long_count += size == kLong;
      }
      group.capacity = group.size;
      total += group.size;
      groups_.push_back(std::move(group));
    }
  });
  const auto long_sizes = head.view_array<uint32_t>();
  head.check(long_sizes.size() == long_count, "the long forward lists are not those of the records");
  size_t next = 0;
  for (Slot slot = 0; next < long_count; ++slot) {
    if (sizes_[slot] != kLong) continue;
    const uint32_t size = long_sizes[next++];
    head.check(size > kShort, "a forward list is shorter than it may be");
    long_.set(slot, {nullptr, size});
    total += size;
  }
  return total;
}

void ForwardLists::use_image(std::byte* image) {
  auto* next = reinterpret_cast<uint8_t*>(image);
  const auto take = [&](uint32_t size) {
    return Bytes(std::exchange(next, next + size), Free(true));
  };
  for (size_t g = 0; g < groups_.size(); ++g) groups_[g].bytes = take(groups_[g].size);
  const bool any_long = long_.bytes() > 0;
  for (Slot slot = 0; any_long && slot < size(); ++slot) {
    if (sizes_[slot] == kLong) {
      const uint32_t size = long_.find(slot)->size;
      long_.set(slot, {take(size), size});
    }
  }
}

}  // namespace memspan
