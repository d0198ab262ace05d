// A block of memory for the scans: aligned to cache lines, and in huge pages where it is large, because rows that are
// read here and there would otherwise miss the translation cache once a row.
//
// The contents are not initialised. Move-only. Thread safety: as a plain array.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

namespace memspan {

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t count) : count_(count) {
    if (count == 0) return;
    const size_t wanted = count * sizeof(T);
    const size_t alignment = wanted >= kHugePage ? kHugePage : kCacheLine;
    const size_t size = (wanted + alignment - 1) / alignment * alignment;
    data_.reset(static_cast<T*>(std::aligned_alloc(alignment, size)));
    if (!data_) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (alignment == kHugePage) ::madvise(data_.get(), size, MADV_HUGEPAGE);  // only advice: a failure costs speed
#endif
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return count_; }
  size_t bytes() const { return count_ * sizeof(T); }

 private:
  static constexpr size_t kCacheLine = 64;
  static constexpr size_t kHugePage = size_t{2} << 20;

  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T[], Free> data_;
  size_t count_ = 0;
};

}  // namespace memspan
