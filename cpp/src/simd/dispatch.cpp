#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "simd/levels.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace memspan {

size_t supported_levels(SimdLevel (&levels)[kMaxSimdLevels]) {
  size_t count = 0;
  levels[count++] = {"scalar", &kScalarKernels};
#if defined(__x86_64__)
  // The compiler's check also asks whether the operating system saves the wide registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("sse4.2");
  if (avx2) levels[count++] = {"avx2", &kAvx2Kernels};
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    levels[count++] = {"avx512", &kAvx512Kernels};
  }
#elif defined(__aarch64__)
#if defined(__linux__)
  // CRC instructions are optional before ARMv8.1; every processor without them is also slow enough to stay scalar.
  if ((getauxval(AT_HWCAP) & HWCAP_CRC32) != 0) levels[count++] = {"neon", &kNeonKernels};
#else
  levels[count++] = {"neon", &kNeonKernels};
#endif
#endif
  return count;
}

namespace {

SimdLevel choose_level() {
  SimdLevel levels[kMaxSimdLevels];
  const size_t count = supported_levels(levels);
  const char* wanted = std::getenv("MEMSPAN_SIMD");
  if (wanted == nullptr || *wanted == '\0') return levels[count - 1];
  std::string names;
  for (size_t i = 0; i < count; ++i) {
    if (std::strcmp(levels[i].name, wanted) == 0) return levels[i];
    names += (i == 0 ? "" : ", ") + std::string(levels[i].name);
  }
  throw std::runtime_error("MEMSPAN_SIMD: got " + std::string(wanted) + "; accepted on this processor: " + names);
}

const SimdLevel& chosen_level() {
  static const SimdLevel level = choose_level();
  return level;
}

}  // namespace

const Kernels& kernels() { return *chosen_level().kernels; }

const char* simd_level() { return chosen_level().name; }

}  // namespace memspan
