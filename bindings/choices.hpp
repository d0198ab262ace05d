// The words of arguments that take one of a few.
#pragma once

#include "keyword_parser.hpp"
#include "memspan/types.hpp"

namespace memspan::python {

struct ChoiceNames {
  InternedNames<kKindCount> kinds{kKindNames};
  InternedNames<kViewCount> views{kViewNames};
  InternedNames<kFusionNames.size()> fusions{kFusionNames};
};

inline const ChoiceNames& choice_names() {
  static const ChoiceNames names;
  return names;
}

template <typename Enum, size_t N>
bool read_choice(PyObject* value, const InternedNames<N>& names, Enum& out) {
  const size_t found = names.find(value);
  out = static_cast<Enum>(found);
  return found < N;
}

}  // namespace memspan::python
