# Per-ISA translation units: cpp/src/simd/<level>.cpp is compiled with that level's flags, every other file for the
# platform's baseline, and the level is chosen at start-up. So one binary runs on any processor of its architecture.

set(memspan_avx2_flags -mavx2 -mfma)
set(memspan_avx512_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC's own header reads an undefined register on purpose and then warns about it (GCC bug 105593).
  list(APPEND memspan_avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# memspan_select_simd_sources(<list>): drops from the list the kernels of other architectures, and sets the flags of
# the ones that stay. Contraction is off in kernels because it may round a*b+c differently in two instantiations of
# one loop, and a row's value must not depend on which loop computed it.
function(memspan_select_simd_sources list_name)
  set(sources ${${list_name}})
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
  set(levels scalar)
  set(foreign avx2 avx512 neon crc32c_instruction)
  if(processor MATCHES "^(x86_64|amd64)$")
    set(levels scalar avx2 avx512)
    set(foreign neon)
    set(memspan_crc32c_instruction_flags -msse4.2)
  elseif(processor MATCHES "^(aarch64|arm64)$")
    set(levels scalar neon)
    set(foreign avx2 avx512)
    set(memspan_crc32c_instruction_flags -march=armv8-a+crc)
  endif()
  foreach(unit IN LISTS foreign)
    list(FILTER sources EXCLUDE REGEX "/simd/${unit}\\.cpp$")
  endforeach()
  foreach(unit IN LISTS levels ITEMS crc32c_instruction)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/src/simd/${unit}.cpp" PROPERTIES
      COMPILE_OPTIONS "-ffp-contract=off;${memspan_${unit}_flags}")
  endforeach()
  set(${list_name} ${sources} PARENT_SCOPE)
endfunction()
