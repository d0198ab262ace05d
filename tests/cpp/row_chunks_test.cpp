#include "vectors/row_chunks.hpp"

#include <boost/test/unit_test.hpp>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(row_chunks)

BOOST_AUTO_TEST_CASE(chunks_follow_each_other_without_a_gap) {
  for (const size_t row_bytes : {0u, 1u, 4u, 64u, 768u, 1536u, 3000u, 4096u, 6144u, 12288u, 24576u, 30000u, 262144u, 5'000'000u}) {
    BOOST_TEST_CONTEXT("bytes of a row: " << row_bytes) {
      const RowChunks chunks(row_bytes);
      size_t wrong = 0;
      size_t chunk = 0;
      size_t offset = 0;
      for (size_t row = 0; row < 100'000; ++row) {
        const auto place = chunks.place(row);
        wrong += place.chunk != chunk || place.offset != offset || chunks.capacity(chunk) + offset != row;
        if (++offset == chunks.size(chunk)) {
          ++chunk;
          offset = 0;
        }
      }
      BOOST_TEST(wrong == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(few_rows_lie_idle) {
  for (const size_t row_bytes : {256u, 768u, 1536u, 4096u, 6144u}) {
    BOOST_TEST_CONTEXT("bytes of a row: " << row_bytes) {
      const RowChunks chunks(row_bytes);
      BOOST_TEST(chunks.size(0) == 1u);
      constexpr size_t kLeast = 24 << 10;  // bytes
      for (size_t chunk = 0; chunks.capacity(chunk) < 10 * chunks.large_rows(); ++chunk) {
        const size_t before = chunks.capacity(chunk);
        const size_t size = chunks.size(chunk);
        if (chunks.is_large(chunk)) {
          BOOST_REQUIRE(size == chunks.large_rows());
          BOOST_REQUIRE(size <= before / 8);
        } else if (size * row_bytes > kLeast) {
          BOOST_REQUIRE(size <= before / 16);
        } else {
          BOOST_REQUIRE(size <= std::max<size_t>(before, 1));
        }
      }
    }
  }
}

// Pieces of up to 2 MB share regions of one huge page, in which some of more than 100 kB would leave much idle.
BOOST_AUTO_TEST_CASE(chunks_fit_into_huge_pages) {
  constexpr size_t kHugePage = 2 << 20;
  for (const size_t row_bytes : {64u, 256u, 768u, 1536u, 3072u, 4096u, 6144u, 12288u}) {
    BOOST_TEST_CONTEXT("bytes of a row: " << row_bytes) {
      const RowChunks chunks(row_bytes);
      size_t chunk = 0;
      for (; !chunks.is_large(chunk); ++chunk) BOOST_REQUIRE(chunks.size(chunk) * row_bytes <= RowChunks::kSoonMoved);
      const size_t bytes = chunks.size(chunk) * row_bytes;
      BOOST_TEST(bytes >= kHugePage);
      BOOST_TEST(bytes < 2 * kHugePage);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
