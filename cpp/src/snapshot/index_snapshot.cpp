// Index::save and Index::load.
//
// A snapshot is a cache: whoever cannot read one builds the index again from the records. So the loader prefers to
// refuse, and promises to be safe on any file, but a checksum is no signature.
//
//   file      := "MEMSPAN\n" u32 version  u32 0  image(user)*  directory  footer
//   directory := u32 dim  u8 row format  u8 analyzer  u32 analyzer version  f64 k1  f64 b  text stamp  quotas
//                u64 users, and for each, in the order of the images: text name  u64 offsets and sizes of body and head
//                u32 CRC-32C of the head  u64 records, embeddings, terms, tags, relations
//   footer    := u64 offset and size of the directory  u32 CRC-32C of the directory
//                u32 CRC-32C of the footer to here  "\nMEMSPAN"
//
// Images: snapshot/user_image.hpp; quotas: index/quota_table.cpp. Numbers are little-endian; text is u32 size and bytes of UTF-8.
#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"
#include "base/crc32c.hpp"
#include "index/quota_table.hpp"
#include "index/user_index.hpp"
#include "index/user_table.hpp"
#include "index/validation.hpp"
#include "memspan/error.hpp"
#include "memspan/index.hpp"
#include "snapshot/file.hpp"
#include "snapshot/mapped_image.hpp"

namespace memspan {
namespace {

constexpr std::string_view kMagic = "MEMSPAN\n";
constexpr std::string_view kEndMagic = "\nMEMSPAN";
constexpr uint32_t kVersion = 19;
constexpr size_t kStampBytes = 1u << 16;
constexpr size_t kFileHeaderBytes = kMagic.size() + 2 * sizeof(uint32_t);
constexpr size_t kFooterBytes = 2 * sizeof(uint64_t) + 2 * sizeof(uint32_t) + kEndMagic.size();
constexpr size_t kUserBytes = sizeof(uint32_t) + 9 * sizeof(uint64_t) + sizeof(uint32_t);  // in the directory, and the name

void put_config(ByteWriter& out, const IndexConfig& config, std::string_view stamp) {
  out.put<uint32_t>(config.dim);
  out.put<uint8_t>(static_cast<uint8_t>(config.row_format));
  out.put<uint8_t>(static_cast<uint8_t>(config.analyzer));
  out.put<uint32_t>(kAnalyzerVersion);
  out.put<double>(config.k1);
  out.put<double>(config.b);
  out.put_text(stamp);
}

std::pair<IndexConfig, std::string> get_config(ByteReader& in) {
  IndexConfig config;
  config.dim = in.get<uint32_t>();
  const auto row_format = in.get<uint8_t>();
  in.check(row_format <= static_cast<uint8_t>(RowFormat::bfloat16), "an unknown format of rows");
  config.row_format = static_cast<RowFormat>(row_format);
  const auto analyzer = in.get<uint8_t>();
  in.check(analyzer <= static_cast<uint8_t>(AnalyzerKind::simple), "an unknown analyzer");
  config.analyzer = static_cast<AnalyzerKind>(analyzer);
  if (in.get<uint32_t>() != kAnalyzerVersion) throw OtherVersion(in.file() + ": made with another version of the analyzer");
  config.k1 = in.get<double>();
  config.b = in.get<double>();
  std::string stamp(in.get_text(kStampBytes));
  return {config, std::move(stamp)};
}

void put_user(ByteWriter& out, std::string_view name, const ImagePlace& place, const UserSummary& summary) {
  out.put_text(name);
  for (const uint64_t value : {place.body, place.body_size, place.head, place.head_size}) out.put<uint64_t>(value);
  out.put<uint32_t>(place.head_checksum);
  for (const uint64_t value : {summary.records, summary.embeddings, summary.terms, summary.tags, summary.relations}) {
    out.put<uint64_t>(value);
  }
}

// A place between `begin` and `end`.
ImagePlace get_place(ByteReader& in, uint64_t begin, uint64_t end) {
  ImagePlace place;
  for (uint64_t* value : {&place.body, &place.body_size, &place.head, &place.head_size}) *value = in.get<uint64_t>();
  place.head_checksum = in.get<uint32_t>();
  in.check(place.body >= begin && place.body % BodyWriter::kAlignment == 0 && place.body <= end &&
               place.body_size <= end - place.body && place.head == place.body + place.body_size &&
               place.head_size <= end - place.head,
           "a user lies outside of its place");
  return place;
}

UserSummary get_summary(ByteReader& in) {
  UserSummary summary;
  for (uint64_t* value :
       {&summary.records, &summary.embeddings, &summary.terms, &summary.tags, &summary.relations}) {
    *value = in.get<uint64_t>();
  }
  in.check(summary.records <= limits::kRecordsPerUser && summary.embeddings <= summary.records, "too many records");
  return summary;
}

// Where the directory lies, after its checksum was verified.
ByteReader find_directory(const MappedFile& file) {
  const std::string_view bytes = file.bytes();
  const auto fail = [&](size_t offset, const char* reason) { throw CorruptSnapshot(file.path(), offset, reason); };
  if (!bytes.starts_with(kMagic)) fail(0, "not a memspan snapshot");
  ByteReader header(bytes.substr(kMagic.size()), file.path(), kMagic.size());
  const auto version = header.get<uint32_t>();
  if (version != kVersion) {
    throw OtherVersion(file.path(), kMagic.size(),
                       "format version " + std::to_string(version) + "; this program reads " + std::to_string(kVersion));
  }
  header.check(header.get<uint32_t>() == 0, "a reserved number is not 0");
  if (bytes.size() < kFileHeaderBytes + kFooterBytes) fail(bytes.size(), "the file ends too early");
  const size_t footer_offset = bytes.size() - kFooterBytes;
  if (!bytes.ends_with(kEndMagic)) fail(footer_offset, "the file does not end like a snapshot");
  ByteReader footer(bytes.substr(footer_offset), file.path(), footer_offset);
  const auto offset = footer.get<uint64_t>();
  const auto size = footer.get<uint64_t>();
  const auto directory_checksum = footer.get<uint32_t>();
  footer.check(footer.get<uint32_t>() == crc32c(bytes.substr(footer_offset, 2 * sizeof(uint64_t) + sizeof(uint32_t))),
               "a checksum does not match");
  if (offset < kFileHeaderBytes || offset > footer_offset || size != footer_offset - offset) {
    fail(footer_offset, "the directory lies outside of its place");
  }
  const std::string_view directory = bytes.substr(offset, size);
  if (crc32c(directory) != directory_checksum) fail(offset, "a checksum does not match");
  return {directory, file.path(), offset};
}

}  // namespace

void Index::save(const std::string& path, std::string_view stamp) const {
  if (stamp.size() > kStampBytes) {
    throw InvalidArgument("stamp", std::to_string(stamp.size()) + " bytes", "at most " + std::to_string(kStampBytes));
  }
  FileReplacement file(path);
  ByteWriter header;
  header.put_bytes(kMagic);
  header.put<uint32_t>(kVersion);
  header.put<uint32_t>(0);
  file.append(header.bytes());

  ByteWriter users;
  uint64_t count = 0;
  std::vector<UserTable::Entry> all = users_->all();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (UserTable::Entry& entry : all) {
    if (entry.user) {
      if (entry.user->empty()) {  // lost all while somebody held it, as another save may have
        users_->drop_if_unused(entry.name, std::move(entry.user));
        continue;
      }
      const WrittenImage written = write_image(*entry.user, file);
      put_user(users, entry.name, written.place, written.summary);
      entry.user.reset();  // whoever makes room needs not wait for the end
    } else if (!entry.uses.empty()) {
      const auto user = entry.image->load(RowShape(config_.dim, config_.row_format));
      user->load_uses(entry.uses);
      const WrittenImage written = write_image(*user, file);
      put_user(users, entry.name, written.place, written.summary);
    } else {
      put_user(users, entry.name, entry.image->copy(file), entry.image->summary());
    }
    ++count;
  }

  ByteWriter directory;
  put_config(directory, config_, stamp);
  quotas_->save(directory);
  directory.put<uint64_t>(count);
  directory.put_bytes(users.bytes());
  ByteWriter footer;
  footer.put<uint64_t>(file.position());
  footer.put<uint64_t>(directory.bytes().size());
  footer.put<uint32_t>(crc32c(directory.bytes()));
  footer.put<uint32_t>(crc32c(footer.bytes()));
  footer.put_bytes(kEndMagic);
  file.append(directory.bytes());
  file.append(footer.bytes());
  file.commit();
}

std::unique_ptr<Index> Index::load(const std::string& path, const Residency& residency, bool verify) {
  const auto file = std::make_shared<const MappedFile>(path);
  ByteReader directory = find_directory(*file);
  const uint64_t images_end = directory.origin();
  auto [config, stamp] = get_config(directory);
  try {
    check_config(config);
  } catch (const InvalidArgument& error) {
    directory.fail(error.what());
  }
  auto index = std::make_unique<Index>(config, residency);
  index->stamp_ = std::move(stamp);
  index->quotas_->load(directory);
  const uint64_t count = directory.get_count(kUserBytes);
  uint64_t free = kFileHeaderBytes;  // images lie one after the other, so that no two users share a byte
  uint64_t body_end = 0;         // of the image before
  for (uint64_t i = 0; i < count; ++i) {
    const std::string_view name = directory.get_text(limits::kNameBytes);
    const ImagePlace place = get_place(directory, free, images_end);
    auto image = std::make_shared<const MappedImage>(place, get_summary(directory), body_end, file);
    free = place.end();
    body_end = place.head;
    if (verify) image->verify(RowShape(config.dim, config.row_format));
    directory.check(!name.empty() && index->users_->add(name, std::move(image)), "a user comes twice");
  }
  directory.check(directory.left() == 0, "bytes are left after the last user");
  return index;
}

}  // namespace memspan
