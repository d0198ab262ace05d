// Index.search, Index.latest and Query as native methods: their arguments are read straight into a query.
#include "gil.hpp"
#include "hits.hpp"
#include "native_index.hpp"
#include "native_method.hpp"
#include "query_arguments.hpp"
#include "query_object.hpp"
#include "raw_type.hpp"
#include "register.hpp"
#include "searching_threads.hpp"

namespace memspan::python {
namespace py = pybind11;
namespace {

// One query for each thread: a call that starts here ends here, and runs no Python code in between.
ReusableQuery& thread_query() {
  thread_local ReusableQuery query;
  return query;
}

// The answer that `run` writes, without the GIL, into what it is given; or that `run_at_once` writes with it and
// without waiting for anybody, if that is true.
template <typename RunAtOnce, typename Run>
PyObject* answer(RunAtOnce run_at_once, Run run) {
  HitsObject* hits = new_hits();
  if (hits == nullptr) return nullptr;
  try {
    if (run_at_once(hits->result)) return reinterpret_cast<PyObject*>(hits);
    const ReleasedGil released;
    run(hits->result);
  } catch (...) {
    set_python_error();
    Py_CLEAR(hits);
  }
  return reinterpret_cast<PyObject*>(hits);
}

PyObject* search(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  QueryValues values;
  if (!parse_keywords(query_keywords(), args, nargsf, keywords, values)) return slow_path(method, args, nargsf, keywords);
  const NativeIndex index(args[0]);
  ReusableQuery& asked = thread_query();
  if (!index || !read_query(values, asked)) return slow_path(method, args, nargsf, keywords);
  static SearchingThreads searching;
  const auto at_once = [&](SearchResult& out) {
    if (searching.several()) return false;
    if (index->try_search(asked.query, Effort::little, out)) return true;
    return gil_queue().waited_long() && index->try_search(asked.query, Effort::some, out);
  };
  PyObject* const hits = answer(at_once, [&](SearchResult& out) { index->search(asked.query, out); });
  asked.trim();
  return hits;
}

PyObject* latest(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  KeywordValues<kLatestKeywords> values;
  LatestArguments asked;
  if (!parse_keywords(latest_keywords(), args, nargsf, keywords, values)) return slow_path(method, args, nargsf, keywords);
  const NativeIndex index(args[0]);
  if (!index || !read_latest(values, asked)) return slow_path(method, args, nargsf, keywords);
  const std::span<const Interval> between(asked.between ? &*asked.between : nullptr, asked.between ? 1 : 0);
  // A short list takes no longer than to give the GIL up and to take it again.
  constexpr uint32_t kShort = 64;
  const auto at_once = [&](SearchResult& out) {
    return asked.k <= kShort && index->try_latest(asked.user, asked.between, asked.k, out);
  };
  return answer(at_once, [&](SearchResult& out) { index->latest(asked.user, between, asked.k, out); });
}

// Query.__init__
PyObject* make_query(PyObject* method, PyObject* const* args, size_t nargsf, PyObject* keywords) {
  QueryValues values;
  ReusableQuery asked;
  if (!parse_keywords(query_keywords(), args, nargsf, keywords, values) || !read_query(values, asked)) {
    return slow_path(method, args, nargsf, keywords);
  }
  return guarded([&] {
    const py::object made = new_query();
    query_in(made) = std::move(asked.query);
    set_native(args[0], made);
    return py::none();
  });
}

}  // namespace

void register_search_calls(py::module_& module) {
  query_keywords();
  latest_keywords();
  module.def("native_search", [](const py::object& method) {
    return make_native_method(method, search);
  });
  module.def("native_latest", [](const py::object& method) {
    return make_native_method(method, latest);
  });
  module.def("native_query", [](const py::object& method) { return make_native_method(method, make_query); });
}

}  // namespace memspan::python
