// How often this process has been forked: to know later what another process has come to share since.
//
// Thread safety: may be called by any thread at any time, also after a fork.
#pragma once

#include <cstdint>

namespace memspan {

// Forks since the first call, in this process and, before it was, in its parents. Grows just before each fork, so that both
// sides see it.
uint64_t forks();

}  // namespace memspan
