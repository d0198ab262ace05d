#include <cstdlib>
#include <cstring>
#include <string>

#include "memspan/error.hpp"
#include "simd/levels.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace memspan {

namespace {

#if defined(__x86_64__)
// From CPUID itself: compilers learnt the name of this feature at different times.
bool has_avx_vnni() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & (1u << 4)) != 0;
}
#endif

}  // namespace

size_t supported_levels(SimdLevel (&levels)[kMaxSimdLevels]) {
  size_t count = 0;
  const auto add = [&](const char* name, const char* variant, const Kernels& kernels) {
    levels[count++] = {name, variant, &kernels};
  };
  add("scalar", "", kScalarKernels);
#if defined(__x86_64__)
  // The compiler's check also asks whether the operating system saves the wide registers.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("sse4.2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool avx512_vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (avx2) add("avx2", "", kAvx2Kernels);
#if defined(MEMSPAN_AVX_VNNI)
  if (avx2 && has_avx_vnni()) add("avx2", "vnni", kAvx2VnniKernels);
#endif
  if (avx512_vnni) add("avx2", "vnni512", kAvx2Vnni512Kernels);
  if (avx512) add("avx512", "", kAvx512Kernels);
  if (avx512_vnni) add("avx512", "vnni", kAvx512VnniKernels);
#elif defined(__aarch64__)
  bool neon = true;
  bool dotprod = true;
#if defined(__linux__)
  // CRC instructions are optional before ARMv8.1; every processor without them is also slow enough to stay scalar.
  neon = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  dotprod = neon && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#endif
  if (neon) add("neon", "", kNeonKernels);
  if (dotprod) add("neon", "dotprod", kNeonDotprodKernels);
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
  for (size_t i = count; i-- > 0;) {
    if (std::strcmp(levels[i].name, wanted) == 0) return levels[i];
    const bool first_variant = i == 0 || std::strcmp(levels[i].name, levels[i - 1].name) != 0;
    if (first_variant) names = levels[i].name + (names.empty() ? "" : ", " + names);
  }
  throw InvalidArgument("MEMSPAN_SIMD", wanted, names + " on this processor");
}

const SimdLevel& chosen_level() {
  static const SimdLevel level = choose_level();
  return level;
}

}  // namespace

const Kernels& kernels() { return *chosen_level().kernels; }

const char* simd_level() { return chosen_level().name; }

}  // namespace memspan
