// Ids as Python strings: quickly made, and written over where nobody holds those of an earlier answer any more.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace memspan::python {

pybind11::str text_of_id(const std::string& id);
// The same for the id at this place of a list. The strings of short lists are kept, 64 of 2 to 16 bytes for the process, and
// used again: to make and let go of twenty takes half of what the newest twenty records take. With the GIL held.
pybind11::str text_of_listed_id(const std::string& id, size_t place);

}  // namespace memspan::python
