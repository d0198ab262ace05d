#include "lexical/term_table.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include "memspan/analyzer.hpp"

namespace memspan {
namespace {

constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15u;

uint64_t load_word(const char* from, size_t size) {
  uint64_t value = 0;
  std::memcpy(&value, from, size);
  return value;
}

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * kMultiplier;
  return hash ^ (hash >> 32);
}

}  // namespace

uint64_t TermTable::hash(std::string_view text) {
  const size_t size = text.size();
  const char* const bytes = text.data();
  uint64_t hash = size * kMultiplier;
  if (size >= 8) {
    for (size_t i = 0; i + 8 < size; i += 8) hash = mix(hash, load_word(bytes + i, 8));
    hash = mix(hash, load_word(bytes + size - 8, 8));
  } else if (size >= 4) {
    hash = mix(hash, load_word(bytes, 4) | load_word(bytes + size - 4, 4) << 32);
  } else if (size > 0) {
    const auto at = [&](size_t i) { return uint64_t{static_cast<unsigned char>(bytes[i])}; };
    hash = mix(hash, at(0) | at(size / 2) << 8 | at(size - 1) << 16);
  }
  return mix(hash, hash >> 29);
}

uint32_t TermTable::link(const Entry& entry) {
  uint32_t value;
  std::memcpy(&value, entry.bytes.data() + kPrefix, sizeof value);
  return value;
}

void TermTable::set_link(Entry& entry, uint32_t value) {
  std::memcpy(entry.bytes.data() + kPrefix, &value, sizeof value);
}

// A long text's entry has no link yet.
TermTable::Entry TermTable::make_entry(std::string_view text) {
  Entry entry;
  entry.size = static_cast<uint8_t>(text.size());
  std::memcpy(entry.bytes.data(), text.data(), text.size() <= kInline ? text.size() : kPrefix);
  return entry;
}

bool TermTable::equal(const Entry& entry, const Entry& sought, std::string_view text) const {
  if (text.size() <= kInline) return std::memcmp(&entry, &sought, sizeof entry) == 0;
  return entry.size == sought.size && long_texts_.compare(link(entry), text.size(), text) == 0;
}

std::string_view TermTable::text_of(const Entry& entry) const {
  if (entry.size <= kInline) return {entry.bytes.data(), entry.size};
  return std::string_view(long_texts_).substr(link(entry), entry.size);
}

TermId TermTable::find(std::string_view text, uint64_t text_hash) const {
  const Entry sought = make_entry(text);
  return cells_.find(text_hash, [&](TermId term) { return equal(entries_[term], sought, text); });
}

TermId TermTable::find_or_create(std::string_view text, uint64_t text_hash) {
  const Entry sought = make_entry(text);
  const auto most = static_cast<TermId>(entries_.size());
  return cells_.find_or_put(
      text_hash, most, [&](TermId term) { return equal(entries_[term], sought, text); }, [&] { return add(sought, text); },
      HashOfTerm{*this});
}

// The number of an entry that was made of the text.
TermId TermTable::add(Entry entry, std::string_view text) {
  if (first_free_ == kNoTerm) entries_.make_room();
  if (text.size() > kInline) {
    if (dead_text_ > 4096 && dead_text_ > long_texts_.size() / 2) reclaim_texts();
    if (long_texts_.size() > std::numeric_limits<uint32_t>::max() - text.size()) {
      throw std::length_error("a user's dictionary has more than 4 GB of text");
    }
    set_link(entry, static_cast<uint32_t>(long_texts_.size()));
    long_texts_.append(text);
  }
  TermId term = first_free_;
  if (term == kNoTerm) {
    term = static_cast<TermId>(entries_.size());
    entries_.push_back(entry);
  } else {
    first_free_ = link(entries_[term]);
    entries_[term] = entry;
  }
  return term;
}

void TermTable::erase(TermId term) {
  Entry& entry = entries_[term];
  cells_.erase(hash(text(term)), term, HashOfTerm{*this});
  if (entry.size > kInline) dead_text_ += entry.size;
  entry.size = 0;
  set_link(entry, first_free_);
  first_free_ = term;
}

void TermTable::reclaim_texts() {
  std::string kept;
  kept.reserve(long_texts_.size() - dead_text_);
  for (TermId term = 0; term < entries_.size(); ++term) {
    if (entries_[term].size <= kInline) continue;
    const std::string_view old_text = text(term);
    set_link(entries_[term], static_cast<uint32_t>(kept.size()));
    kept.append(old_text);
  }
  long_texts_ = std::move(kept);
  dead_text_ = 0;
}

// u64 terms, the entry of each (u8 size; 11 bytes: the text, or its start and its offset in the long texts), u64 bytes of the
// long texts, these.
void TermTable::save(ByteWriter& out) const {
  std::string long_texts;
  out.put<uint64_t>(size());
  for (TermId term = 0; term < entries_.size(); ++term) {
    Entry entry = entries_[term];
    if (entry.size == 0) continue;
    if (entry.size > kInline) {
      set_link(entry, static_cast<uint32_t>(long_texts.size()));
      long_texts += text(term);
    }
    out.put_bytes({reinterpret_cast<const char*>(&entry), sizeof entry});
  }
  out.put<uint64_t>(long_texts.size());
  out.put_bytes(long_texts);
}

void TermTable::load(ByteReader& in) {
  const uint64_t count = in.get_count(sizeof(Entry));
  const std::string_view bytes = in.get_bytes(count * sizeof(Entry));
  long_texts_ = in.get_bytes(in.get<uint64_t>());
  std::vector<uint64_t> hashes;
  hashes.reserve(count);
  entries_.fill(count, [&](std::span<Entry> entries) {
    std::memcpy(entries.data(), bytes.data() + hashes.size() * sizeof(Entry), entries.size_bytes());
    for (const Entry& entry : entries) {
      check(entry, in);
      hashes.push_back(hash(text_of(entry)));
    }
  });
  const auto same = [this](TermId a, TermId b) { return equal(entries_[a], entries_[b], text(b)); };
  in.check(cells_.build(hashes, same), "a term comes twice");
}

void TermTable::check(const Entry& entry, const ByteReader& in) const {
  in.check(entry.size > 0 && entry.size <= kMaxTokenBytes, "a term has a wrong size");
  if (entry.size > kInline) {
    in.check(link(entry) <= long_texts_.size() && entry.size <= long_texts_.size() - link(entry), "a term lies nowhere");
    in.check(std::memcmp(entry.bytes.data(), long_texts_.data() + link(entry), kPrefix) == 0, "a term differs from its start");
  } else {
    const auto padding = entry.bytes.begin() + entry.size;
    in.check(std::all_of(padding, entry.bytes.end(), [](char c) { return c == 0; }), "a term has no end");
  }
}

size_t TermTable::bytes() const {
  return cells_.bytes() + entries_.bytes() + long_texts_.capacity() - std::string().capacity();
}

}  // namespace memspan
