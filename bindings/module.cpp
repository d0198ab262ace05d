// memspan._core: registration, array checks, release of the GIL, translation of errors. No logic.
#include <pybind11/pybind11.h>

#include "calls_inside.hpp"
#include "errors.hpp"
#include "fast_values.hpp"
#include "native_method.hpp"
#include "register.hpp"

PYBIND11_MODULE(_core, module) {
  module.doc() = "The native core of memspan. Use the classes of the package `memspan`; these check nothing twice.";
  memspan::python::wait_for_calls_at_forks();
  memspan::python::register_errors();
  memspan::python::register_limits(module);
  memspan::python::register_text_tools(module);
  memspan::python::register_token_estimate(module);
  memspan::python::register_near_words(module);
  memspan::python::register_inner_products(module);
  memspan::python::register_late_scores(module);
  memspan::python::register_ranking(module);
  memspan::python::register_query(module);
  memspan::python::register_hits(module);
  memspan::python::register_index(module);
  memspan::python::register_consolidation(module);
  memspan::python::register_duplicates(module);
  memspan::python::register_quotas(module);
  memspan::python::prepare_fast_values();
  memspan::python::register_native_method();
  memspan::python::register_search_calls(module);
  memspan::python::register_add_call(module);
  memspan::python::register_column_values(module);
  memspan::python::register_normal_record(module);
  memspan::python::register_record_rows(module);
}
