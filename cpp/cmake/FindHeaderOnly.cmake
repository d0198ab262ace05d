# Finds the header-only libraries of the core and offers them as memspan::header_only:
#   hnswlib >= 0.8   ships in the Python package `assorthead`   (stop_condition.h is new in 0.8)
#   Boost   >= 1.81  ships in the Python package `boost-headers` (unordered_flat_map.hpp is new in 1.81)
# In a wheel build scikit-build-core puts the build environment on CMAKE_PREFIX_PATH; in a plain CMake build the
# project's .venv is looked at, then the system. Set HNSWLIB_INCLUDE_DIR or BOOST_INCLUDE_DIR to use other copies.

file(GLOB venv_site_packages "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages")

find_path(HNSWLIB_INCLUDE_DIR hnswlib/stop_condition.h
  HINTS ${venv_site_packages} PATH_SUFFIXES assorthead/include)
find_path(BOOST_INCLUDE_DIR boost/unordered/unordered_flat_map.hpp
  HINTS ${venv_site_packages} PATH_SUFFIXES boost_headers/include)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(HeaderOnly
  REQUIRED_VARS HNSWLIB_INCLUDE_DIR BOOST_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "run `make venv`, or `pip install assorthead boost-headers` into a .venv of this directory")

if(HeaderOnly_FOUND AND NOT TARGET memspan::header_only)
  add_library(memspan_header_only INTERFACE)
  add_library(memspan::header_only ALIAS memspan_header_only)
  target_include_directories(memspan_header_only SYSTEM INTERFACE "${HNSWLIB_INCLUDE_DIR}" "${BOOST_INCLUDE_DIR}")
  # hnswlib's own SSE code reads one link past the end of a list, to prefetch it (AddressSanitizer stops there), and its
  # distances would be those of the baseline; the core brings its own.
  target_compile_definitions(memspan_header_only INTERFACE NO_MANUAL_VECTORIZATION)
endif()
mark_as_advanced(HNSWLIB_INCLUDE_DIR BOOST_INCLUDE_DIR)
