# Per-ISA translation units: cpp/src/simd/<level>[_<variant>].cpp is compiled with that level's flags, every other file
# for the platform's baseline, and the level is chosen at start-up. So one binary runs on any processor of its
# architecture.
include(CheckCXXCompilerFlag)

set(memspan_avx2_flags -mavx2 -mfma)
set(memspan_avx2_vnni_flags ${memspan_avx2_flags} -mavxvnni)
set(memspan_avx512_flags -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Loops over the lanes of a vector that there is not would be written out, and those in these: 300 kB that are no faster.
  set(memspan_scalar_flags --param=max-completely-peeled-insns=60)
  # GCC's own header reads an undefined register on purpose and then warns about it (GCC bug 105593).
  list(APPEND memspan_avx512_flags -Wno-uninitialized -Wno-maybe-uninitialized)
endif()
set(memspan_avx512_vnni_flags ${memspan_avx512_flags} -mavx512vnni)
set(memspan_avx2_vnni512_flags ${memspan_avx512_vnni_flags} -mprefer-vector-width=256)
set(memspan_neon_dotprod_flags -march=armv8.2-a+dotprod)
if(MEMSPAN_SANITIZE MATCHES "undefined")
  # What a pointer may point to is AddressSanitizer's part in kernels: to check it twice takes longer than all else in them.
  set(memspan_kernel_flags -fno-sanitize=null,alignment,object-size)
endif()

# memspan_select_simd_sources(<list>): drops from the list the kernels of other architectures, and sets the flags of
# the ones that stay. Contraction is off in kernels because it may round a*b+c differently in two instantiations of
# one loop, and a row's value must not depend on which loop computed it.
function(memspan_select_simd_sources list_name)
  set(sources ${${list_name}})
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
  set(levels scalar)
  set(x86 avx2 avx2_vnni avx2_vnni512 avx512 avx512_vnni)
  set(arm neon neon_dotprod)
  set(foreign ${x86} ${arm} crc32c_instruction)
  if(processor MATCHES "^(x86_64|amd64)$")
    set(levels scalar ${x86})
    set(foreign ${arm})
    check_cxx_compiler_flag(-mavxvnni memspan_has_avx_vnni)
    if(memspan_has_avx_vnni)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/src/simd/dispatch.cpp" PROPERTIES
        COMPILE_DEFINITIONS MEMSPAN_AVX_VNNI)
    else()
      list(REMOVE_ITEM levels avx2_vnni)
      list(APPEND foreign avx2_vnni)
    endif()
    set(memspan_crc32c_instruction_flags -msse4.2)
  elseif(processor MATCHES "^(aarch64|arm64)$")
    set(levels scalar ${arm})
    set(foreign ${x86})
    set(memspan_crc32c_instruction_flags -march=armv8-a+crc)
  endif()
  foreach(unit IN LISTS foreign)
    list(FILTER sources EXCLUDE REGEX "/simd/${unit}\\.cpp$")
  endforeach()
  foreach(unit IN LISTS levels ITEMS crc32c_instruction)
    set_source_files_properties("${PROJECT_SOURCE_DIR}/cpp/src/simd/${unit}.cpp" PROPERTIES
      COMPILE_OPTIONS "-ffp-contract=off;${memspan_${unit}_flags};${memspan_kernel_flags}")
  endforeach()
  set(${list_name} ${sources} PARENT_SCOPE)
endfunction()
