// The rule of `memspan.estimate_tokens`, which says what it counts. In the binding, as what is a letter, a digit or a space
// is what Python says, whose releases know different versions of Unicode.
#include <pybind11/pybind11.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "register.hpp"

namespace memspan::python {
namespace {

namespace py = pybind11;

constexpr size_t kShortWord = 9;  // letters of a word that is one token, as a rule
constexpr Py_UCS4 kLastLatin = 0x24f;
constexpr Py_UCS4 kLastCommonSign = 0x206f;

enum class Kind : uint8_t { kLetter, kDigit, kSign, kSpace, kLineBreak };  // the first two are alphanumeric

constexpr auto kAscii = [] {
  std::array<Kind, 0x80> kinds{};
  for (size_t sign = 0; sign < kinds.size(); ++sign) {
    const auto within = [sign](char first, char last) {
      return static_cast<size_t>(first) <= sign && sign <= static_cast<size_t>(last);
    };
    Kind& kind = kinds[sign] = Kind::kSign;
    if (within('a', 'z') || within('A', 'Z')) kind = Kind::kLetter;
    if (within('0', '9')) kind = Kind::kDigit;
    if (within('\t', '\r') || within('\x1c', ' ')) kind = Kind::kSpace;
  }
  kinds['\n'] = Kind::kLineBreak;
  return kinds;
}();

Kind kind_of(Py_UCS4 sign) {
  if (sign < kAscii.size()) return kAscii[sign];
  if (Py_UNICODE_ISSPACE(sign)) return Kind::kSpace;
  if (Py_UNICODE_ISDECIMAL(sign)) return Kind::kDigit;
  return Py_UNICODE_ISALNUM(sign) ? Kind::kLetter : Kind::kSign;
}

// Scripts whose characters are about a token each: Thai and Lao, Hangul, Chinese and Japanese.
bool is_dense(Py_UCS4 sign) {
  const auto within = [sign](Py_UCS4 first, Py_UCS4 last) { return first <= sign && sign <= last; };
  return within(0xe00, 0xeff) || within(0x1100, 0x11ff) || within(0x2e80, 0xa4cf) || within(0xac00, 0xd7af) ||
         within(0xf900, 0xfaff) || within(0x20000, 0x3ffff);
}

size_t parts(size_t size, size_t most) { return (size + most - 1) / most; }

template <class Char>
class Estimate {
 public:
  Estimate(const Char* text, size_t size) : text_(text), size_(size) {}

  // O(n), one pass over runs of one kind.
  size_t count() const {
    size_t tokens = 0;
    for (size_t start = 0; start < size_;) {
      const Kind kind = kind_at(start);
      size_t end = start + 1;
      while (end < size_ && kind_at(end) == kind) ++end;
      tokens += of_run(kind, start, end);
      start = end;
    }
    return tokens;
  }

 private:
  Kind kind_at(size_t place) const { return kind_of(text_[place]); }

  bool is_alphanumeric(size_t place) const { return kind_at(place) <= Kind::kDigit; }

  size_t of_run(Kind kind, size_t start, size_t end) const {
    switch (kind) {
      case Kind::kLetter: return of_word(start, end);
      case Kind::kDigit: return parts(end - start, 3) + (start > 0 && text_[start - 1] == ' ' ? 1 : 0);
      case Kind::kSign: return is_contraction(start) ? 0 : of_signs(start, end);
      case Kind::kSpace: return end - start > 1 ? 1 : 0;
      case Kind::kLineBreak: return start == 0 || is_alphanumeric(start - 1) ? 1 : 0;
    }
    return 0;
  }

  size_t of_word(size_t start, size_t end) const {
    size_t ascii = 0, latin = 0, dense = 0;
    for (size_t place = start; place < end; ++place) {
      ascii += text_[place] < 0x80;
      latin += text_[place] <= kLastLatin;
      dense += is_dense(text_[place]);
    }
    const size_t size = end - start;
    if (ascii == size) return 1 + parts(std::max(size, kShortWord) - kShortWord, 4);
    return dense + parts(latin, 3) + parts(size - dense - latin, 2);
  }

  size_t of_signs(size_t start, size_t end) const {
    const bool ascii = std::all_of(text_ + start, text_ + end, [](Char sign) { return sign < 0x80; });
    if (ascii) {
      const bool same = std::all_of(text_ + start, text_ + end, [&](Char sign) { return sign == text_[start]; });
      return parts(end - start, same ? 4 : 2);
    }
    size_t tokens = 0;
    for (size_t place = start; place < end; ++place) tokens += text_[place] <= kLastCommonSign ? 1 : 2;
    return tokens;
  }

  // The apostrophe of "it's" is one token with what follows it.
  bool is_contraction(size_t start) const {
    if (text_[start] != '\'' || start == 0 || !is_alphanumeric(start - 1)) return false;
    const char first = letter_at(start + 1), second = letter_at(start + 2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return ends_word(start + 2);
    const bool two = ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l');
    return two && ends_word(start + 3);
  }

  // In lower case; 0 for what is no letter of a contraction.
  char letter_at(size_t place) const {
    constexpr Py_UCS4 kLongS = 0x17f;  // for Python a form of "s"
    if (place >= size_) return 0;
    if (static_cast<Py_UCS4>(text_[place]) == kLongS) return 's';
    return text_[place] < 0x80 ? static_cast<char>(text_[place] | 0x20) : char{0};
  }

  bool ends_word(size_t place) const { return place >= size_ || !(is_alphanumeric(place) || text_[place] == '_'); }

  const Char* text_;
  size_t size_;
};

template <class Char>
size_t estimate(const void* text, size_t size) {
  return Estimate<Char>(static_cast<const Char*>(text), size).count();
}

size_t estimate_tokens(const py::str& text) {
  PyObject* object = text.ptr();
#if PY_VERSION_HEX < 0x030c0000
  if (PyUnicode_READY(object) != 0) throw py::error_already_set();
#endif
  const auto size = static_cast<size_t>(PyUnicode_GET_LENGTH(object));
  switch (PyUnicode_KIND(object)) {
    case PyUnicode_1BYTE_KIND: return estimate<Py_UCS1>(PyUnicode_DATA(object), size);
    case PyUnicode_2BYTE_KIND: return estimate<Py_UCS2>(PyUnicode_DATA(object), size);
    default: return estimate<Py_UCS4>(PyUnicode_DATA(object), size);
  }
}

}  // namespace

void register_token_estimate(py::module_& module) {
  module.def("estimate_tokens", &estimate_tokens, py::arg("text"));
}

}  // namespace memspan::python
