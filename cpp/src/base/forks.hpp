// Whether this process has been forked: to know later what another process has come to share since.
//
// Thread safety: may be called by any thread at any time, also after a fork.
#pragma once

#include <cstdint>

namespace memspan {

// Grows with each fork since the first call, in this process and, before it was, in its parents: before the fork and
// after it, on both sides. Handlers before a fork run in the reverse order of their registration: whoever has some that
// wait for threads calls this before these are registered, so that no thread makes anything between this and the fork.
uint64_t forks();

}  // namespace memspan
