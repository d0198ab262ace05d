#include "id_texts.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace memspan::python {
namespace py = pybind11;
namespace {

constexpr size_t kKept = 64;
constexpr size_t kShortest = 2;  // what is shorter is shared by all Python
constexpr size_t kLongest = 16;

// Eight bytes at a time.
bool is_ascii(const char* bytes, size_t size) {
  uint64_t seen = 0;
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    seen |= word;
  }
  for (; i < size; ++i) seen |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i]));
  return (seen & 0x8080808080808080u) == 0;
}

// An ASCII text of 2 to 16 bytes, as most ids are: two words that may overlap, copied without a loop or a call.
template <typename Word>
class ShortText {
 public:
  ShortText(const char* bytes, size_t size) : bytes_(bytes), size_(size) {
    std::memcpy(&first_, bytes, sizeof first_);
    std::memcpy(&last_, bytes + size - sizeof last_, sizeof last_);
  }
  bool is_ascii() const { return ((first_ | last_) & static_cast<Word>(0x8080808080808080u)) == 0; }
  PyObject* make() const {
    PyObject* const made = PyUnicode_New(static_cast<Py_ssize_t>(size_), 127);
    if (made == nullptr) throw py::error_already_set();
    write(made);
    return made;
  }
  // Of a text of ASCII.
  bool equals(PyObject* text) const {
    return static_cast<size_t>(PyUnicode_GET_LENGTH(text)) == size_ && std::memcmp(PyUnicode_DATA(text), bytes_, size_) == 0;
  }
  void write(PyObject* text) const {
    auto* const out = static_cast<char*>(PyUnicode_DATA(text));
    std::memcpy(out, &first_, sizeof first_);
    std::memcpy(out + size_ - sizeof last_, &last_, sizeof last_);
  }

 private:
  const char* bytes_;
  size_t size_;
  Word first_, last_;
};

// Calls use(text) if the id is short ASCII; null otherwise.
template <typename Use>
PyObject* with_short(const std::string& id, Use use) {
  const size_t size = id.size();
  if (size < kShortest || size > kLongest) return nullptr;
  if (size >= sizeof(uint64_t)) {
    const ShortText<uint64_t> text(id.data(), size);
    return text.is_ascii() ? use(text) : nullptr;
  }
  if (size >= sizeof(uint32_t)) {
    const ShortText<uint32_t> text(id.data(), size);
    return text.is_ascii() ? use(text) : nullptr;
  }
  const ShortText<uint16_t> text(id.data(), size);
  return text.is_ascii() ? use(text) : nullptr;
}

PyObject* make_long(const std::string& id) {
  const auto size = static_cast<Py_ssize_t>(id.size());
  if (size > 1 && is_ascii(id.data(), id.size())) {  // shorter ones are shared objects
    PyObject* const made = PyUnicode_New(size, 127);
    if (made != nullptr) std::memcpy(PyUnicode_1BYTE_DATA(made), id.data(), id.size());
    return made;
  }
  return PyUnicode_DecodeUTF8(id.data(), size, nullptr);
}

py::str owned(PyObject* made) {
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

}  // namespace

py::str text_of_id(const std::string& id) {
  PyObject* const made = with_short(id, [](const auto& text) { return text.make(); });
  return owned(made != nullptr ? made : make_long(id));
}

#if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION)

py::str text_of_listed_id(const std::string& id, size_t) { return text_of_id(id); }

#else

namespace {

std::array<PyObject*, kKept> kept_texts = {};  // for the process's life

// What CPython asks of a string that it changes in place itself (`unicode_modifiable`): nobody else holds it, no table knows it
// by its hash, and it is not interned. It was made here, so it is of ASCII, and its bytes lie behind it.
bool may_write(PyObject* text, size_t size) {
  return Py_REFCNT(text) == 1 && static_cast<size_t>(PyUnicode_GET_LENGTH(text)) == size &&
         reinterpret_cast<PyASCIIObject*>(text)->hash == -1 && !PyUnicode_CHECK_INTERNED(text);
}

}  // namespace

py::str text_of_listed_id(const std::string& id, size_t place) {
  if (place >= kKept) return text_of_id(id);
  PyObject* const text = with_short(id, [&](const auto& shorter) {
    PyObject*& own = kept_texts[place];
    if (own != nullptr && may_write(own, id.size())) {
      shorter.write(own);
    } else if (own == nullptr || !shorter.equals(own)) {
      PyObject* const made = shorter.make();
      Py_XDECREF(own);
      own = made;
    }
    Py_INCREF(own);
    return own;
  });
  return owned(text != nullptr ? text : make_long(id));
}

#endif

}  // namespace memspan::python
