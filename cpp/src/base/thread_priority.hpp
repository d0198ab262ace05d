// Threads that give way to others. Both take effect for the calling thread alone, until it ends, and where the system
// cannot (they are for Linux) it goes on as it is.
#pragma once

namespace memspan {

// Others go first where there are fewer cores than threads. It still gets its share, so that it may hold locks.
void lower_priority();

// It runs only where no other thread would: whichever wakes takes its core at once, and does not stand in a queue behind
// it. On a busy machine it may stand still for long, so it must hold no lock that others take.
void run_in_spare_time();

}  // namespace memspan
