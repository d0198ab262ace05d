// How much of the same a test tries.
#pragma once

#include <cstddef>

namespace memspan::test {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

// So many rounds, queries or records, a quarter of them under AddressSanitizer: each takes some thirty times as long there,
// and a wrong access shows in the first few, where a wrong answer may take many.
constexpr size_t amount(size_t count) { return kAddressSanitizer ? count / 4 : count; }

}  // namespace memspan::test
