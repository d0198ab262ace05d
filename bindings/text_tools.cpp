#include <pybind11/stl.h>

#include <string>
#include <vector>

#include "gil.hpp"
#include "lexical/tag_name.hpp"
#include "memspan/analyzer.hpp"
#include "register.hpp"
#include "simd/kernels.hpp"
#include "text.hpp"

namespace memspan::python {

void register_text_tools(py::module_& module) {
  module.attr("ANALYZER_VERSION") = kAnalyzerVersion;
  module.def("simd_level", [] { return std::string(simd_level()); });
  module.def(
      "analyze",
      [](const py::str& text, const std::string& analyzer) {
        const Analyzer chosen(parse_analyzer(analyzer));
        const std::string_view view = as_view(text);
        TokenBuffer tokens;
        {
          ReleasedGil release;
          chosen.analyze(view, tokens);
        }
        std::vector<std::string> result;
        for (size_t i = 0; i < tokens.size(); ++i) result.emplace_back(tokens[i]);
        return result;
      },
      py::arg("text"), py::arg("analyzer"));
  module.def("normalize_tag", [](const py::str& tag) { return normalize_tag(as_view(tag)); }, py::arg("tag"));
}

}  // namespace memspan::python
