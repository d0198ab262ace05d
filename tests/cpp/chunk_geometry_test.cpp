#include "vectors/chunk_geometry.hpp"

#include <boost/test/unit_test.hpp>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(chunk_geometry)

BOOST_AUTO_TEST_CASE(chunks_follow_each_other_without_a_gap) {
  size_t chunk = 0;
  size_t offset = 0;
  for (size_t i = 0; i < 50'000; ++i) {
    const auto place = ChunkGeometry::place(i);
    BOOST_REQUIRE(place.chunk == chunk);
    BOOST_REQUIRE(place.offset == offset);
    BOOST_REQUIRE(ChunkGeometry::chunks(i + 1) == chunk + 1);
    BOOST_REQUIRE(ChunkGeometry::capacity(chunk) + offset == i);
    if (++offset == ChunkGeometry::size(chunk)) {
      ++chunk;
      offset = 0;
    }
  }
  BOOST_TEST(ChunkGeometry::chunks(0) == 0u);
  BOOST_TEST(ChunkGeometry::size(0) == 1u);
  BOOST_TEST(ChunkGeometry::size(100) == 2048u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
