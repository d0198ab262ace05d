// What is stored of one user, in a snapshot or for a compaction (snapshot/body.hpp).
//
//   head  := u64 records; i64 at of each; u64 bytes of each part; the parts
//   parts := their ids (base/id_table.hpp), timeline, attributes, uses and redundancies, lexical index and retired words
//            tags, vectors (see each)
//
// The parts of a large user are read at the same time, and take about as long: half of what opening it takes is building
// what they describe.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "index/user_columns.hpp"
#include "snapshot/body.hpp"

namespace memspan {

// Records are numbered anew in an image: slot i is what was slot live[i]. Dead slots are left out, and those with a
// vector come first.
std::vector<Slot> slots_of_image(const UserColumns& columns);
void save_columns(const UserColumns& columns, std::span<const Slot> live, ByteWriter& head, BodyWriter& body);

// Into empty columns, which must not be used after an exception. O(records), and reads nothing of the body.
void load_columns(ByteReader& in, const Body& body, UserColumns& columns);

// Checks what of a loaded body was not used yet. Throws CorruptSnapshot.
void verify_columns(const UserColumns& columns);

}  // namespace memspan
