// One registration function for each part of the module.
#pragma once

#include <pybind11/pybind11.h>

namespace memspan::python {

void register_limits(pybind11::module_& module);
void register_text_tools(pybind11::module_& module);
void register_token_estimate(pybind11::module_& module);
void register_near_words(pybind11::module_& module);
void register_inner_products(pybind11::module_& module);
void register_late_scores(pybind11::module_& module);
void register_ranking(pybind11::module_& module);  // before the queries
void register_query(pybind11::module_& module);
void register_hits(pybind11::module_& module);
void register_search_calls(pybind11::module_& module);
void register_add_call(pybind11::module_& module);
void register_column_values(pybind11::module_& module);
void register_normal_record(pybind11::module_& module);
void register_record_rows(pybind11::module_& module);
void register_index(pybind11::module_& module);
void register_consolidation(pybind11::module_& module);  // after the index
void register_duplicates(pybind11::module_& module);     // after the index

void register_quotas(pybind11::module_& module);         // after the index

}  // namespace memspan::python
