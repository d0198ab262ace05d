// Users who leave memory and come back.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <random>
#include <set>

#include "index/user_table.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/error.hpp"
#include "support/records.hpp"
#include "support/sample_index.hpp"
#include "support/snapshot_parts.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(residency)

using test::same_hits;

constexpr size_t kDim = 8;
constexpr size_t kUsers = 40;

std::string user_name(size_t u) { return "user " + std::to_string(u); }

// Puts the same records into both.
void write(Index& a, Index& b, std::mt19937& random) {
  std::vector<test::Item> items(1 + random() % 5);
  for (test::Item& item : items) {
    item.user = user_name(random() % kUsers);
    item.id = "r" + std::to_string(random() % 30) + "." + std::to_string(&item - items.data());
    item.at = static_cast<Micros>(random() % 100);
    item.text = "opera word" + std::to_string(random() % 9);
    item.tags = {"t" + std::to_string(random() % 4)};
    item.embedding = test::random_vector(kDim, random);
    item.session = "s" + std::to_string(random() % 3);
  }
  test::add(a, items);
  test::add(b, items);
}

void check_same_answers(const Index& a, const Index& b, std::mt19937& random) {
  Query query{.user = user_name(random() % kUsers), .text = "opera word1", .embedding = test::random_vector(kDim, random),
              .tags = {"t1"}, .k = 5, .neighbors = 1};
  BOOST_REQUIRE(same_hits(a.search(query), b.search(query)));
}

struct Fixture {
  test::TemporaryDirectory directory;
  Residency residency{.max_bytes = 60'000, .spill_directory = directory.file(".")};
  Index limited{IndexConfig{.dim = kDim}, residency};
  Index unlimited{IndexConfig{.dim = kDim}};
  std::mt19937 random{7};
};

BOOST_FIXTURE_TEST_CASE(answers_do_not_depend_on_who_is_in_memory, Fixture) {
  for (int step = 0; step < 1500; ++step) {
    const std::string user = user_name(random() % kUsers);
    switch (random() % 8) {
      case 0:
      case 1: write(limited, unlimited, random); break;
      case 2: {
        const std::vector<std::string> ids = unlimited.ids(user);
        BOOST_REQUIRE((limited.ids(user) == ids));
        if (!ids.empty()) BOOST_REQUIRE(test::remove(limited, user, {ids[0]}) == test::remove(unlimited, user, {ids[0]}));
        break;
      }
      case 3: BOOST_REQUIRE(limited.relate(user, "all", "t1") == unlimited.relate(user, "all", "t1")); break;
      case 4:
        if (random() % 8 == 0) BOOST_REQUIRE(limited.forget(user) == unlimited.forget(user));
        break;
      case 5:
        if (random() % 4 == 0) limited.consolidate(user, true), unlimited.consolidate(user, true);
        break;
      default: check_same_answers(limited, unlimited, random);
    }
    BOOST_REQUIRE(limited.size() == unlimited.size());
  }
  BOOST_TEST((limited.users() == unlimited.users()));
  const IndexStats stats = limited.stats();
  const IndexStats expected = unlimited.stats();
  BOOST_TEST((stats.users == expected.users && stats.records == expected.records && stats.terms == expected.terms &&
              stats.tags == expected.tags && stats.embeddings == expected.embeddings && stats.relations == expected.relations));
  BOOST_TEST(stats.resident_users < expected.resident_users / 2);
  BOOST_TEST(stats.bytes < expected.bytes / 2);
  BOOST_TEST(directory.entries() == 0u);  // what is spilled has no name
}

BOOST_FIXTURE_TEST_CASE(a_snapshot_holds_those_who_are_away_too, Fixture) {
  for (int i = 0; i < 300; ++i) write(limited, unlimited, random);
  const std::string path = directory.file("index");
  limited.save(path, "");
  const auto loaded = Index::load(path, residency);
  BOOST_TEST(loaded->stats().resident_users == 0u);
  BOOST_TEST(loaded->size() == unlimited.size());
  for (int i = 0; i < 200; ++i) {
    check_same_answers(*loaded, unlimited, random);
    write(*loaded, unlimited, random);
    BOOST_REQUIRE(loaded->size() == unlimited.size());
  }
  loaded->save(path, "");
  const auto again = Index::load(path, {}, true);
  for (int i = 0; i < 200; ++i) check_same_answers(*again, unlimited, random);
  BOOST_TEST((again->users() == unlimited.users()));
}

// Who did not change since it was loaded needs no place to be put away.
BOOST_FIXTURE_TEST_CASE(unchanged_users_are_not_written, Fixture) {
  for (int i = 0; i < 300; ++i) write(limited, unlimited, random);
  unlimited.save(directory.file("index"), "");
  std::filesystem::create_directory(directory.file("gone"));
  const auto loaded = Index::load(directory.file("index"), {.max_bytes = 60'000, .spill_directory = directory.file("gone")});
  std::filesystem::remove(directory.file("gone"));
  for (int i = 0; i < 300; ++i) check_same_answers(*loaded, unlimited, random);
  BOOST_TEST(loaded->stats().resident_users < kUsers / 2);
}

BOOST_FIXTURE_TEST_CASE(a_place_to_put_them_is_there_from_the_start, Fixture) {
  const IndexConfig config{.dim = kDim};
  const auto names_it = [](const InvalidArgument& error) {
    return std::string(error.what()).starts_with("spill_directory: got '") &&
           std::string(error.what()).find("No such file or directory; accepted: ") != std::string::npos;
  };
  const Residency missing{.max_bytes = 1, .spill_directory = directory.file("missing")};
  BOOST_CHECK_EXCEPTION(Index(config, missing), InvalidArgument, names_it);
  unlimited.save(directory.file("index"), "");
  BOOST_CHECK_EXCEPTION(Index::load(directory.file("index"), missing), InvalidArgument, names_it);
  BOOST_CHECK_THROW(Index(config, {.max_bytes = 1, .spill_directory = directory.file("index")}), InvalidArgument);
  const Index without_a_limit(config, {.spill_directory = directory.file("missing")});
  BOOST_TEST(directory.entries() == 1u);
}

BOOST_FIXTURE_TEST_CASE(when_they_cannot_be_written_users_stay, Fixture) {
  std::filesystem::create_directory(directory.file("gone"));
  Index index(IndexConfig{.dim = kDim}, {.max_bytes = 1, .spill_directory = directory.file("gone")});
  std::filesystem::remove(directory.file("gone"));
  for (int i = 0; i < 100; ++i) write(index, unlimited, random);
  BOOST_TEST(index.stats().resident_users == unlimited.stats().resident_users);
  BOOST_TEST(index.stats().failed_spills > 0u);
  for (int i = 0; i < 100; ++i) check_same_answers(index, unlimited, random);
}

BOOST_FIXTURE_TEST_CASE(who_is_asked_for_again_and_again_stays, Fixture) {
  UserTable table(kDim, {.max_bytes = 20 * sizeof(UserIndex), .spill_directory = directory.file(".")});
  const UserIndex* const favourite = table.find_or_create("favourite").get();
  for (int i = 0; i < 500; ++i) {
    const std::string name = user_name(static_cast<size_t>(i));
    table.count_if_due(name, [&] {
      const UserTable::User user = table.find_or_create(name);
      user->relate("a", "b");
      return user;
    }());
    BOOST_REQUIRE(table.find("favourite").get() == favourite);
  }
  size_t resident = 0;
  for (const UserTable::Entry& entry : table.all()) resident += entry.user != nullptr;
  BOOST_TEST(resident < 25u);
  BOOST_TEST(table.size() == 501u);
  BOOST_TEST(table.take(user_name(0)).image->summary().tags == 2u);
}

BOOST_FIXTURE_TEST_CASE(the_least_recently_used_leave_first, Fixture) {
  UserTable table(kDim, {.max_bytes = 8 * sizeof(UserIndex), .spill_directory = directory.file(".")});
  std::vector<std::string> used;  // the last one last
  size_t left = 0;
  for (int step = 0; step < 3000; ++step) {
    const std::string name = user_name(random() % kUsers);
    switch (random() % 8) {
      case 0: {
        const UserTable::User user = table.find_or_create(name);
        user->relate("a", std::to_string(step));
        table.count_if_due(name, user);
        break;
      }
      case 1: table.take(name); break;
      case 2:
        if (!table.try_visit(name, [](const UserIndex&) { return true; })) continue;
        break;
      default: table.find(name);
    }
    std::erase(used, name);
    used.push_back(name);
    std::set<std::string> resident, away;
    for (const UserTable::Entry& entry : table.all()) (entry.user ? resident : away).insert(entry.name);
    left += away.size();
    const auto others = std::find_if(used.rbegin(), used.rend(), [&](const std::string& each) { return away.contains(each); });
    for (auto each = others; each != used.rend(); ++each) BOOST_REQUIRE(!resident.contains(*each));
  }
  BOOST_TEST(left > 1000u);
}

BOOST_FIXTURE_TEST_CASE(whoever_is_in_a_call_stays, Fixture) {
  UserTable table(kDim, {.max_bytes = 4 * sizeof(UserIndex), .spill_directory = directory.file(".")});
  std::vector<UserTable::User> held;
  for (size_t i = 0; i < 200; ++i) {
    held.push_back(table.find_or_create(user_name(i)));
    held.back()->relate("a", "b");
    table.count_if_due(user_name(i), held.back());
  }
  const auto resident = [&] {
    size_t count = 0;
    for (const UserTable::Entry& entry : table.all()) count += entry.user != nullptr;
    return count;
  };
  BOOST_TEST(resident() == 200u);
  held.resize(150);
  for (size_t i = 0; i < 150; ++i) BOOST_REQUIRE(table.find(user_name(i)) == held[i]);
  table.find_or_create("another")->relate("a", "b");
  table.count_if_due("another", table.find("another"));
  BOOST_TEST(resident() <= 152u);
}

// Else a batch of many users would pass over all of them after each of its writes.
BOOST_FIXTURE_TEST_CASE(who_makes_room_looks_at_some_of_those_who_are_held, Fixture) {
  UserTable table(kDim, {.max_bytes = 1, .spill_directory = directory.file(".")});
  std::vector<UserTable::User> held;
  for (size_t i = 0; i < 3000; ++i) held.push_back(table.find_or_create(user_name(i)));
  std::vector<uint64_t> filed;
  for (const UserTable::User& user : held) filed.push_back(user->last_use());
  held[0]->relate("a", "b");
  table.count_if_due(user_name(0), held[0]);
  size_t met = 0;
  for (size_t i = 0; i < held.size(); ++i) met += held[i]->last_use() != filed[i];
  BOOST_TEST(met > 0u);
  BOOST_TEST(met <= 256u);
}

// Everything of those who come back from a file counts, so that the limit holds for them too.
struct LargeUsers : Fixture {
  static constexpr size_t kLarge = 256;
  static constexpr size_t kLimit = 1 << 20;
  const Residency few{.max_bytes = kLimit, .spill_directory = directory.file(".")};

  void fill(Index& index, size_t u) {
    std::vector<test::Item> items(60);
    for (size_t i = 0; i < items.size(); ++i) {
      items[i] = {.id = "r" + std::to_string(i), .at = static_cast<Micros>(i), .text = "opera", .user = user_name(u)};
      items[i].embedding = test::random_vector(kLarge, random);
    }
    test::add(index, items);
  }
};

BOOST_FIXTURE_TEST_CASE(who_came_back_counts_as_before, LargeUsers) {
  Index index(IndexConfig{.dim = kLarge}, few);
  for (size_t u = 0; u < kUsers; ++u) fill(index, u);
  for (int round = 0; round < 3; ++round) {
    for (size_t u = 0; u < kUsers; ++u) {
      BOOST_REQUIRE(index.search({.user = user_name(u), .text = "opera", .k = 1}).hits.size() == 1u);
    }
    const IndexStats stats = index.stats();
    BOOST_TEST(stats.bytes < kLimit + 100'000);  // and the table
    BOOST_TEST(stats.mapped_bytes == 0u);
    BOOST_TEST(stats.resident_users < kUsers / 2);
  }
}

// What is written to the rows of a snapshot is memory of the process.
BOOST_FIXTURE_TEST_CASE(rows_of_a_snapshot_count_when_they_are_written_to, LargeUsers) {
  Index whole(IndexConfig{.dim = kLarge});
  for (size_t u = 0; u < kUsers; ++u) fill(whole, u);
  whole.save(directory.file("index"), "");
  const auto index = Index::load(directory.file("index"), few);
  for (size_t u = 0; u < kUsers; ++u) index->ids(user_name(u));
  const IndexStats read = index->stats();
  BOOST_TEST(read.resident_users == kUsers);
  BOOST_TEST(read.mapped_bytes >= kUsers * 60 * kLarge * 5);
  fill(*index, 0);
  BOOST_TEST(index->stats(user_name(0))->bytes > 60 * kLarge * sizeof(float));
  BOOST_TEST(index->stats(user_name(0))->mapped_bytes < 60 * kLarge);
  for (size_t u = 0; u < kUsers; ++u) fill(*index, u);
  BOOST_TEST(index->stats().bytes < kLimit + 100'000);
  BOOST_TEST(index->stats().resident_users < kUsers / 2);
}

// A user too large to be read as a whole is mapped, and what it lies in stays while somebody uses it.
BOOST_FIXTURE_TEST_CASE(a_call_in_progress_keeps_a_user_who_was_forgotten, Fixture) {
  constexpr size_t kLarge = 512;
  UserTable table(kLarge, {.max_bytes = 1, .spill_directory = directory.file(".")});
  std::vector<float> vector(kLarge, 1.0f);
  const auto fill = [&](const std::string& name, size_t records) {
    const UserTable::User user = table.find_or_create(name);
    for (size_t i = 0; i < records; ++i) {
      const std::string id = "r" + std::to_string(i);
      UserIndex::NewRecord record{{.id = id, .at = static_cast<Micros>(i), .embedding = vector}, {}, {}, IdTable::hash(id)};
      user->add({&record, 1}, Analyzer(AnalyzerKind::simple));
    }
    return user;
  };
  fill("large", 3000);
  for (int i = 0; i < 2; ++i) table.count_if_due("other", fill("other", 60));
  const UserTable::User user = table.find("large");
  BOOST_REQUIRE(user->mapped_bytes() > size_t{4} << 20);
  BOOST_TEST((table.take("large").user == user));
  user->verify();
}

BOOST_FIXTURE_TEST_CASE(uses_that_were_taken_do_not_come_back, Fixture) {
  Index index(IndexConfig{.dim = kDim}, {.max_bytes = 1, .spill_directory = directory.file(".")});
  index.track_uses();
  for (const char* user : {"ana", "bob"}) test::add(index, {{.id = "r", .text = "opera", .user = user}});
  const auto leave = [&] {
    for (int i = 0; i < 2; ++i) index.ids("bob");
  };
  uint32_t taken = 0;
  for (int round = 0; round < 3; ++round) {
    index.search({.user = "ana", .text = "opera"});
    for (int i = 0; i < 3; ++i) {
      leave();
      for (const uint32_t count : index.take_uses("ana").counts) taken += count;
    }
  }
  BOOST_TEST(taken == 3u);
}

// Their uses wait beside the image in the snapshot, which goes on to serve.
BOOST_FIXTURE_TEST_CASE(who_was_only_searched_is_not_written, Fixture) {
  for (int i = 0; i < 300; ++i) write(limited, unlimited, random);
  unlimited.save(directory.file("index"), "");
  std::filesystem::create_directory(directory.file("gone"));
  const auto loaded = Index::load(directory.file("index"), {.max_bytes = 60'000, .spill_directory = directory.file("gone")});
  std::filesystem::remove(directory.file("gone"));
  loaded->track_uses();
  const auto taken_of = [](const Index& index) {
    size_t taken = 0;
    for (size_t u = 0; u < kUsers; ++u) {
      for (const uint32_t count : index.take_uses(user_name(u)).counts) taken += count;
    }
    return taken;
  };
  size_t used = 0;
  for (int round = 0; round < 3; ++round) {
    for (size_t u = 0; u < kUsers; ++u) used += loaded->search({.user = user_name(u), .text = "opera word1", .k = 3}).hits.size();
  }
  BOOST_TEST(used > 300u);
  BOOST_TEST(loaded->stats().failed_spills == 0u);
  BOOST_TEST(loaded->stats().resident_users < kUsers / 2);
  loaded->save(directory.file("copy"), "");
  const auto copy = Index::load(directory.file("copy"), {}, true);
  copy->track_uses();
  BOOST_TEST(taken_of(*copy) == used);
  BOOST_TEST(taken_of(*loaded) == used);
  BOOST_TEST(taken_of(*loaded) == 0u);
  write(*loaded, unlimited, random);
  BOOST_TEST((loaded->size() == unlimited.size()));
}

BOOST_FIXTURE_TEST_CASE(tags_alone_count_too, Fixture) {
  for (int u = 0; u < 300; ++u) {
    const std::string user = "u" + std::to_string(u);
    limited.set_tag_embedding(user, "opera", test::random_vector(kDim, random));
    limited.relate(user, "music", "opera");
  }
  BOOST_TEST(limited.stats().resident_users < 100u);
  for (int t = 0; t < 2000; ++t) limited.set_tag_embedding("u1", "tag" + std::to_string(t), test::random_vector(kDim, random));
  limited.ids("u2");
  for (int t = 0; t < 2; ++t) limited.set_tag_embedding("u3", "opera", test::random_vector(kDim, random));
  BOOST_TEST(limited.stats().resident_users < 10u);  // the large one made the others leave
  BOOST_TEST(limited.tags("u1").size() == 2002u);
  BOOST_TEST(limited.tags("u299").size() == 2u);
}

// Searches alone make a user larger, when they give fields of the metadata columns.
BOOST_FIXTURE_TEST_CASE(columns_of_fields_count_when_they_are_made, Fixture) {
  const auto fill = [&](Index& index) {
    for (const char* user : {"ana", "bo"}) {
      std::vector<test::Item> items(4000);
      for (size_t i = 0; i < items.size(); ++i) {
        items[i] = {.id = "r" + std::to_string(i), .at = static_cast<Micros>(i), .text = "opera", .user = user};
        items[i].metadata = R"({"day": )" + std::to_string(i % 50) + "}";
      }
      test::add(index, items);
    }
  };
  fill(unlimited);
  const size_t before = unlimited.stats("bo")->bytes;
  const size_t columns = 4000 * sizeof(uint64_t);
  Index index(IndexConfig{.dim = kDim}, {.max_bytes = 2 * before + columns / 2, .spill_directory = directory.file(".")});
  fill(index);
  BOOST_TEST(index.stats().resident_users == 2u);
  Query query{.user = "bo", .k = 5000};
  query.where = R"({"day": {"$lt": 10}})";
  BOOST_TEST(index.search(query).hits.size() == 800u);
  BOOST_TEST(index.stats("bo")->bytes >= before + columns);
  BOOST_TEST(index.stats().resident_users == 1u);
}

// Two users of a snapshot, with room for what they take when they are read, and not for much more.
struct TwoOfASnapshot : Fixture {
  static constexpr size_t kLarge = 256;
  static constexpr size_t kRecords = 600;
  const std::vector<std::string> names = {"ana", "bo"};
  const std::string path = directory.file("index");

  std::unique_ptr<Index> load() {
    Index whole(IndexConfig{.dim = kLarge});
    for (const std::string& name : names) {
      std::vector<test::Item> items(kRecords);
      for (size_t i = 0; i < items.size(); ++i) {
        items[i] = {.id = "r" + std::to_string(i), .at = static_cast<Micros>(i), .text = "opera word" + std::to_string(i % 50), .user = name};
        items[i].tags = {"t" + std::to_string(i % 40)};
        items[i].embedding = test::random_vector(kLarge, random);
      }
      test::add(whole, items);
    }
    whole.save(path, "");
    const auto read = Index::load(path);
    size_t bytes = 0;
    for (const std::string& name : names) bytes += read->stats(name)->bytes;
    return Index::load(path, {.max_bytes = bytes + 5'000, .spill_directory = directory.file(".")});
  }
  size_t resident(Index& index) {
    for (const std::string& name : names) index.ids(name);
    return index.stats().resident_users;
  }
};

BOOST_FIXTURE_TEST_CASE(counts_of_uses_are_memory, TwoOfASnapshot) {
  const auto index = load();
  index->track_uses();
  BOOST_TEST(resident(*index) == 1u);
}

BOOST_FIXTURE_TEST_CASE(what_a_consolidation_makes_counts, TwoOfASnapshot) {
  const auto index = load();
  BOOST_TEST(resident(*index) == 2u);
  index->consolidate("ana", true);
  BOOST_TEST(index->stats().resident_users == 1u);
}

BOOST_FIXTURE_TEST_CASE(vectors_of_tags_count_when_they_are_made, TwoOfASnapshot) {
  const std::vector<float> vector = test::random_vector(kLarge, random);
  const auto index = load();
  BOOST_TEST(resident(*index) == 2u);
  index->route("ana", vector, 3, RouteMethod::automatic);
  BOOST_TEST(index->stats().resident_users == 1u);
  const auto searched = load();
  BOOST_TEST(resident(*searched) == 2u);
  searched->search({.user = "bo", .embedding = vector, .route = 3});
  BOOST_TEST(searched->stats().resident_users == 1u);
}

// A record that comes moves the lists of its words out of the snapshot, however many records they are of.
BOOST_FIXTURE_TEST_CASE(the_first_writes_to_a_user_of_a_snapshot_count, TwoOfASnapshot) {
  const auto index = load();
  BOOST_TEST(resident(*index) == 2u);
  for (size_t i = 0; i < 20; ++i) {
    test::add(*index, {{.id = "new" + std::to_string(i), .at = 5, .text = "opera word" + std::to_string(i), .user = "ana"}});
  }
  BOOST_TEST(index->stats().resident_users == 1u);
}

BOOST_FIXTURE_TEST_CASE(uses_count_whatever_brought_a_user_into_memory, TwoOfASnapshot) {
  load();
  const auto index = Index::load(path);
  index->track_uses();
  index->consolidate_all(false);
  SearchResult found;
  BOOST_REQUIRE(index->try_search({.user = "ana", .embedding = test::random_vector(kLarge, random), .k = 3}, Effort::little, found));
  BOOST_TEST((index->take_uses("ana").counts == std::vector<uint32_t>{1, 1, 1}));
}

BOOST_FIXTURE_TEST_CASE(damage_of_one_user_does_not_reach_the_others, Fixture) {
  const std::string path = directory.file("index");
  test::sample_index(20, kDim)->save(path, "");
  auto parts = test::SnapshotParts::split(test::read_bytes(path));
  BOOST_REQUIRE(parts.users[0].name == "ana");
  auto joined = parts.join();
  joined.images[test::SnapshotParts::kHeader + 48 + parts.users[0].body.size() + 20] ^= 1;  // ana's head
  test::write_bytes(path, test::SnapshotParts::seal(joined));

  BOOST_CHECK_THROW(Index::load(path, {}, true), CorruptSnapshot);
  const auto index = Index::load(path);
  for (int i = 0; i < 2; ++i) BOOST_CHECK_THROW(index->ids("ana"), CorruptSnapshot);
  BOOST_CHECK_THROW(index->save(directory.file("copy"), ""), CorruptSnapshot);
  BOOST_TEST(directory.entries() == 1u);
  BOOST_TEST(!index->ids("bob").empty());
  BOOST_TEST(index->forget("ana") == parts.users[0].summary[0]);
  test::add(*index, {{.id = "new", .user = "ana"}});
  BOOST_TEST(index->ids("ana").size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
