// LexicalIndex::save and load. Inverted lists of two postings or more, and the forward lists, lie in the body and are used
// there. Each inverted list is checked when it is read for the first time, all forward lists before the first that is.
//
//   index := terms (term_table.cpp)  u32 postings of each
//            of the lists with an image: u32[] CRC-32C of it, u16[] greatest frequency in its postings, u32[] last slot of
//            each of its blocks (posting_list.hpp)
//            the postings of the others  u64 offset and u64 bytes of the images in the body
//            lengths of the live slots (record_lengths.hpp)  sizes of their forward lists (forward_lists.hpp)
//            u64 offset of the image of these in the body, and u32 CRC-32C of it
//
// A list that passes may still disagree with the forward lists of a snapshot that was made up. That does no harm: an erasure
// ignores what is not there, and a search passes over dead slots.
#include <algorithm>
#include <cstring>

#include "base/crc32c.hpp"
#include "lexical/forward_list.hpp"
#include "lexical/lexical_index.hpp"

namespace memspan {
namespace {

size_t blocks_of(size_t postings) { return (postings + PostingBlock::kMost - 1) / PostingBlock::kMost; }

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

}  // namespace

void LexicalIndex::save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live, std::span<const Slot> new_slots) const {
  check_forward();
  terms_.save(head);
  std::vector<TermId> new_terms(terms_.numbers(), kNoTerm);
  std::vector<uint32_t> counts, sums, lasts;
  std::vector<uint16_t> maxima;
  std::vector<Posting> postings, singles;
  std::string images;
  for (TermId term = 0; term < terms_.numbers(); ++term) {
    if (!terms_.contains(term)) continue;
    new_terms[term] = static_cast<TermId>(counts.size());
    postings.clear();
    for (const PostingList* const part : {&list(term), &tail(term)}) {
      for (size_t b = 0; b < part->blocks(); ++b) {
        for (const Posting& posting : part->block(b)) {
          const Slot slot = new_slots[posting.slot()];
          if (slot != kNoSlot) postings.push_back(posting.moved_to(slot));
        }
      }
    }
    const auto by_slot = [](const Posting& a, const Posting& b) { return a.slot() < b.slot(); };
    if (!std::is_sorted(postings.begin(), postings.end(), by_slot)) std::sort(postings.begin(), postings.end(), by_slot);
    counts.push_back(static_cast<uint32_t>(postings.size()));
    if (postings.size() == 1) {
      singles.push_back(postings[0]);
      continue;
    }
    const size_t start = images.size();
    PostingList::write_image(postings, images);
    sums.push_back(crc32c(std::string_view(images).substr(start)));
    maxima.push_back(0);
    for (const Posting& each : postings) maxima.back() = std::max(maxima.back(), static_cast<uint16_t>(each.frequency()));
    for (size_t i = PostingBlock::kMost; i < postings.size(); i += PostingBlock::kMost) lasts.push_back(postings[i - 1].slot());
    if (!postings.empty()) lasts.push_back(postings.back().slot());
  }
  head.put_each<uint32_t>(counts.size(), [&](size_t i) { return counts[i]; });
  head.put_array<uint32_t>(sums);
  head.put_array<uint16_t>(maxima);
  head.put_array<uint32_t>(lasts);
  head.put_bytes({reinterpret_cast<const char*>(singles.data()), singles.size() * sizeof(Posting)});
  head.put<uint64_t>(images.size());
  head.put<uint64_t>(images.empty() ? 0 : body.append(bytes_of(images)));
  images.clear();

  lengths_.save(head, live);
  std::vector<Occurrence> terms;
  std::vector<uint8_t> memory;
  images = ForwardLists::save(head, live.size(), [&](size_t i) {
    terms.clear();
    for_each_term(live[i], [&](Occurrence each) {
      if (terms_.contains(each.term)) terms.push_back({new_terms[each.term], each.frequency});
      return true;
    });
    return terms.empty() ? std::span<const uint8_t>() : forward_list::write(terms, memory);
  });
  head.put<uint64_t>(images.empty() ? 0 : body.append(bytes_of(images)));
  head.put<uint32_t>(crc32c(images));
}

void LexicalIndex::load(ByteReader& in, const Body& body, size_t slots) {
  terms_.load(in);
  auto stored = std::make_unique<StoredLists>();
  stored->file = in.file();
  stored->owner = body.owner;
  stored->on_heap = body.on_heap;
  stored->slots = slots;
  load_lists(in, body, *stored);

  lengths_.load(in, slots);
  const uint64_t bytes = forward_lists_.load(in, slots);
  for (Slot slot = 0; slot < slots; ++slot) {
    const uint32_t length = lengths_[slot];
    in.check((length > 0) != forward_lists_.empty(slot), "a record has tokens without terms, or terms without tokens");
    documents_ += length > 0;
    tokens_ += length;
    longest_ = std::max(longest_, length);
  }
  in.check(longest_ <= kMaxTokensPerByte * limits::kTextBytes, "a record has too many tokens");
  std::byte* const forward = body.piece(in, bytes, "forward lists lie outside the body");
  stored->forward = forward;
  stored->forward_bytes = bytes;
  stored->forward_checksum = in.get<uint32_t>();
  stored->body_bytes += bytes;
  forward_lists_.use_image(forward);
  if (bytes > 0 || !lists_.empty()) stored_ = std::move(stored);
}

void LexicalIndex::load_lists(ByteReader& in, const Body& body, StoredLists& stored) {
  const std::vector<uint32_t> counts = in.get_each<uint32_t>(terms_.size());
  const std::vector<uint32_t> sums = in.get_array<uint32_t>();
  const std::vector<uint16_t> maxima = in.get_array<uint16_t>();
  const std::vector<Slot> lasts = in.get_array<Slot>();
  const auto single_count = static_cast<size_t>(std::count(counts.begin(), counts.end(), 1u));
  in.check(sums.size() == counts.size() - single_count, "the checksums are not those of the lists");
  in.check(maxima.size() == sums.size(), "the frequencies are not those of the lists");
  const std::string_view singles = in.get_bytes(single_count * sizeof(Posting));
  const auto bytes = in.get<uint64_t>();
  std::byte* image = body.piece(in, bytes, "inverted lists lie outside the body");
  stored.body_bytes = bytes;
  stored.lists.reserve(counts.size());
  stored.checked = std::make_unique<std::atomic<uint64_t>[]>(counts.size() / 64 + 1);
  size_t next_single = 0;
  size_t next_image = 0;
  std::span<const Slot> lasts_left = lasts;
  uint64_t left = bytes;
  for (const uint32_t count : counts) {
    lists_.push_back(PostingList());
    PostingList& list = lists_[lists_.size() - 1];
    if (count == 1) {
      Posting posting;
      std::memcpy(&posting, singles.data() + next_single++ * sizeof(Posting), sizeof posting);
      in.check(posting.slot() < stored.slots && posting.frequency() > 0, "a posting is out of range");
      list.insert(posting);
      stored.set_checked(stored.lists.size());
      stored.lists.push_back({1, 0});
      continue;
    }
    in.check(count > 0 && count <= stored.slots, "a term has no record, or too many");
    const size_t size = PostingList::image_bytes(count);
    in.check(size <= left && blocks_of(count) <= lasts_left.size(), "the lists are longer than they may be");
    list.use_image(image, count, maxima[next_image], lasts_left.first(blocks_of(count)));
    image += size;
    left -= size;
    lasts_left = lasts_left.subspan(blocks_of(count));
    stored.lists.push_back({count, sums[next_image++]});
  }
  in.check(left == 0 && lasts_left.empty(), "there are lists of no term");
}

void LexicalIndex::check_stored_list(TermId term) const {
  const StoredLists::List& of_term = stored_->lists[term];
  const std::span<const std::byte> image(lists_[term].image(), PostingList::image_bytes(of_term.postings));
  if (crc32c(image) != of_term.checksum || !lists_[term].is_sound_image(of_term.postings, stored_->slots, longest_)) {
    throw CorruptSnapshot(stored_->file, 0, "the list of a term of a user is damaged");
  }
  stored_->set_checked(term);
}

void LexicalIndex::check_forward() const {
  if (!stored_ || stored_->forward_checked.load(std::memory_order_relaxed)) return;
  if (crc32c({stored_->forward, stored_->forward_bytes}) != stored_->forward_checksum) {
    throw CorruptSnapshot(stored_->file, 0, "the terms of a user's records are damaged");
  }
  stored_->forward_checked.store(true, std::memory_order_relaxed);
}

void LexicalIndex::check(Slot slot) const {
  if (!stored_) return;
  check_forward();
  for_each_term(slot, [&](const Occurrence& each) {
    check_list(each.term);
    return true;
  });
}

void LexicalIndex::check_all() const {
  if (!stored_) return;
  check_forward();
  for (TermId term = 0; term < stored_->lists.size(); ++term) check_list(term);
}

}  // namespace memspan
