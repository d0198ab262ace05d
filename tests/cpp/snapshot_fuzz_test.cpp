// Damaged snapshots whose checksums are right, so that the damage reaches the parsers behind them. Whatever is accepted
// must be an index on which everything works. Set MEMSPAN_FUZZ_ROUNDS for a longer run.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "memspan/error.hpp"
#include "support/sample_index.hpp"
#include "support/snapshot_parts.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(snapshot_fuzz)

constexpr size_t kDim = 3;
// Numbers that tend to break parsers: around zero, around sizes of types, and with special bits as floats.
void put_odd_number(std::string& bytes, std::mt19937& random) {
  static const uint64_t kOdd[] = {0, 1, 2, 3, 7, 63, 64, 65, 127, 128, 255, 512, 513, 0xFFFF, 0x7FFFFFFF, 0x80000000,
                                  0xFFFFFFFF, 0x100000000, 0x7FF0000000000000, 0x7FC00000, 0x3F800000, 0x1FFFFFFFFFFFFFFF,
                                  0x4000000000000000, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF};
  const uint64_t value = kOdd[random() % std::size(kOdd)];
  const size_t width = size_t{1} << (random() % 4);
  if (bytes.size() < width) return;
  std::memcpy(bytes.data() + random() % (bytes.size() - width + 1), &value, width);
}

void mutate(std::string& bytes, std::mt19937& random) {
  if (bytes.empty()) return;
  const size_t place = random() % bytes.size();
  const size_t length = std::min(bytes.size() - place, 1 + random() % 16);
  switch (random() % 7) {
    case 0: bytes[place] = static_cast<char>(random()); break;
    case 1: bytes[place] = static_cast<char>(bytes[place] ^ (1 << (random() % 8))); break;
    case 2: bytes.erase(place, length); break;
    case 3: bytes.insert(place, bytes.substr(random() % bytes.size(), length)); break;
    case 4: std::memmove(bytes.data() + place, bytes.data() + random() % (bytes.size() - length + 1), length); break;
    case 5: bytes[place] = static_cast<char>(bytes[place] + (random() % 2 == 0 ? 1 : -1)); break;
    default: put_odd_number(bytes, random); break;
  }
}

// The file with one of its parts damaged, under right checksums.
std::string damage(test::SnapshotParts parts, std::mt19937& random) {
  const size_t place = random() % parts.users.size();
  switch (random() % 40) {
    case 0: parts.users.erase(parts.users.begin() + static_cast<std::ptrdiff_t>(place)); break;
    case 1: parts.users.insert(parts.users.begin(), parts.users[place]); break;
    case 2: parts.users[place].summary[random() % 5] += 1; break;
    case 3:
    case 4:
    case 5: {
      test::SnapshotParts::Joined joined = parts.join();
      mutate(joined.directory, random);
      return test::SnapshotParts::seal(joined);
    }
    default: {
      // Heads hold nearly everything that can go wrong.
      auto& user = parts.users[place];
      std::string& part = random() % 4 == 0 && !user.body.empty() ? user.body : user.head;
      for (size_t count = 1 + random() % 3; count > 0; --count) mutate(part, random);
    }
  }
  return test::SnapshotParts::seal(parts.join());
}

// Calls everything that reads, and then writes that touch every structure.
void exercise(Index& index, const std::string& path) {
  index.stats();
  std::vector<std::string> users = index.users();
  for (const std::string& user : users) {
    index.stats(user);
    const std::vector<std::string> ids = index.ids(user);
    for (const std::string& id : ids) BOOST_REQUIRE(index.locate(user, id).has_value());
    for (const TagInfo& tag : index.tags(user)) BOOST_REQUIRE(tag.records <= ids.size());
    for (Query query : test::sample_queries(index.config().dim)) {
      query.user = user;
      const SearchResult result = index.search(query);
      for (const Hit& hit : result.hits) BOOST_REQUIRE(index.contains(user, hit.id));
    }
    const std::vector<float> vector(index.config().dim, 1.0f);
    for (const RouteMethod method : {RouteMethod::exact, RouteMethod::hnsw}) {
      for (const auto& [tag, score] : index.route(user, vector, 5, method)) BOOST_REQUIRE(std::abs(score) < 1.01f);
    }
  }
  index.save(path, "again");
  const auto again = Index::load(path);
  BOOST_REQUIRE(again->users() == users);
  BOOST_REQUIRE(again->size() == index.size());
  for (const std::string& user : users) {
    std::vector<std::string> ids = index.ids(user);
    for (size_t i = 0; i < ids.size(); i += 2) BOOST_REQUIRE(test::remove(index, user, {ids[i]}) == 1u);
    if (ids.size() > 1) test::add(index, {{.id = ids[1], .at = 3, .text = "opera", .tags = {"sky"}, .session = "s0", .user = user}});
    test::add(index, {{.id = "brand new", .at = 4, .text = "opera", .tags = {"t1"}, .session = "s1", .user = user}});
    BOOST_REQUIRE(index.search({.user = user, .text = "opera"}).hits.size() >= 1u);
    index.forget(user);
  }
  BOOST_REQUIRE(index.size() == 0u);
}

BOOST_AUTO_TEST_CASE(damage_behind_the_checksum_is_refused_or_harmless) {
  const char* wanted = std::getenv("MEMSPAN_FUZZ_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 3000;
  test::TemporaryDirectory directory;
  const std::string path = directory.file("index");
  const std::string copy = directory.file("copy");
  test::sample_index(14, kDim)->save(path, "stamp");
  const std::string file = test::read_bytes(path);
  const auto parts = test::SnapshotParts::split(file);
  BOOST_REQUIRE((test::SnapshotParts::seal(parts.join()) == file));
  BOOST_REQUIRE(parts.users.size() == 2u);

  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    BOOST_TEST_CONTEXT("seed " << round) {
      std::mt19937 random(static_cast<uint32_t>(round));
      test::write_bytes(path, damage(parts, random));
      try {
        const auto index = Index::load(path, {}, random() % 2 == 0);
        exercise(*index, copy);
        ++accepted;
      } catch (const CorruptSnapshot&) {
        continue;
      }
    }
  }
  // Both outcomes must be met often, or the mutations miss their aim.
  BOOST_TEST(accepted > rounds / 50);
  BOOST_TEST(accepted < rounds * 9 / 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
