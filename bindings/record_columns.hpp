// The columnar form of many records, as Python hands it in.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>
#include <string_view>

#include "arrays.hpp"
#include "base/huge_pages.hpp"
#include "memspan/record.hpp"

namespace memspan::python {

// Every list and array but `tags` has one entry for each record; None in a list means absent. Nobody else may change them while
// this object lives: it keeps views into the strings.
struct RecordColumns {
  py::list users, ids, texts, tags, sessions, speakers, metadatas;
  MicrosArray tag_ends, ats, untils, recorded_ats;  // `tags` are those of all records, one after the other
  KindArray kinds;
  std::optional<FloatArray> embeddings = {};      // (records, dim)
  std::optional<py::list> embedding_rows = {};    // or an array of shape (dim,) for each record
  std::optional<KindArray> has_embedding = {};    // 0 or 1; nothing: all have one
  // Nothing: no record has one.
  std::optional<FloatArray> importances = {};     // -1: not judged
  std::optional<KindArray> pins = {};             // 0 or 1
  std::optional<MicrosArray> retired_ats = {}, expires_ats = {};

  // Needs the GIL; the result does not. Valid while this object lives.
  huge_pages::PassingVector<RecordInput> to_records();

  huge_pages::PassingVector<std::string_view> tag_views = {};  // of all records, one after the other; filled by to_records
};

}  // namespace memspan::python
