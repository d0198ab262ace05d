#include "lexical/byte_chains.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <random>

namespace memspan {
namespace {

std::vector<uint8_t> random_bytes(std::mt19937& random) {
  std::vector<uint8_t> bytes(1 + random() % (random() % 20 == 0 ? 5000 : 90));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
  return bytes;
}

BOOST_AUTO_TEST_SUITE(byte_chains)

BOOST_AUTO_TEST_CASE(what_was_written_is_read_while_others_come_and_go) {
  std::mt19937 random(1);
  ByteChains chains;
  std::map<ByteChains::Chain, std::vector<uint8_t>> written;
  size_t bytes_at_half = 0;
  for (int step = 0; step < 40'000; ++step) {
    if (written.size() < 1500) {
      std::vector<uint8_t> bytes = random_bytes(random);
      const ByteChains::Chain chain = chains.write(bytes);
      BOOST_REQUIRE(written.emplace(chain, std::move(bytes)).second);
    } else {
      auto victim = written.lower_bound(static_cast<ByteChains::Chain>(random() % 20'000));
      if (victim == written.end()) victim = written.begin();
      ByteChains::Reader in(chains, victim->first);
      for (const uint8_t byte : victim->second) BOOST_REQUIRE(in.next() == byte);
      chains.release(victim->first);
      written.erase(victim);
    }
    if (step == 20'000) bytes_at_half = chains.bytes();
  }
  BOOST_TEST(chains.bytes() < bytes_at_half * 5 / 4);
}

BOOST_AUTO_TEST_CASE(an_empty_store_owns_nothing) { BOOST_TEST(ByteChains().bytes() == 0u); }

BOOST_AUTO_TEST_CASE(little_lies_idle) {
  constexpr size_t kCell = 32;
  constexpr size_t kChunk = 256 * kCell;
  const std::vector<uint8_t> two_cells(40, 1);
  ByteChains chains;
  for (size_t count = 1; count <= 3'000; ++count) {
    chains.write(two_cells);
    const size_t needed = 2 * kCell * count;
    const size_t pointers = 2 * 16 * (needed / kChunk + 1);
    BOOST_REQUIRE(chains.bytes() <= needed + (needed < kChunk ? needed / 2 + 4 * kCell : kChunk) + pointers);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
