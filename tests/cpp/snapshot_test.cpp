#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <filesystem>

#include "memspan/error.hpp"
#include "snapshot/file.hpp"
#include "support/messages.hpp"
#include "support/sample_index.hpp"
#include "support/snapshot_parts.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(snapshot)

using test::Ids;
using test::Mentions;
using test::read_bytes;
using test::same_hits;
using test::write_bytes;

constexpr size_t kDim = 3;

void check_same(const Index& a, const Index& b) {
  BOOST_TEST(a.users() == b.users());
  for (const std::string& user : a.users()) {
    BOOST_TEST(a.ids(user) == b.ids(user));
    const std::vector<TagInfo> tags_a = a.tags(user);
    const std::vector<TagInfo> tags_b = b.tags(user);
    BOOST_REQUIRE(tags_a.size() == tags_b.size());
    for (size_t i = 0; i < tags_a.size(); ++i) {
      BOOST_TEST((tags_a[i].name == tags_b[i].name && tags_a[i].records == tags_b[i].records &&
                  tags_a[i].parents == tags_b[i].parents && tags_a[i].children == tags_b[i].children &&
                  tags_a[i].specificity == tags_b[i].specificity));
    }
    const UserStats stats_a = a.stats(user).value();
    const UserStats stats_b = b.stats(user).value();
    BOOST_TEST((stats_a.records == stats_b.records && stats_a.embeddings == stats_b.embeddings &&
                stats_a.documents == stats_b.documents && stats_a.tokens == stats_b.tokens &&
                stats_a.terms == stats_b.terms && stats_a.relations == stats_b.relations &&
                stats_a.sessions == stats_b.sessions && stats_a.kinds == stats_b.kinds && stats_a.pinned == stats_b.pinned &&
                stats_a.retired == stats_b.retired && stats_a.expiring == stats_b.expiring));
  }
  for (const Query& query : test::sample_queries(kDim)) BOOST_TEST(same_hits(a.search(query), b.search(query)));
}

struct Fixture {
  test::TemporaryDirectory directory;
  std::string path = directory.file("index.snapshot");
};

BOOST_FIXTURE_TEST_CASE(a_loaded_index_is_the_same, Fixture) {
  const auto index = test::sample_index(60, kDim);
  index->save(path, "row 42");
  const auto loaded = Index::load(path);
  BOOST_TEST(loaded->stamp() == "row 42");
  BOOST_TEST(loaded->config().dim == kDim);
  BOOST_TEST(loaded->config().k1 == 1.5);
  BOOST_TEST(loaded->config().b == 0.5);
  check_same(*index, *loaded);
  BOOST_CHECK_THROW(loaded->relate("ana", "t2", "sky"), TagCycle);
}

BOOST_FIXTURE_TEST_CASE(a_loaded_index_goes_on_like_the_first, Fixture) {
  const auto index = test::sample_index(60, kDim);
  index->save(path, "");
  const auto loaded = Index::load(path);
  for (Index* each : {index.get(), loaded.get()}) {
    test::add(*each, {{.id = "r2", .at = 8, .text = "opera again", .tags = {"t2"}, .embedding = {1.0f, 2.0f, 3.0f}, .session = "s0"},
                      {.id = "new", .at = 8, .text = "word1", .tags = {"fresh"}}});
    BOOST_TEST(test::remove(*each, "bob", {"r3", "r7"}) == 2u);
    each->drop_tags("ana", Ids{"t1"});
  }
  check_same(*index, *loaded);
}

BOOST_FIXTURE_TEST_CASE(saving_what_was_loaded_gives_the_same_bytes, Fixture) {
  test::sample_index(60, kDim)->save(path, "s");
  const std::string again = directory.file("again");
  Index::load(path)->save(again, "s");
  const std::string once_more = directory.file("once_more");
  Index::load(again)->save(once_more, "s");
  BOOST_TEST((read_bytes(again) == read_bytes(once_more)));
  BOOST_TEST(read_bytes(again).size() == read_bytes(path).size());
}

// From 20,000 records on the two parts of a user are read at the same time.
BOOST_FIXTURE_TEST_CASE(a_large_user_is_the_same_and_damage_in_either_part_is_found, Fixture) {
  const auto index = test::sample_index(41'000, kDim);
  BOOST_REQUIRE(index->stats(index->users()[0]).value().records >= 20'000u);
  index->save(path, "stamp");
  {
    const auto loaded = Index::load(path);
    for (const std::string& user : index->users()) BOOST_TEST(index->ids(user) == loaded->ids(user));
    for (const Query& query : test::sample_queries(kDim)) {
      // The pool of the learned ranking cuts long runs of equals in the order of their slots.
      if (query.fusion != Fusion::learned) BOOST_TEST(same_hits(index->search(query), loaded->search(query)));
    }
    loaded->save(directory.file("again"), "stamp");
    BOOST_TEST((read_bytes(directory.file("again")) == read_bytes(path)));
  }
  const auto parts = test::SnapshotParts::split(read_bytes(path));
  const std::string& head = parts.users[0].head;
  uint64_t records = 0;
  std::memcpy(&records, head.data(), sizeof records);
  const size_t sizes = sizeof records + records * sizeof(Micros);
  const size_t first = sizes + 2 * sizeof(uint64_t);
  uint64_t of_first = 0;
  std::memcpy(&of_first, head.data() + sizes, sizeof of_first);
  // The size of the first id, and the count of tags; both at once.
  for (const std::vector<size_t>& places : {std::vector<size_t>{first}, {first + of_first}, {first, first + of_first}}) {
    test::SnapshotParts damaged = parts;
    for (const size_t place : places) damaged.users[0].head.replace(place, 2, "\xFF\xFF");
    write_bytes(path, test::SnapshotParts::seal(damaged.join()));
    const auto loaded = Index::load(path);
    BOOST_CHECK_THROW(loaded->ids(loaded->users()[0]), CorruptSnapshot);
  }
}

BOOST_FIXTURE_TEST_CASE(an_empty_index_and_the_longest_stamp, Fixture) {
  const Index index(IndexConfig{.dim = 1, .analyzer = AnalyzerKind::simple});
  index.save(path, std::string(1u << 16, 's'));
  const auto loaded = Index::load(path);
  BOOST_TEST((loaded->config().analyzer == AnalyzerKind::simple));
  BOOST_TEST(loaded->stamp().size() == 1u << 16);
  BOOST_TEST(loaded->users().empty());
  BOOST_CHECK_EXCEPTION(index.save(path, std::string((1u << 16) + 1, 's')), InvalidArgument, Mentions{"stamp"});
}

BOOST_FIXTURE_TEST_CASE(every_truncation_is_refused, Fixture) {
  test::sample_index(6, kDim)->save(path, "stamp");
  const std::string bytes = read_bytes(path);
  for (size_t size = 0; size < bytes.size(); ++size) {
    write_bytes(path, std::string_view(bytes).substr(0, size));
    BOOST_CHECK_EXCEPTION(Index::load(path), CorruptSnapshot, (Mentions{path, "offset"}));
  }
  write_bytes(path, bytes + "x");
  BOOST_CHECK_EXCEPTION(Index::load(path), CorruptSnapshot, (Mentions{"does not end"}));
}

// Only what fills the gaps between users, and between the pieces of a user's body, may be changed unnoticed.
BOOST_FIXTURE_TEST_CASE(every_flipped_byte_is_refused_or_harmless, Fixture) {
  const auto index = test::sample_index(6, kDim);
  index->save(path, "stamp");
  const std::string bytes = read_bytes(path);
  size_t unnoticed = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      write_bytes(path, damaged);
      try {
        check_same(*index, *Index::load(path, {}, true));
        BOOST_REQUIRE(bytes[i] == 0);
        ++unnoticed;
      } catch (const CorruptSnapshot&) {
        // What is checked when it is needed may not be needed.
        try {
          check_same(*index, *Index::load(path));
        } catch (const CorruptSnapshot&) {
        }
      }
    }
  }
  BOOST_TEST(unnoticed < 3 * 6 * 64u);  // after the header, three times in the body of ana, before that of bob and in it
}

BOOST_FIXTURE_TEST_CASE(other_versions_and_other_files_are_named, Fixture) {
  test::sample_index(3, kDim)->save(path, "");
  std::string bytes = read_bytes(path);
  bytes[8] = 1;
  write_bytes(path, bytes);
  BOOST_CHECK_EXCEPTION(Index::load(path), OtherVersion, (Mentions{"format version 1", "reads 19"}));
  write_bytes(path, "SQLite format 3");
  BOOST_CHECK_EXCEPTION(Index::load(path), CorruptSnapshot, Mentions{"not a memspan snapshot"});
}

BOOST_FIXTURE_TEST_CASE(only_regular_files_are_read, Fixture) {
  BOOST_CHECK_EXCEPTION(Index::load(directory.file("missing")), FileError,
                        [](const FileError& error) { return error.code == ENOENT; });
  BOOST_CHECK_EXCEPTION(Index::load(directory.file("")), CorruptSnapshot, Mentions{"not a regular file"});
  const std::string pipe = directory.file("pipe");
  BOOST_REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  BOOST_CHECK_EXCEPTION(Index::load(pipe), CorruptSnapshot, Mentions{"not a regular file"});
  test::sample_index(3, kDim)->save(path, "");
  std::filesystem::create_symlink(path, directory.file("link"));
  BOOST_CHECK_EXCEPTION(Index::load(directory.file("link")), FileError,
                        [](const FileError& error) { return error.code == ELOOP; });
}

BOOST_FIXTURE_TEST_CASE(a_save_replaces_the_old_file_and_leaves_nothing_else, Fixture) {
  write_bytes(path, "old");
  test::sample_index(3, kDim)->save(path, "");
  BOOST_TEST(directory.entries() == 1u);
  BOOST_TEST(Index::load(path)->size() == 2u);  // of three records one was removed
  struct stat info;
  BOOST_REQUIRE(::stat(path.c_str(), &info) == 0);
  BOOST_TEST((info.st_mode & 0777) == 0600u);
}

#ifdef O_TMPFILE
// What is killed before leaves nothing.
BOOST_FIXTURE_TEST_CASE(a_file_has_no_name_until_it_is_whole, Fixture) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (descriptor < 0) return;  // the file system cannot
  ::close(descriptor);
  std::filesystem::remove(path);
  for (const bool whole : {false, true}) {
    FileReplacement file(path);
    file.append("half");
    file.flush();
    BOOST_TEST(directory.entries() == 0u);
    if (whole) file.commit();
  }
  BOOST_TEST(directory.entries() == 1u);
  BOOST_TEST(read_bytes(path) == "half");
}
#endif

// A symbolic link is replaced, not followed: the file behind it stays.
BOOST_FIXTURE_TEST_CASE(a_save_does_not_follow_a_link, Fixture) {
  const std::string target = directory.file("target");
  write_bytes(target, "precious");
  std::filesystem::create_symlink(target, path);
  test::sample_index(3, kDim)->save(path, "");
  BOOST_TEST(read_bytes(target) == "precious");
  BOOST_TEST(Index::load(path)->size() == 2u);
}

BOOST_FIXTURE_TEST_CASE(a_failed_save_leaves_the_old_file_and_no_other, Fixture) {
  const auto index = test::sample_index(3, kDim);
  // The last step fails: a directory cannot be replaced by a file.
  std::filesystem::create_directories(path + "/inside");
  BOOST_CHECK_THROW(index->save(path, ""), FileError);
  BOOST_TEST(directory.entries() == 1u);
  BOOST_TEST(std::filesystem::exists(path + "/inside"));
  BOOST_CHECK_EXCEPTION(index->save(directory.file("missing/index"), ""), FileError,
                        [](const FileError& error) { return error.code == ENOENT; });
  BOOST_CHECK_THROW(index->save(directory.file(std::string(300, 'n')), ""), FileError);
  BOOST_TEST(directory.entries() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
