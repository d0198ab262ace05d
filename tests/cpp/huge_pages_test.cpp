#include "base/huge_pages.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "support/amount.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(huge_pages)

using memspan::huge_pages::kLarge;
using memspan::huge_pages::kPage;
using memspan::huge_pages::kRegion;
using memspan::huge_pages::kWideRegion;
using memspan::huge_pages::serve;
using memspan::huge_pages::Stay;

// The largest piece that shares a region with others.
constexpr size_t kMostShared = kRegion - 2 * kPage;

struct Piece {
  unsigned char* bytes;
  size_t size;
  Stay stay;
  unsigned char mark;

  bool may_shrink() const { return stay == Stay::lasting && size < kLarge; }
  // Where it may lie: within one region, or at the address of one.
  bool is_in_place() const {
    const auto start = reinterpret_cast<uintptr_t>(bytes);
    if (size > kMostShared) return start % kRegion == 0;
    const size_t region = stay == Stay::lasting && size >= kLarge ? kWideRegion : kRegion;
    return start % kPage == 0 && start / region == (start + size - 1) / region;
  }

  void fill() const { std::memset(bytes, mark, size); }
  bool is_whole() const {
    for (size_t i = 0; i < size; ++i) {
      if (bytes[i] != mark) return false;
    }
    return true;
  }
};

size_t any_size(std::mt19937& random) {
  for (;;) {
    const size_t size = random() % 3 == 0 ? 1 + random() % (kRegion + kRegion / 2) : kPage * (1 + random() % 12);
    if (serve(size)) return size;
  }
}

// Pieces come and go; none may lie over another, and what is written to each must stay. Does it? Checks are for the caller: those
// of Boost.Test are not for several threads.
bool churn(unsigned seed, size_t steps, size_t most) {
  std::mt19937 random(seed);
  std::vector<Piece> pieces;
  std::map<uintptr_t, uintptr_t> taken;  // start and end of each
  bool right = true;
  const auto release = [&](size_t i) {
    const Piece piece = pieces[i];
    right &= piece.is_whole();
    taken.erase(reinterpret_cast<uintptr_t>(piece.bytes));
    memspan::huge_pages::free(piece.bytes, piece.size, piece.stay);
    pieces[i] = pieces.back();
    pieces.pop_back();
  };
  for (size_t step = 0; step < steps && right; ++step) {
    const bool growing = step / 200 % 2 == 0;
    if (pieces.size() < most && (pieces.empty() || random() % 10 < (growing ? 7u : 3u))) {
      const size_t size = any_size(random);
      const Stay stay = random() % 2 == 0 ? Stay::lasting : Stay::passing;
      const Piece piece = {static_cast<unsigned char*>(memspan::huge_pages::allocate(size, stay)), size, stay,
                           static_cast<unsigned char>(random())};
      const auto start = reinterpret_cast<uintptr_t>(piece.bytes);
      const auto after = taken.lower_bound(start);
      right &= piece.is_in_place();
      right &= after == taken.end() || start + size <= after->first;
      right &= after == taken.begin() || std::prev(after)->second <= start;
      taken.emplace(start, start + size);
      piece.fill();
      pieces.push_back(piece);
    } else if (Piece& piece = pieces[random() % pieces.size()]; random() % 4 == 0 && piece.may_shrink()) {
      const size_t kept = kPage * (1 + random() % ((piece.size + kPage - 1) / kPage));
      if (kept >= piece.size) continue;
      memspan::huge_pages::shrink(piece.bytes, piece.size, kept);
      piece.size = kept;
      const auto start = reinterpret_cast<uintptr_t>(piece.bytes);
      taken[start] = start + kept;
    } else {
      release(random() % pieces.size());
      if (random() % 64 == 0) memspan::huge_pages::trim();
    }
  }
  while (!pieces.empty()) release(0);
  return right;
}

BOOST_AUTO_TEST_CASE(pieces_lie_apart_and_keep_what_they_hold, *boost::unit_test::label("long_under_tsan")) {
  if (!serve(kPage)) return;  // a system or a build without
  for (unsigned seed = 0; seed < 3; ++seed) BOOST_TEST(churn(seed, 2000, 120));
}

BOOST_AUTO_TEST_CASE(threads_share_it) {
  if (!serve(kPage)) return;
  std::array<bool, 4> right = {};
  {
    std::vector<std::jthread> team;
    for (unsigned thread = 0; thread < right.size(); ++thread) {
      team.emplace_back([&right, thread] { right[thread] = churn(100 + thread, test::amount(600), 40); });
    }
  }
  for (const bool each : right) BOOST_TEST(each);
}

BOOST_AUTO_TEST_CASE(only_pieces_that_fit_well_are_served) {
  BOOST_TEST(!serve(0));
  BOOST_TEST(!serve(kPage - 1));
  BOOST_TEST(!serve(kPage + 1));
  BOOST_TEST(serve(kRegion) == serve(kPage));
  memspan::huge_pages::Allocator<uint32_t> allocator;
  for (const size_t count : {1, 1023, 1024, 1025, 100'000, 1'000'000}) {
    uint32_t* const numbers = allocator.allocate(count);
    std::fill_n(numbers, count, 7u);
    BOOST_TEST(numbers[count - 1] == 7u);
    allocator.deallocate(numbers, count);
  }
}

BOOST_AUTO_TEST_CASE(the_largest_piece_takes_a_region) {
  const size_t largest = kMostShared;
  if (!serve(largest)) return;
  void* const first = memspan::huge_pages::allocate(largest, Stay::passing);
  void* const second = memspan::huge_pages::allocate(largest, Stay::passing);
  BOOST_TEST(reinterpret_cast<uintptr_t>(first) / kRegion != reinterpret_cast<uintptr_t>(second) / kRegion);
  memspan::huge_pages::free(first, largest, Stay::passing);
  memspan::huge_pages::free(second, largest, Stay::passing);
}

// The system hands out pages of zeros, so that is what comes when the pages went back to it.
bool all_zero(const unsigned char* bytes, size_t size) {
  return std::all_of(bytes, bytes + size, [](unsigned char byte) { return byte == 0; });
}

BOOST_AUTO_TEST_CASE(the_pages_of_a_large_piece_that_passes_go_back_while_its_region_stays) {
  const size_t small = kPage;
  const size_t large = kRegion - 8 * kPage;
  if (!serve(small) || !serve(large)) return;
  const auto allocate = [](size_t size) {
    return static_cast<unsigned char*>(memspan::huge_pages::allocate(size, Stay::passing));
  };
  unsigned char* const piece = allocate(large);
  void* const beside = allocate(small);
  std::memset(piece, 7, large);
  memspan::huge_pages::free(piece, large, Stay::passing);
  unsigned char* const again = allocate(large);
  BOOST_TEST(again == piece);
  BOOST_TEST(all_zero(again, large));
  memspan::huge_pages::free(again, large, Stay::passing);
  memspan::huge_pages::free(beside, small, Stay::passing);
}

BOOST_AUTO_TEST_CASE(large_pieces_that_last_lie_end_to_end_and_whole_huge_pages_go_back) {
  constexpr size_t kSize = 300 * kPage;
  if (!serve(kSize)) return;
  memspan::huge_pages::trim();
  // 13 in a region, where single huge pages had room for 8.
  constexpr size_t kPieces = (kWideRegion - kPage) / kSize;
  static_assert(kPieces == 13);
  std::vector<unsigned char*> pieces;
  for (size_t i = 0; i < kPieces; ++i) {
    pieces.push_back(static_cast<unsigned char*>(memspan::huge_pages::allocate(kSize)));
    std::memset(pieces[i], static_cast<int>(1 + i), kSize);
  }
  std::sort(pieces.begin(), pieces.end());
  for (size_t i = 1; i < kPieces; ++i) BOOST_TEST(pieces[i] == pieces[i - 1] + kSize);
  BOOST_TEST(reinterpret_cast<uintptr_t>(pieces[0]) / kWideRegion == reinterpret_cast<uintptr_t>(pieces[12]) / kWideRegion);

  // Neighbours in any order: of what lies between the others, all whole huge pages come back as zeros, and the rest stays.
  const auto page = [](unsigned char* bytes) { return reinterpret_cast<uintptr_t>(bytes) / kRegion; };
  for (const size_t i : {5, 7, 6, 4}) memspan::huge_pages::free(pieces[i], kSize);
  unsigned char* const first = pieces[4];
  unsigned char* const end = pieces[7] + kSize;
  constexpr size_t kTogether = kRegion - 4 * kPage;
  auto* const fresh = static_cast<unsigned char*>(memspan::huge_pages::allocate(kTogether));
  BOOST_TEST(fresh == first);
  BOOST_TEST(!all_zero(fresh, kPage));
  for (unsigned char* byte = first; byte + kPage <= fresh + kTogether; byte += kPage) {
    const bool whole = page(byte) > page(first - 1) && page(byte) < page(end);
    BOOST_TEST(all_zero(byte, kPage) == whole);
  }
  memspan::huge_pages::free(fresh, kTogether);
  for (size_t i = 0; i < kPieces; ++i) {
    if (i >= 4 && i <= 7) continue;
    BOOST_TEST(std::all_of(pieces[i], pieces[i] + kSize, [&](unsigned char byte) { return byte == pieces[i][0]; }));
    memspan::huge_pages::free(pieces[i], kSize);
  }
}

BOOST_AUTO_TEST_CASE(what_passes_lies_apart_from_what_lasts) {
  if (!serve(kPage)) return;
  std::vector<std::pair<void*, Stay>> pieces;
  for (int i = 0; i < 64; ++i) {
    const Stay stay = i % 2 == 0 ? Stay::lasting : Stay::passing;
    pieces.emplace_back(memspan::huge_pages::allocate(4 * kPage, stay), stay);
  }
  std::map<uintptr_t, Stay> regions;
  for (const auto& [piece, stay] : pieces) {
    BOOST_TEST((regions.try_emplace(reinterpret_cast<uintptr_t>(piece) / kRegion, stay).first->second == stay));
  }
  for (const auto& [piece, stay] : pieces) memspan::huge_pages::free(piece, 4 * kPage, stay);
}

// A region that comes anew from the system holds zeros; the one that is kept for what comes next does not.
BOOST_AUTO_TEST_CASE(a_trim_gives_the_empty_regions_back) {
  if (!serve(kPage)) return;
  constexpr size_t kSize = 8 * kPage;
  for (const Stay stay : {Stay::lasting, Stay::passing}) {
    // So many that a region is theirs alone.
    std::vector<void*> pieces;
    for (int i = 0; i < 256; ++i) pieces.push_back(memspan::huge_pages::allocate(kSize, stay));
    for (void* const piece : pieces) std::memset(piece, 7, kSize);
    for (void* const piece : pieces) memspan::huge_pages::free(piece, kSize, stay);
    memspan::huge_pages::trim();
    pieces.clear();
    size_t fresh = 0;
    for (int i = 0; i < 256; ++i) {
      pieces.push_back(memspan::huge_pages::allocate(kSize, stay));
      const auto* const bytes = static_cast<const unsigned char*>(pieces.back());
      if (all_zero(bytes, kSize)) ++fresh;
    }
    BOOST_TEST(fresh >= 63u);  // a region's worth
    for (void* const piece : pieces) memspan::huge_pages::free(piece, kSize, stay);
  }
}

// Whoever makes a region waits for the first of its pages.
class Faults {
 public:
  long since() const { return now() - start_; }

 private:
  static long now() {
    rusage usage;
    ::getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
  }
  long start_ = now();
};

BOOST_AUTO_TEST_CASE(what_was_prepared_is_there_at_once) {
  if (!serve(kPage)) return;
  for (const auto& [stay, size] : {std::pair(Stay::lasting, 60 * kPage), std::pair(Stay::passing, 300 * kPage)}) {
    for (const bool prepared : {false, true}) {
      std::vector<void*> pieces;  // of which eight have room in a region, or one
      long faults = 0;
      for (int i = 0; i < 20; ++i) {
        if (prepared) memspan::huge_pages::prepare(size, stay);
        const Faults counted;
        pieces.push_back(memspan::huge_pages::allocate(size, stay));
        faults += counted.since();
      }
      BOOST_TEST((faults == 0) == prepared);
      for (void* const piece : pieces) memspan::huge_pages::free(piece, size, stay);
      memspan::huge_pages::trim();
    }
  }
  memspan::huge_pages::prepare(2 * kRegion, Stay::lasting);  // has a mapping of its own: nothing to do
  memspan::huge_pages::prepare(kLarge, Stay::lasting);       // is not made where anybody waits
}

BOOST_AUTO_TEST_CASE(regions_are_replenished_before_they_are_full) {
  if (!serve(kPage)) return;
  constexpr size_t kPieces = 3 * kRegion / kPage;
  for (const bool replenished : {false, true}) {
    std::vector<void*> pieces;
    long faults = 0;
    for (size_t i = 0; i < kPieces; ++i) {
      const size_t size = kPage << i % 3;
      const Faults counted;
      pieces.push_back(memspan::huge_pages::allocate(size, Stay::passing));
      if (i > 0) faults += counted.since();
      if (replenished) memspan::huge_pages::replenish();
    }
    BOOST_TEST((faults == 0) == replenished);
    for (size_t i = 0; i < kPieces; ++i) memspan::huge_pages::free(pieces[i], kPage << i % 3, Stay::passing);
    memspan::huge_pages::trim();
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
