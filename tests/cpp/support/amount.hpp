// How much of the same a test tries.
#pragma once

#include <cstddef>

namespace memspan::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// So many rounds, queries or records, a quarter of them under AddressSanitizer or ThreadSanitizer: each takes some thirty
// times as long there, and a wrong access shows in the first few, where a wrong answer may take many.
constexpr size_t amount(size_t count) { return kSanitized ? count / 4 : count; }

}  // namespace memspan::test
