// A sorted sequence in blocks of up to 8 kB: inserting, erasing or growing moves less than one block, however long the
// sequence is. The last block, which is the only one of a short sequence, grows by an eighth of the whole at a time.
//
// The order is the caller's: every call takes the same less(a, b), a total order. Thread safety: const members may run
// in parallel; writes need exclusion. Memory: the elements, and the first of each block a second time, one after the
// other, so that a search reads one block only; blocks that were not filled in order are about half full or more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/malloc_sizes.hpp"
#include "base/partition_cursor.hpp"

namespace memspan {

template <typename T>
class SortedBlocks {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr uint32_t kBlock = 8192 / sizeof(T);

  // No block is empty but the only one of an empty sequence, and none but the last has less room than kBlock.
  struct Block {
    std::unique_ptr<T[]> items;
    uint32_t count = 0;
    uint32_t capacity = 0;

    std::span<const T> span() const { return {items.get(), count}; }
  };

  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    Iterator() = default;
    Iterator(const Block* block, uint32_t offset) : block_(block), offset_(offset) {}

    const T& operator*() const { return block_->items[offset_]; }
    const T* operator->() const { return &block_->items[offset_]; }
    Iterator& operator++() {
      if (++offset_ == block_->count) ++block_, offset_ = 0;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    Iterator& operator--() {
      if (offset_ == 0) --block_, offset_ = block_->count;
      --offset_;
      return *this;
    }
    Iterator operator--(int) {
      const Iterator before = *this;
      --*this;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

    const Block* block() const { return block_; }
    uint32_t offset() const { return offset_; }

   private:
    const Block* block_ = nullptr;
    uint32_t offset_ = 0;
  };

  SortedBlocks() = default;
  ~SortedBlocks() {
    if (is_many()) delete release_many();
  }
  SortedBlocks(SortedBlocks&& other) noexcept { *this = std::move(other); }
  SortedBlocks& operator=(SortedBlocks&& other) noexcept {
    std::swap(single_, other.single_);
    return *this;
  }

  size_t size() const { return is_many() ? many().size : single_.count; }
  bool empty() const { return size() == 0; }
  const T& front() const { return blocks().front().items[0]; }
  const T& back() const { return blocks().back().items[blocks().back().count - 1]; }

  std::span<const Block> blocks() const { return is_many() ? std::span<const Block>(many().blocks) : std::span(&single_, 1); }
  Iterator begin() const { return empty() ? end() : Iterator(blocks().data(), 0); }
  Iterator end() const { return Iterator(blocks().data() + blocks().size(), 0); }

  // From the first of two places of one sequence to the second. O(blocks between them).
  static size_t distance(const Iterator& first, const Iterator& last) {
    if (first.block() == last.block()) return last.offset() - first.offset();
    size_t count = first.block()->count - first.offset() + last.offset();
    for (const Block* block = first.block() + 1; block != last.block(); ++block) count += block->count;
    return count;
  }

  // Calls visit(std::span<const T>) for the pieces of memory that make up [first, last), in their order.
  template <typename Visit>
  static void for_each_piece(Iterator first, const Iterator& last, Visit visit) {
    for (; first.block() != last.block(); first = Iterator(first.block() + 1, 0)) {
      visit(first.block()->span().subspan(first.offset()));
    }
    if (first.offset() != last.offset()) {
      visit(first.block()->span().subspan(first.offset(), last.offset() - first.offset()));
    }
  }

  // The first element that is not before the value; before(element) must hold for a prefix of the sequence. O(log n).
  template <typename Before>
  Iterator partition_point(Before before) const {
    const Block& block = block_of(before);
    const std::span<const T> items = block.span();
    return place_in(block, static_cast<size_t>(std::partition_point(items.begin(), items.end(), before) - items.begin()));
  }
  // The same of two at once: each looks while the other waits for memory.
  template <typename BeforeFirst, typename BeforeSecond>
  std::pair<Iterator, Iterator> partition_points(BeforeFirst before_first, BeforeSecond before_second) const {
    const Block& first = block_of(before_first);
    const Block& second = block_of(before_second);
    PartitionCursor in_first(first.span(), before_first);
    PartitionCursor in_second(second.span(), before_second);
    while (in_first.step() | in_second.step()) {}
    return {place_in(first, in_first.place()), place_in(second, in_second.place())};
  }
  template <typename Less>
  Iterator lower_bound(const T& value, Less less) const {
    return partition_point([&](const T& element) { return less(element, value); });
  }

  // O(log n) and the move of at most one block; appending moves nothing. If that throws, nothing has changed.
  template <typename Less>
  void insert(const T& value, Less less) {
    if (empty() || less(back(), value)) {
      append(value);
    } else {
      const Iterator place = lower_bound(value, less);
      const auto block = static_cast<size_t>(place.block() - blocks().data());
      insert_into(block, place.offset(), value);
      if (is_many() && place.offset() == 0) set_first(block);
    }
    if (is_many()) ++many().size;
  }

  // False if the value is not there. O(log n) and the move of at most one block.
  template <typename Less>
  bool erase(const T& value, Less less) {
    const Iterator place = lower_bound(value, less);
    if (place == end() || less(value, *place)) return false;
    const auto index = static_cast<size_t>(place.block() - blocks().data());
    Block& block = at(index);
    T* items = block.items.get();
    std::copy(items + place.offset() + 1, items + block.count, items + place.offset());
    --block.count;
    if (is_many()) --many().size;
    if (empty()) {
      SortedBlocks none;
      *this = std::move(none);
    } else if (is_many()) {
      if (place.offset() == 0 && block.count > 0) set_first(index);
      if (block.count < kBlock / 4) join(index);
    }
    return true;
  }

  // Makes `size` elements of an empty sequence: fill(std::span<T>) writes them, block by block and sorted.
  template <typename Fill>
  void fill(size_t size, Fill fill) {
    if (size > kBlock) {
      turn_to_many((size + kBlock - 1) / kBlock);
    }
    for (size_t done = 0; done < size;) {
      const auto count = static_cast<uint32_t>(std::min<size_t>(kBlock, size - done));
      Block block = make_block(count);
      block.count = count;
      fill(std::span<T>(block.items.get(), count));
      if (is_many()) {
        many().firsts.push_back(block.items[0]);
        many().blocks.push_back(std::move(block));
        many().size += count;
      } else {
        single_ = std::move(block);
      }
      done += count;
    }
  }

  size_t bytes() const {
    size_t total = is_many() ? sizeof(Many) + many().blocks.capacity() * (sizeof(Block) + sizeof(T)) : 0;
    for (const Block& block : blocks()) total += block.capacity * sizeof(T);
    return total;
  }

 private:
  struct Many {
    std::vector<Block> blocks;
    std::vector<T> firsts;  // of each block; as much room as `blocks` has
    size_t size = 0;

    void reserve(size_t room) {
      firsts.reserve(room);
      blocks.reserve(room);
    }
  };
  // Instead of a block's capacity: its items are a Many. So a short sequence, of which there are many, takes 16 bytes.
  static constexpr uint32_t kIsMany = ~uint32_t{0};

  bool is_many() const { return single_.capacity == kIsMany; }
  Many& many() { return *reinterpret_cast<Many*>(single_.items.get()); }
  const Many& many() const { return *reinterpret_cast<const Many*>(single_.items.get()); }
  Many* release_many() noexcept { return reinterpret_cast<Many*>(single_.items.release()); }

  Block& at(size_t block) { return is_many() ? many().blocks[block] : single_; }
  void set_first(size_t block) { many().firsts[block] = many().blocks[block].items[0]; }

  // The last block whose first element is before the value, or else the first block. What is sought lies in it or right behind.
  template <typename Before>
  const Block& block_of(const Before& before) const {
    if (!is_many()) return single_;
    const std::vector<T>& firsts = many().firsts;
    const auto behind = static_cast<size_t>(std::partition_point(firsts.begin(), firsts.end(), before) - firsts.begin());
    return many().blocks[std::max<size_t>(behind, 1) - 1];
  }
  Iterator place_in(const Block& block, size_t offset) const {
    return offset < block.count ? Iterator(&block, static_cast<uint32_t>(offset)) : offset == 0 ? end() : Iterator(&block + 1, 0);
  }

  static Block make_block(uint32_t capacity) {
    return {std::make_unique_for_overwrite<T[]>(capacity), 0, capacity};
  }

  // The room of the last block of `all` elements when it has to have more than `room`.
  static uint32_t more_room(uint32_t room, size_t all) {
    return static_cast<uint32_t>(std::min<size_t>(kBlock, fill_malloc_piece<T>(room + growth_of<T>(all))));
  }
  // A full block of less than kBlock.
  void grow(Block& block) {
    Block grown = make_block(more_room(block.capacity, size()));
    std::copy_n(block.items.get(), block.count, grown.items.get());
    grown.count = block.count;
    block = std::move(grown);
  }

  void turn_to_many(size_t room = 2) {
    auto many = std::make_unique<Many>();
    many->reserve(room);
    many->size = single_.count;
    if (!empty()) {
      many->firsts.push_back(single_.items[0]);
      many->blocks.push_back(std::move(single_));
    }
    single_.items.reset(reinterpret_cast<T*>(many.release()));
    single_.count = 0;
    single_.capacity = kIsMany;
  }

  void append(const T& value) {
    if (at(blocks().size() - 1).count == kBlock) {
      if (!is_many()) turn_to_many();
      make_room();
      many().blocks.push_back(make_block(more_room(0, size())));
      many().firsts.push_back(value);
    }
    Block& last = at(blocks().size() - 1);
    if (last.count == last.capacity) grow(last);
    last.items[last.count++] = value;
  }

  void insert_into(size_t index, uint32_t offset, const T& value) {
    if (at(index).count == kBlock) {
      if (!is_many()) turn_to_many();
      Block upper = make_block(kBlock);
      make_room();
      std::vector<Block>& all = many().blocks;
      Block& full = all[index];
      upper.count = kBlock / 2;
      full.count = kBlock - upper.count;
      std::copy_n(full.items.get() + full.count, upper.count, upper.items.get());
      const uint32_t kept = full.count;
      const auto behind = static_cast<std::ptrdiff_t>(index) + 1;
      many().firsts.insert(many().firsts.begin() + behind, upper.items[0]);
      all.insert(all.begin() + behind, std::move(upper));
      if (offset > kept) ++index, offset -= kept;
    }
    Block& block = at(index);
    if (block.count == block.capacity) grow(block);
    T* items = block.items.get();
    std::copy_backward(items + offset, items + block.count, items + block.count + 1);
    items[offset] = value;
    ++block.count;
  }

  void make_room() {
    const size_t blocks = many().blocks.size();
    if (blocks == many().blocks.capacity() || blocks == many().firsts.capacity()) many().reserve(2 * blocks);
  }

  // Lets a block of few elements go, with them to a neighbour if that has room.
  void join(size_t index) noexcept {
    std::vector<Block>& all = many().blocks;
    if (all.size() == 1) return;
    const size_t first = index + 1 < all.size() ? index : index - 1;
    Block& into = all[first];
    const Block& from = all[first + 1];
    if (into.count + from.count > kBlock / 2) {
      if (all[index].count == 0) drop_block(index);
      return;
    }
    std::copy_n(from.items.get(), from.count, into.items.get() + into.count);
    into.count += from.count;
    drop_block(first + 1);
    set_first(first);
  }
  void drop_block(size_t block) noexcept {
    many().blocks.erase(many().blocks.begin() + static_cast<std::ptrdiff_t>(block));
    many().firsts.erase(many().firsts.begin() + static_cast<std::ptrdiff_t>(block));
  }

  Block single_;
};

}  // namespace memspan
