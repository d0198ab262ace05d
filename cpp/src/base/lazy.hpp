// What most users never need: one pointer until it is written to for the first time, and read as empty till then.
//
// Thread safety: as that of what it holds; `make` and `reset` are writes.
#pragma once

#include <cstddef>
#include <memory>

namespace memspan {

template <typename T>
class Lazy {
 public:
  // Is there anything to read?
  explicit operator bool() const { return value_ != nullptr; }
  const T& operator*() const { return value_ ? *value_ : kEmpty; }
  const T* operator->() const { return &**this; }

  // To be written to. If that throws, nothing has changed.
  T& make() {
    if (!value_) value_ = std::make_unique<T>();
    return *value_;
  }
  void reset() noexcept { value_.reset(); }

  size_t bytes() const { return value_ ? sizeof(T) + value_->bytes() : 0; }

 private:
  static const T kEmpty;

  std::unique_ptr<T> value_;
};

template <typename T>
const T Lazy<T>::kEmpty;

}  // namespace memspan
