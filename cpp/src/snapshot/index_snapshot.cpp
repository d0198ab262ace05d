// Index::save and Index::load.
//
// A snapshot is a cache: whoever cannot read one builds the index again from the records. So the loader prefers to
// refuse, and promises to be safe on any file, but a checksum is no signature.
//
//   file   := "MEMSPAN\n" u32 version  block(config) block(user)*  block(end)
//   block  := u32 type  u64 size  size bytes  u32 CRC-32C of type, size and bytes
//   config := u32 dim  u8 analyzer  u32 analyzer version  f64 k1  f64 b  text stamp
//   user   := text name  u64 head size  u64 body size  head  body (index/user_index.cpp)
//   end    := u64 users
//
// Numbers are little-endian; text is u32 size and bytes of UTF-8.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/bytes.hpp"
#include "base/crc32c.hpp"
#include "index/user_index.hpp"
#include "index/user_table.hpp"
#include "memspan/error.hpp"
#include "memspan/index.hpp"
#include "snapshot/file.hpp"

namespace memspan {
namespace {

constexpr std::string_view kMagic = "MEMSPAN\n";
constexpr uint32_t kVersion = 3;
constexpr size_t kStampBytes = 1u << 16;
constexpr size_t kBlockHeader = sizeof(uint32_t) + sizeof(uint64_t);

enum class BlockType : uint32_t { config = 1, user = 2, end = 3 };

class SnapshotWriter {
 public:
  SnapshotWriter() {
    bytes_ += kMagic;
    append(kVersion);
  }
  void add(BlockType type, const ByteWriter& block) {
    const size_t start = bytes_.size();
    append(static_cast<uint32_t>(type));
    append<uint64_t>(block.bytes().size());
    bytes_ += block.bytes();
    append(crc32c(std::string_view(bytes_).substr(start)));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void append(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::string bytes_;
};

class BodyBuffer final : public BodyWriter {
 public:
  uint64_t append(std::span<const std::byte> bytes) override {
    bytes_.resize((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
    const size_t start = bytes_.size();
    bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return start;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

Body copy_body(std::string_view bytes) {
  constexpr size_t kPage = 4096;
  if (bytes.empty()) return {};
  const std::shared_ptr<void> owner(std::aligned_alloc(kPage, (bytes.size() + kPage - 1) / kPage * kPage), std::free);
  if (!owner) throw std::bad_alloc();
  std::memcpy(owner.get(), bytes.data(), bytes.size());
  return {static_cast<std::byte*>(owner.get()), bytes.size(), owner};
}

class SnapshotReader {
 public:
  SnapshotReader(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {
    if (!bytes_.starts_with(kMagic)) throw CorruptSnapshot(path_, 0, "not a memspan snapshot");
    position_ = kMagic.size();
    const auto version = read<uint32_t>();
    if (version != kVersion) {
      throw CorruptSnapshot(path_, kMagic.size(), "format version " + std::to_string(version) + "; this program reads " +
                                                      std::to_string(kVersion));
    }
  }

  // The next block's contents, after its checksum was verified.
  std::pair<BlockType, ByteReader> next() {
    const size_t start = position_;
    const auto type = read<uint32_t>();
    const auto size = read<uint64_t>();
    const size_t left = bytes_.size() - position_;
    if (left < sizeof(uint32_t) || size > left - sizeof(uint32_t)) fail(start, "a block ends after the file");
    const std::string_view content = bytes_.substr(position_, size);
    position_ += size;
    if (read<uint32_t>() != crc32c(bytes_.substr(start, kBlockHeader + size))) fail(start, "a checksum does not match");
    return {static_cast<BlockType>(type), ByteReader(content, path_, start + kBlockHeader)};
  }

  bool at_end() const { return position_ == bytes_.size(); }
  [[noreturn]] void fail(size_t offset, const char* reason) const { throw CorruptSnapshot(path_, offset, reason); }
  size_t position() const { return position_; }

 private:
  template <typename T>
  T read() {
    if (bytes_.size() - position_ < sizeof(T)) fail(position_, "the file ends too early");
    T value;
    std::memcpy(&value, bytes_.data() + position_, sizeof value);
    position_ += sizeof value;
    return value;
  }

  std::string_view bytes_;
  const std::string& path_;
  size_t position_ = 0;
};

std::pair<IndexConfig, std::string> read_config(ByteReader& in) {
  IndexConfig config;
  config.dim = in.get<uint32_t>();
  const auto analyzer = in.get<uint8_t>();
  in.check(analyzer <= static_cast<uint8_t>(AnalyzerKind::simple), "an unknown analyzer");
  config.analyzer = static_cast<AnalyzerKind>(analyzer);
  in.check(in.get<uint32_t>() == kAnalyzerVersion, "made with another version of the analyzer");
  config.k1 = in.get<double>();
  config.b = in.get<double>();
  std::string stamp(in.get_text(kStampBytes));
  return {config, std::move(stamp)};
}

}  // namespace

void Index::save(const std::string& path, std::string_view stamp) const {
  if (stamp.size() > kStampBytes) {
    throw InvalidArgument("stamp", std::to_string(stamp.size()) + " bytes", "at most " + std::to_string(kStampBytes));
  }
  SnapshotWriter snapshot;
  ByteWriter config;
  config.put<uint32_t>(config_.dim);
  config.put<uint8_t>(static_cast<uint8_t>(config_.analyzer));
  config.put<uint32_t>(kAnalyzerVersion);
  config.put<double>(config_.k1);
  config.put<double>(config_.b);
  config.put_text(stamp);
  snapshot.add(BlockType::config, config);

  uint64_t users = 0;
  std::vector<UserTable::Entry> all = users_->all();
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (const auto& [name, user] : all) {
    if (user->empty()) continue;
    ByteWriter block;
    ByteWriter head;
    BodyBuffer body;
    user->save(head, body);
    block.put_text(name);
    block.put<uint64_t>(head.bytes().size());
    block.put<uint64_t>(body.bytes().size());
    block.put_bytes(head.bytes());
    block.put_bytes(body.bytes());
    snapshot.add(BlockType::user, block);
    ++users;
  }
  ByteWriter end;
  end.put<uint64_t>(users);
  snapshot.add(BlockType::end, end);
  replace_file(path, snapshot.bytes());
}

std::unique_ptr<Index> Index::load(const std::string& path) {
  const std::string bytes = read_file(path);
  SnapshotReader snapshot(bytes, path);
  auto [type, block] = snapshot.next();
  if (type != BlockType::config) block.fail("the first block is not the configuration");
  auto [config, stamp] = read_config(block);

  std::unique_ptr<Index> index;
  try {
    index = std::make_unique<Index>(config);
  } catch (const InvalidArgument& error) {
    block.fail(error.what());
  }
  index->stamp_ = std::move(stamp);
  for (;;) {
    auto [next_type, next] = snapshot.next();
    if (next_type == BlockType::end) {
      next.check(next.get<uint64_t>() == index->users_->size(), "users are missing");
      break;
    }
    next.check(next_type == BlockType::user, "an unknown block");
    const std::string name(next.get_text(limits::kNameBytes));
    auto user = std::make_shared<UserIndex>(config.dim);
    const auto head_size = next.get<uint64_t>();
    const auto body_size = next.get<uint64_t>();
    ByteReader head(next.get_bytes(head_size), path, 0);
    user->load(head, copy_body(next.get_bytes(body_size)));
    next.check(next.left() == 0, "bytes are left after a user's body");
    next.check(!name.empty() && index->users_->add(name, std::move(user)), "a user comes twice");
  }
  if (!snapshot.at_end()) snapshot.fail(snapshot.position(), "bytes are left after the end");
  return index;
}

}  // namespace memspan
