// Users whose bodies lie in a mapped snapshot: what one of them writes there is nobody else's.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "index/user_index.hpp"
#include "memspan/analyzer.hpp"
#include "snapshot/file.hpp"
#include "snapshot/mapped_image.hpp"
#include "support/records.hpp"
#include "support/temporary_directory.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(mapped_image)

constexpr size_t kDim = 256;
constexpr size_t kRecords = 60;

using User = std::shared_ptr<UserIndex>;

// Unit vectors along the axes from `first` on, in place of what is there.
void write(UserIndex& user, size_t first) {
  for (size_t i = 0; i < kRecords; ++i) {
    std::vector<float> vector(kDim);
    vector[(first + i) % kDim] = 1.0f;
    const std::string id = "r" + std::to_string(i);
    UserIndex::NewRecord record{{.id = id, .at = static_cast<Micros>(i), .text = "apple pear", .embedding = vector}, {}, {},
                                IdTable::hash(id)};
    user.add({&record, 1}, Analyzer(AnalyzerKind::simple));
  }
}

// What of the user's rows is written down, and all of it sound.
std::string image_of(const UserIndex& user) {
  test::TemporaryDirectory directory;
  FileReplacement file(directory.file("image"));
  write_image(user, file);
  file.commit();
  return test::read_bytes(directory.file("image"));
}

struct Fixture {
  test::TemporaryDirectory directory;
  std::vector<std::shared_ptr<const MappedImage>> images;
  std::shared_ptr<const MappedFile> file;

  Fixture() {
    std::vector<WrittenImage> written;
    {
      FileReplacement out(directory.file("users"));
      for (size_t u = 0; u < 3; ++u) {
        UserIndex user(kDim);
        write(user, 10 * u);
        written.push_back(write_image(user, out));
      }
      out.commit();
    }
    file = std::make_shared<const MappedFile>(directory.file("users"));
    uint64_t body_end = 0;
    for (const WrittenImage& each : written) {
      images.push_back(std::make_shared<const MappedImage>(each.place, each.summary, body_end, file));
      body_end = each.place.head;
    }
  }
  // Pages of the process that were written to, in the file's mappings: copies, so that they are of no file. (Every page of a
  // file in memory counts as written to.)
  size_t private_kilobytes() const {
    std::ifstream maps("/proc/self/smaps");
    size_t total = 0;
    bool within = false;
    for (std::string line; std::getline(maps, line);) {
      if (line.find(" kB") == std::string::npos && line.find("VmFlags") == std::string::npos) {
        within = line.find(file->path()) != std::string::npos;
      } else if (within && line.starts_with("Anonymous:")) {
        total += std::stoul(line.substr(10));
      }
    }
    return total;
  }
};

BOOST_FIXTURE_TEST_CASE(a_copy_is_what_was_saved_whatever_a_user_in_memory_writes, Fixture) {
  const User user = images[1]->load(kDim);
  const std::string before = image_of(*user);
  write(*user, 100);
  const std::string after = image_of(*user);
  {
    FileReplacement copy(directory.file("copy"));
    const ImagePlace place = images[1]->copy(copy);
    copy.commit();
    const auto copied = std::make_shared<const MappedFile>(directory.file("copy"));
    const auto image = std::make_shared<const MappedImage>(place, images[1]->summary(), 0, copied);
    image->verify(kDim);
    BOOST_TEST((image_of(*image->load(kDim)) == before));
  }
  BOOST_TEST((image_of(*user) == after), "the copy took something from the user");
}

BOOST_FIXTURE_TEST_CASE(who_leaves_takes_nothing_from_who_was_loaded_meanwhile, Fixture) {
  User leaving = images[1]->load(kDim);
  leaving->verify();
  const User user = images[1]->load(kDim);
  write(*user, 100);
  const std::string written = image_of(*user);
  leaving.reset();
  BOOST_TEST((image_of(*user) == written));
}

BOOST_FIXTURE_TEST_CASE(what_was_written_is_given_back_and_neighbours_keep_theirs, Fixture) {
  std::vector<User> users;
  for (const auto& image : images) users.push_back(image->load(kDim));
  for (size_t u = 0; u < users.size(); ++u) write(*users[u], 50 + u);
  const std::string first = image_of(*users[0]);
  const std::string last = image_of(*users[2]);
  BOOST_TEST(private_kilobytes() >= 3 * kRecords);
  users[1].reset();
  BOOST_TEST((image_of(*users[0]) == first));
  BOOST_TEST((image_of(*users[2]) == last));
  users.clear();
  BOOST_TEST(private_kilobytes() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
