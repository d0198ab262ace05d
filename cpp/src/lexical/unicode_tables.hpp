// The packed Unicode data that unicode.cpp and tag_name.cpp unpack. The format is described in cpp/tools/make_unicode_tables.py.
#pragma once

#include <string_view>

namespace memspan {

extern const std::string_view kUnicodeVersion;
extern const std::string_view kClassRuns;
extern const std::string_view kSearchFolds;
extern const std::string_view kTagFolds;
extern const std::string_view kCombiningClasses;
extern const std::string_view kCompositions;

}  // namespace memspan
