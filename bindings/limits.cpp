// The core's limits as constants, so that every layer refuses the same things.
#include "register.hpp"

#include "memspan/types.hpp"

namespace memspan::python {

void register_limits(pybind11::module_& module) {
  module.attr("MAX_NAME_BYTES") = limits::kNameBytes;
  module.attr("MAX_TEXT_BYTES") = limits::kTextBytes;
  module.attr("MAX_TAG_BYTES") = limits::kTagBytes;
  module.attr("MAX_TAGS") = limits::kTagsPerRecord;
  module.attr("MAX_METADATA_BYTES") = limits::kMetadataBytes;
  module.attr("MAX_JSON_DEPTH") = limits::kWhereDepth;
  module.attr("MAX_DIM") = limits::kDim;
  module.attr("MAX_K") = limits::kTop;
  module.attr("MAX_DEPTH") = limits::kDepth;
  module.attr("MAX_INTERVALS") = limits::kIntervals;
  module.attr("MAX_EXCLUDED") = limits::kExcluded;
}

}  // namespace memspan::python
