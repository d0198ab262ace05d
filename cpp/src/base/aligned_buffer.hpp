// A block of memory for the scans: aligned to cache lines, and in huge pages where it is large, because rows that are
// read here and there would otherwise miss the translation cache once a row.
//
// The contents are not initialised. Move-only. Thread safety: as a plain array.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "base/huge_pages.hpp"

namespace memspan {

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count, huge_pages::Stay stay = huge_pages::Stay::lasting) : count_(count) {
    if (count == 0) return;
    const size_t size = count * sizeof(T);
    if (huge_pages::serve(size)) {
      data_ = Memory(static_cast<T*>(huge_pages::allocate(size, stay)), Free{size, stay});
      return;
    }
    data_ = Memory(static_cast<T*>(::operator new(size, alignment_of(size))), Free{size});
#if defined(MADV_HUGEPAGE)
    // Only advice: a failure costs speed.
    if (alignment_of(size) == kHugePage) ::madvise(data_.get(), size, MADV_HUGEPAGE);
#endif
  }

  // Has the kernel provide the pages, which it does at the first write to each: a large one takes it milliseconds.
  void touch() {
    constexpr size_t kPage = 4096;
    volatile auto* const bytes = reinterpret_cast<unsigned char*>(data());
    for (size_t i = 0; i < this->bytes(); i += kPage) bytes[i] = 0;
  }

  // Gives whole pages behind the first `count` elements back, if it has them alone and they were to last; what is there of a
  // page stays. Nothing happens to a buffer of more than `most` bytes, or a large one.
  void shrink(size_t count, size_t most) noexcept {
    const size_t kept = huge_pages::round_up(count * sizeof(T));
    const size_t size = huge_pages::round_up(bytes());
    const bool lasting = data_.get_deleter().stay == huge_pages::Stay::lasting;
    if (!lasting || !huge_pages::serve(bytes()) || size > std::min(most, huge_pages::kLarge - 1)) return;
    if (kept == 0 || kept >= size) return;
    huge_pages::shrink(data(), bytes(), kept);
    data_.get_deleter().size = kept;
    count_ = kept / sizeof(T);
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  static constexpr std::align_val_t kCacheLine{64};
  static constexpr std::align_val_t kHugePage{size_t{2} << 20};
  static std::align_val_t alignment_of(size_t size) {
    return size >= static_cast<size_t>(kHugePage) ? kHugePage : kCacheLine;
  }

  struct Free {
    size_t size = 0;
    huge_pages::Stay stay = huge_pages::Stay::lasting;
    void operator()(T* memory) const {
      if (huge_pages::serve(size)) {
        huge_pages::free(memory, size, stay);
      } else {
        ::operator delete(memory, alignment_of(size));
      }
    }
  };
  using Memory = std::unique_ptr<T[], Free>;
  Memory data_;
  size_t count_ = 0;
};

}  // namespace memspan
