#include "vectors/inner_products.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "gil.hpp"
#include "register.hpp"

namespace memspan::python {
namespace {

FloatArray inner_products_of(const FloatArray& rows, const FloatArray& others) {
  if (rows.ndim() != 2 || others.ndim() != 2 || rows.shape(1) != others.shape(1)) {
    throw InvalidArgument("two matrices with as many columns are needed");
  }
  FloatArray out({rows.shape(0), others.shape(0)});
  if (out.size() == 0) return out;
  const std::span<const float> left = as_span(rows);
  const std::span<const float> right = as_span(others);
  const std::span<float> products(out.mutable_data(), static_cast<size_t>(out.size()));
  const auto n = static_cast<size_t>(rows.shape(1));
  if (n == 0) {
    std::fill(products.begin(), products.end(), 0.0F);
    return out;
  }
  {
    const ReleasedGil release;
    inner_products(left, right, n, products);
  }
  return out;
}

}  // namespace

void register_inner_products(py::module_& module) {
  module.def("inner_products", &inner_products_of, py::arg("rows").noconvert(), py::arg("others").noconvert());
}

}  // namespace memspan::python
