// Damaged snapshots whose checksums are right, so that the damage reaches the parsers behind them. Whatever is accepted
// must be an index on which everything works. Set MEMSPAN_FUZZ_ROUNDS for a longer run.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "base/crc32c.hpp"
#include "memspan/error.hpp"
#include "support/sample_index.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {

constexpr size_t kDim = 3;
constexpr size_t kFileHeader = 12;   // magic and version
constexpr size_t kBlockHeader = 12;  // type and size

template <typename T>
T read_at(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

struct Block {
  uint32_t type;
  std::string content;
};

std::vector<Block> split(const std::string& file) {
  std::vector<Block> blocks;
  for (size_t offset = kFileHeader; offset < file.size();) {
    const auto size = read_at<uint64_t>(file, offset + 4);
    blocks.push_back({read_at<uint32_t>(file, offset), file.substr(offset + kBlockHeader, size)});
    offset += kBlockHeader + size + sizeof(uint32_t);
  }
  return blocks;
}

std::string join(const std::string& header, const std::vector<Block>& blocks) {
  std::string file = header;
  for (const Block& block : blocks) {
    const size_t start = file.size();
    append(file, block.type);
    append<uint64_t>(file, block.content.size());
    file += block.content;
    append(file, crc32c(std::string_view(file).substr(start)));
  }
  return file;
}

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

void mutate(std::vector<Block>& blocks, std::mt19937& random) {
  const size_t place = random() % blocks.size();
  switch (random() % 40) {
    case 0: blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(place)); break;
    case 1: blocks.insert(blocks.begin(), blocks[place]); break;
    case 2: blocks.push_back(blocks[place]); break;
    case 3: blocks[place].type = static_cast<uint32_t>(random() % 5); break;
    default: {
      // Users' blocks hold nearly everything that can go wrong.
      Block& block = random() % 8 == 0 ? blocks[place] : blocks[std::min<size_t>(1 + random() % 2, blocks.size() - 1)];
      for (size_t count = 1 + random() % 3; count > 0; --count) mutate(block.content, random);
    }
  }
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

BOOST_AUTO_TEST_SUITE(snapshot_fuzz)

BOOST_AUTO_TEST_CASE(damage_behind_the_checksum_is_refused_or_harmless) {
  const char* wanted = std::getenv("MEMSPAN_FUZZ_ROUNDS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 3000;
  test::TemporaryDirectory directory;
  const std::string path = directory.file("index");
  const std::string copy = directory.file("copy");
  test::sample_index(14, kDim)->save(path, "stamp");
  const std::string file = test::read_bytes(path);
  const std::string header = file.substr(0, kFileHeader);
  const std::vector<Block> blocks = split(file);
  BOOST_REQUIRE((join(header, blocks) == file));
  BOOST_REQUIRE(blocks.size() == 4u);  // config, two users, end

  int accepted = 0;
  for (int round = 0; round < rounds; ++round) {
    BOOST_TEST_CONTEXT("seed " << round) {
      std::mt19937 random(static_cast<uint32_t>(round));
      std::vector<Block> damaged = blocks;
      mutate(damaged, random);
      test::write_bytes(path, join(header, damaged));
      std::unique_ptr<Index> index;
      try {
        index = Index::load(path);
      } catch (const CorruptSnapshot&) {
        continue;
      }
      ++accepted;
      exercise(*index, copy);
    }
  }
  // Both outcomes must be met often, or the mutations miss their aim.
  BOOST_TEST(accepted > rounds / 50);
  BOOST_TEST(accepted < rounds * 9 / 10);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
