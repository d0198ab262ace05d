// What is known of inverted and forward lists that lie in the body of a snapshot, and which of them were checked.
//
// Thread safety: const members may run in parallel. Memory: 8 bytes and a bit a term.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memspan {

struct StoredLists {
  struct List {
    uint32_t postings;
    uint32_t checksum;  // CRC-32C of the image
  };

  bool is_checked(size_t term) const {
    return term >= lists.size() || (checked[term / 64].load(std::memory_order_relaxed) >> (term % 64) & 1) != 0;
  }
  void set_checked(size_t term) const { checked[term / 64].fetch_or(uint64_t{1} << (term % 64), std::memory_order_relaxed); }
  size_t mapped_bytes() const { return on_heap ? 0 : body_bytes; }
  size_t heap_bytes() const {
    return sizeof(*this) + lists.capacity() * sizeof(List) + lists.size() / 8 + (on_heap ? body_bytes : 0);
  }

  std::string file;
  std::shared_ptr<void> owner;
  size_t slots = 0;
  std::vector<List> lists;                             // by term
  std::unique_ptr<std::atomic<uint64_t>[]> checked;    // a bit for each
  const std::byte* forward = nullptr;                  // image of the forward lists
  size_t forward_bytes = 0;
  uint32_t forward_checksum = 0;
  mutable std::atomic<bool> forward_checked = false;
  size_t body_bytes = 0;
  bool on_heap = false;  // the body
};

}  // namespace memspan
