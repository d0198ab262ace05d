#!/bin/sh
# Builds the suites of the kernels, with nothing else of the project, for a processor that this one is not, and runs them:
#
#   aarch64   with a cross compiler, in an emulator: once with the dot product instructions and once without
#   avx512    for this processor, with the instructions that it lacks done by SIMDe
#
#   tests/cpp/simd_emulated.sh aarch64|avx512 BOOST_INCLUDE_DIR [OUTPUT_DIR]
#
# CXX and EMULATOR name other programs than aarch64-linux-gnu-g++ or g++, and qemu-aarch64.
set -eu
target=$1
boost=$2
output=${3:-build/simd-$target}
cd "$(dirname "$0")/../.."
mkdir -p "$output"

flags="-std=c++20 -O2 -Wall -Wextra -Wconversion -Wshadow -Werror -Icpp/src -Icpp/include -Itests/cpp -isystem $boost"
objects=
compile() { # source, further flags
  object="$output/$(basename "$1" .cpp).o"
  objects="$objects $object"
  # shellcheck disable=SC2086
  $compiler $flags -c "$@" -o "$object"
}
kernels() { # unit, its instructions: as in cpp/cmake/MemspanSimd.cmake
  unit=$1
  shift
  compile "cpp/src/simd/$unit.cpp" -ffp-contract=off "$@"
}

case $target in
aarch64)
  compiler=${CXX:-aarch64-linux-gnu-g++}
  kernels neon
  kernels neon_dotprod -march=armv8.2-a+dotprod
  kernels crc32c_instruction -march=armv8-a+crc
  compile cpp/src/simd/dispatch.cpp
  ;;
avx512)  # What SIMDe makes of the kernels says nothing of how they are optimised, and takes the compiler a minute more.
  compiler=${CXX:-g++}
  kernels avx2 -mavx2 -mfma
  kernels avx2_vnni -mavx2 -mfma -mavxvnni
  for unit in avx512 avx512_vnni avx2_vnni512; do
    kernels $unit -Og -mavx2 -mfma -w -Wno-psabi -include tests/cpp/support/avx512_emulated.hpp
  done
  kernels crc32c_instruction -msse4.2
  compile cpp/src/simd/dispatch.cpp -DMEMSPAN_AVX_VNNI '-D__builtin_cpu_supports(feature)=1'
  ;;
esac
kernels scalar -O1
for source in cpp/src/simd/crc32c_table cpp/src/base/crc32c; do compile $source.cpp; done
# What simd_max_products lays its tokens out with.
for source in cpp/src/vectors/token_blocks cpp/src/base/huge_pages; do compile $source.cpp; done
# Every suite of the kernels, so that a new one cannot be left out.
suites=crc32c
for test in tests/cpp/simd_*test.cpp; do suites="$suites,$(basename "$test" _test.cpp)"; done
for suite in $(echo "$suites" | tr , ' '); do echo "#include \"${suite}_test.cpp\""; done >"$output/suites.cpp"
compile "$output/suites.cpp" -O1
compile tests/cpp/main.cpp -O0
# shellcheck disable=SC2086
$compiler -static $objects -o "$output/simd_tests"

run() { # levels, command
  levels=$1
  shift
  echo "$*"
  "$@" --run_test="$suites"
  for level in $levels; do MEMSPAN_SIMD=$level "$@" --run_test=simd_environment; done
}
case $target in
aarch64)
  for processor in max cortex-a53; do
    run "scalar neon avx2" "${EMULATOR:-qemu-aarch64}" -cpu "$processor" "$output/simd_tests"
  done
  ;;
avx512) run "scalar avx2 avx512 neon" "$output/simd_tests" ;;
esac
