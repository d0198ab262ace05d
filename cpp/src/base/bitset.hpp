// A dense set of slots. Not thread-safe for writing.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "memspan/types.hpp"
#include "simd/kernels.hpp"

namespace memspan {

class Bitset {
 public:
  size_t size() const { return size_; }

  // Grows or shrinks; new bits are clear.
  void resize(size_t size) {
    words_.resize((size + 63) / 64, 0);
    size_ = size;
    clear_tail();
  }
  void assign(size_t size, bool value) {
    words_.assign((size + 63) / 64, value ? ~uint64_t{0} : 0);
    size_ = size;
    clear_tail();
  }

  bool test(size_t bit) const { return (words_[bit >> 6] >> (bit & 63)) & 1; }
  void set(size_t bit) { words_[bit >> 6] |= uint64_t{1} << (bit & 63); }
  // The bit of each of the items, fastest where those next to each other have bits near each other.
  template <typename Items, typename BitOf>
  void set_each(const Items& items, BitOf bit_of) {
    size_t at = 0;
    uint64_t word = 0;
    for (const auto& item : items) {
      const size_t bit = bit_of(item);
      if (bit >> 6 != at) {
        words_[at] |= word;
        at = bit >> 6;
        word = 0;
      }
      word |= uint64_t{1} << (bit & 63);
    }
    if (word != 0) words_[at] |= word;
  }
  void reset(size_t bit) { words_[bit >> 6] &= ~(uint64_t{1} << (bit & 63)); }

  // Is there a member from `first` to `last`? O((last - first) / 64).
  bool any(size_t first, size_t last) const {
    const uint64_t from_first = ~uint64_t{0} << (first & 63);
    const uint64_t to_last = ~uint64_t{0} >> (63 - (last & 63));
    if (first >> 6 == last >> 6) return (words_[first >> 6] & from_first & to_last) != 0;
    uint64_t found = (words_[first >> 6] & from_first) | (words_[last >> 6] & to_last);
    for (size_t i = (first >> 6) + 1; i < last >> 6 && found == 0; ++i) found |= words_[i];
    return found != 0;
  }

  // The members 64 i to 64 i + 63; none behind size().
  uint64_t word(size_t i) const { return i < words_.size() ? words_[i] : 0; }

  size_t count() const { return kernels().count_ones(words_.data(), words_.size()); }
  // Of `words` words from one on; none behind size().
  size_t count(size_t first_word, size_t words) const {
    if (first_word >= words_.size()) return 0;
    return kernels().count_ones(words_.data() + first_word, std::min(words, words_.size() - first_word));
  }

  // The least member at or behind a place, and the greatest before one; size() if there is none.
  size_t find_first(size_t from = 0) const {
    uint64_t mask = ~uint64_t{0} << (from & 63);
    for (size_t i = from >> 6; i < words_.size(); ++i, mask = ~uint64_t{0}) {
      const uint64_t word = words_[i] & mask;
      if (word != 0) return i * 64 + static_cast<size_t>(std::countr_zero(word));
    }
    return size_;
  }
  size_t find_last(size_t before) const {
    for (size_t i = (before + 63) >> 6; i > 0; --i) {
      const uint64_t word = i * 64 > before ? words_[i - 1] & ~(~uint64_t{0} << (before & 63)) : words_[i - 1];
      if (word != 0) return i * 64 - 1 - static_cast<size_t>(std::countl_zero(word));
    }
    return size_;
  }

  // Takes out what is in the other set, which may be shorter or longer.
  void subtract(const Bitset& other) {
    for (size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) words_[i] &= ~other.words_[i];
  }

  // Calls f(slot) for each member in ascending order.
  template <typename F>
  void for_each(F&& f) const {
    for_each(0, words_.size(), f);
  }
  // The same for those of `words` words from one on.
  template <typename F>
  void for_each(size_t first_word, size_t words, F&& f) const {
    const size_t end = std::min(first_word + words, words_.size());
    for (size_t i = first_word; i < end; ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        f(static_cast<Slot>(i * 64 + static_cast<size_t>(std::countr_zero(word))));
      }
    }
  }

  // The same, the greatest first.
  template <typename F>
  void for_each_backwards(F&& f) const {
    for (size_t i = words_.size(); i-- > 0;) {
      for (uint64_t word = words_[i]; word != 0;) {
        const auto highest = static_cast<size_t>(63 - std::countl_zero(word));
        word &= ~(uint64_t{1} << highest);
        f(static_cast<Slot>(i * 64 + highest));
      }
    }
  }

  // Removes each member for which f(slot) is false.
  template <typename F>
  void keep_if(F&& f) {
    for (size_t i = 0; i < words_.size(); ++i) {
      for (uint64_t word = words_[i]; word != 0; word &= word - 1) {
        const uint64_t lowest = word & (~word + 1);
        if (!f(static_cast<Slot>(i * 64 + static_cast<size_t>(std::countr_zero(word))))) words_[i] &= ~lowest;
      }
    }
  }

  // Replaces each word i that has members by those that keep(i, word) leaves of it.
  template <typename F>
  void keep_words(F&& keep) {
    for (size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != 0) words_[i] &= keep(i, words_[i]);
    }
  }

  // Calls f for the first member in ascending order and every `step`-th after it. O(size / 64).
  template <typename F>
  void for_every(size_t step, F&& f) const {
    size_t skip = 0;  // members before the next one that counts
    for (size_t i = 0; i < words_.size(); ++i) {
      uint64_t word = words_[i];
      size_t left = static_cast<size_t>(std::popcount(word));
      while (left > skip) {
        for (size_t passed = 0; passed < skip; ++passed) word &= word - 1;
        f(static_cast<Slot>(i * 64 + static_cast<size_t>(std::countr_zero(word))));
        word &= word - 1;
        left -= skip + 1;
        skip = step - 1;
      }
      skip -= left;
    }
  }

  size_t bytes() const { return words_.capacity() * sizeof(uint64_t); }

 private:
  void clear_tail() {
    if (size_ % 64 != 0) words_.back() &= (uint64_t{1} << (size_ % 64)) - 1;
  }

  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

}  // namespace memspan
