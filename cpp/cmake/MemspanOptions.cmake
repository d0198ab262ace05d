# memspan::options carries the flags shared by every target of the project: warnings, sanitizers, coverage.

add_library(memspan_options INTERFACE)
add_library(memspan::options ALIAS memspan_options)

target_compile_options(memspan_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${MEMSPAN_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlapping copies in `"text" + std::to_string(n)` where there are none (GCC bug 105651).
  target_compile_options(memspan_options INTERFACE -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 14 cannot follow arrays that are filled as far as they are read, ours and Boost's; GCC 12 looks for them still.
  target_compile_options(memspan_options INTERFACE -Wno-maybe-uninitialized)
endif()

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  # So that --gc-sections drops what nothing calls, mostly instances of templates: 5 % of the extension.
  target_compile_options(memspan_options INTERFACE -ffunction-sections -fdata-sections)
endif()

if(MEMSPAN_SANITIZE)
  # Recovery is off so that undefined behaviour fails a test instead of only printing.
  set(sanitize_flags -fsanitize=${MEMSPAN_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(memspan_options INTERFACE ${sanitize_flags})
  target_link_options(memspan_options INTERFACE ${sanitize_flags})
endif()

if(MEMSPAN_COVERAGE)
  target_compile_options(memspan_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(memspan_options INTERFACE --coverage)
endif()
