#!/bin/sh
# Builds the suites of the kernels for AArch64, with nothing else of the project, and runs them in an emulator: once on
# a processor with the dot product instructions and once on one without.
#
#   tests/cpp/simd_cross.sh BOOST_INCLUDE_DIR [OUTPUT_DIR]
#
# CXX and EMULATOR name other programs than aarch64-linux-gnu-g++ and qemu-aarch64.
set -eu
boost=$1
output=${2:-build/simd-cross}
compiler=${CXX:-aarch64-linux-gnu-g++}
emulator=${EMULATOR:-qemu-aarch64}
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

# As in cpp/cmake/MemspanSimd.cmake.
for unit in scalar neon; do compile "cpp/src/simd/$unit.cpp" -ffp-contract=off; done
compile cpp/src/simd/neon_dotprod.cpp -ffp-contract=off -march=armv8.2-a+dotprod
compile cpp/src/simd/crc32c_instruction.cpp -ffp-contract=off -march=armv8-a+crc
for source in cpp/src/simd/crc32c_table cpp/src/simd/dispatch cpp/src/base/crc32c; do compile $source.cpp; done
# What simd_max_products lays its tokens out with.
for source in cpp/src/vectors/token_blocks cpp/src/base/huge_pages; do compile $source.cpp; done
# Every suite of the kernels, so that a new one cannot be left out.
suites=crc32c
for test in tests/cpp/simd_*test.cpp; do suites="$suites,$(basename "$test" _test.cpp)"; done
for suite in $(echo "$suites" | tr , ' '); do compile "tests/cpp/${suite}_test.cpp"; done
compile tests/cpp/main.cpp -O0
# shellcheck disable=SC2086
$compiler -static $objects -o "$output/simd_tests"

for processor in max cortex-a53; do
  echo "$emulator -cpu $processor"
  $emulator -cpu $processor "$output/simd_tests" --run_test="$suites"
  for level in scalar neon avx2; do
    MEMSPAN_SIMD=$level $emulator -cpu $processor "$output/simd_tests" --run_test=simd_environment
  done
done
