#include "lexical/lexical_index.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/prefetch.hpp"

namespace memspan {
namespace {

// How far memory is asked for before it is needed: almost every term of a record lies somewhere else.
constexpr size_t kAhead = 24;
// Postings that are searched without asking for their middle first.
constexpr size_t kFew = 64;

}  // namespace

const PostingList LexicalIndex::kNoPostings;

// What an addition does to one list.
struct LexicalIndex::Change {
  TermId term;
  uint32_t frequency;  // 0: the record that was there leaves, and the next one does not have the term
  bool held;           // by the record that leaves
};

// Memory that a thread keeps between additions and searches.
struct LexicalIndex::Scratch {
  std::vector<uint64_t> hashes;
  std::vector<TermId> tokens;
  std::vector<Occurrence> terms;
  std::vector<Change> changes;
  std::vector<uint8_t> bytes;

  static Scratch& of_thread() {
    thread_local Scratch scratch;
    return scratch;
  }
};

// In rounds, each of which asks for the memory that the next one reads: cells, entries and lists, postings.
std::span<const TermId> LexicalIndex::find_all(const TokenBuffer& words) const {
  Scratch& scratch = Scratch::of_thread();
  std::vector<uint64_t>& hashes = scratch.hashes;
  std::vector<TermId>& numbers = scratch.tokens;
  hashes.resize(words.size());
  numbers.resize(words.size());
  for (size_t first = 0; first < words.size(); first += kAhead) {
    const size_t last = std::min(words.size(), first + kAhead);
    for (size_t i = first; i < last; ++i) {
      hashes[i] = TermTable::hash(words[i]);
      terms_.prefetch(hashes[i]);
    }
    for (size_t i = first; i < last; ++i) {
      numbers[i] = terms_.likely(hashes[i]);
      if (numbers[i] == kNoTerm) continue;
      terms_.prefetch_text(numbers[i]);
      prefetch_line(&lists_[numbers[i]]);
    }
    for (size_t i = first; i < last; ++i) {
      if (numbers[i] != kNoTerm) lists_[numbers[i]].prefetch_start();
    }
    for (size_t i = first; i < last; ++i) {
      if (numbers[i] != kNoTerm) numbers[i] = terms_.find(words[i], hashes[i]);
    }
  }
  return numbers;
}

void LexicalIndex::add(Slot slot, const TokenBuffer& tokens) {
  if (leaving_ != slot || departures_ || tokens.empty() || forward_lists_.empty(slot)) finish_removal();
  const auto length = static_cast<uint32_t>(tokens.size());
  lengths_.make_room(slot, length);
  if (!tokens.empty()) {
    insert(slot, count_terms(tokens), length);
  } else if (slot == lengths_.size()) {
    forward_lists_.set(slot, {});
  }
  lengths_.set(slot, length);
}

// The distinct terms, ascending, with their frequencies. Valid until the thread's next call.
std::span<const Occurrence> LexicalIndex::count_terms(const TokenBuffer& tokens) {
  Scratch& scratch = Scratch::of_thread();
  std::vector<TermId>& numbers = scratch.tokens;
  std::vector<Occurrence>& terms = scratch.terms;
  std::vector<uint64_t>& hashes = scratch.hashes;
  const size_t count = tokens.size();
  numbers.clear();
  terms.clear();
  numbers.reserve(count);
  terms.reserve(count);
  hashes.resize(count);
  try {
    for (size_t first = 0; first < count; first += kAhead) {  // in rounds, as find_all
      const size_t last = std::min(count, first + kAhead);
      for (size_t i = first; i < last; ++i) {
        hashes[i] = TermTable::hash(tokens[i]);
        terms_.prefetch(hashes[i]);
      }
      for (size_t i = first; i < last; ++i) {
        const TermId likely = terms_.likely(hashes[i]);
        if (likely == kNoTerm) continue;
        terms_.prefetch_text(likely);
        prefetch_line(&lists_[likely]);
      }
      for (size_t i = first; i < last; ++i) {
        lists_.make_room();
        numbers.push_back(terms_.find_or_create(tokens[i], hashes[i]));
        if (numbers.back() == lists_.size()) lists_.push_back(PostingList());
        if (departures_ && departures_->covered() < lists_.size()) departures_->cover(0);
      }
    }
  } catch (...) {
    for (TermId term : numbers) drop_if_unused(term);
    throw;
  }
  std::sort(numbers.begin(), numbers.end());
  for (TermId term : numbers) {
    if (terms.empty() || terms.back().term != term) terms.push_back({term, 0});
    ++terms.back().frequency;
  }
  return terms;
}

// Where a posting more of the term goes. While a sweep runs, tails that it has emptied stay empty: slots come in ascending
// order, and those of the next round are lower.
// Inlined by force: the compiler may find it too large for what each term of an insertion asks five times.
[[gnu::always_inline]] inline PostingList& LexicalIndex::list_for(TermId term, bool recycled) {
  return recycled && !lists_[term].empty() && !departures_->was_swept(term) ? departures_->tail(term) : lists_[term];
}

void LexicalIndex::prefetch_ends(std::span<const Change> terms, bool recycled) {
  for (const Change& each : terms) list_for(each.term, recycled).prefetch_head();
  for (const Change& each : terms) list_for(each.term, recycled).prefetch_end();
  for (const Change& each : terms) list_for(each.term, recycled).prefetch_last_block();
  for (const Change& each : terms) list_for(each.term, recycled).prefetch_last_end();
}

// The same for a slot that is, or comes, somewhere in the lists. Leaves in `places` what the change of each needs.
template <typename Terms>
void LexicalIndex::find_places(const Terms& terms, Slot slot, size_t* places) const {
  for (const auto& each : terms) lists_[each.term].prefetch_head();
  for (const auto& each : terms) lists_[each.term].prefetch_end();
  for (const auto& each : terms) {
    const PostingList& list = lists_[each.term];
    size_t& piece = *places++ = PostingList::kUnknown;
    if (list.size() <= kFew) continue;  // its head and end are nearly all of it
    piece = list.find_block(slot);
    if (piece < list.blocks()) list.prefetch(piece, slot, true);
  }
}

// By term, ascending: what the record brings, and what the one that leaves the slot takes away. Valid until the thread's
// next call.
std::span<const LexicalIndex::Change> LexicalIndex::changes_to(Slot slot, std::span<const Occurrence> terms) const {
  std::vector<Change>& changes = Scratch::of_thread().changes;
  changes.clear();
  auto next = terms.begin();
  if (leaving_ == slot) {
    for_each_term(slot, [&](const Occurrence& old) {
      for (; next != terms.end() && next->term < old.term; ++next) changes.push_back({next->term, next->frequency, false});
      const bool stays = next != terms.end() && next->term == old.term;
      changes.push_back({old.term, stays ? next->frequency : 0, true});
      next += stays;
      return true;
    });
  }
  for (; next != terms.end(); ++next) changes.push_back({next->term, next->frequency, false});
  return changes;
}

// Puts the record into the lists of its terms, which are distinct, ascending and in the dictionary. If there is no
// memory, terms without postings leave the dictionary again.
void LexicalIndex::insert(Slot slot, std::span<const Occurrence> terms, size_t length) {
  std::array<size_t, kAhead> places;
  std::span<const Change> changes;
  const bool at_end = slot >= lengths_.size();
  const bool recycled = departures_ && !at_end;
  size_t done = 0;
  try {
    for (const Occurrence& each : terms) check_list(each.term);
    const std::span<const uint8_t> forward = forward_list::write(terms, Scratch::of_thread().bytes);
    changes = changes_to(slot, terms);
    for (; done < changes.size(); ++done) {
      if (done % kAhead == 0) {
        const auto round = changes.subspan(done, std::min(kAhead, changes.size() - done));
        if (at_end || recycled) {
          places.fill(PostingList::kUnknown);
          prefetch_ends(round, recycled);
        } else {
          find_places(round, slot, places.data());
        }
      }
      const Change& each = changes[done];
      const size_t place = places[done % kAhead];
      PostingList& list = list_for(each.term, recycled);
      if (each.frequency == 0) {
        take_posting(each.term, slot);
        continue;
      }
      const Posting posting(slot, each.frequency, static_cast<uint32_t>(length));
      if (each.held && list.overwrite(posting, place)) continue;
      list.insert(posting, place);
      if (departures_) ++departures_->live(each.term);
    }
    forward_lists_.set(slot, forward);
  } catch (...) {
    for (const Change& each : changes.first(done)) take_posting(each.term, slot);
    for (const Occurrence& each : terms) drop_if_unused(each.term);
    throw;
  }
  if (leaving_ == slot) uncount(std::exchange(leaving_, kNoSlot));
  longest_ = std::max(longest_, static_cast<uint32_t>(length));
  ++documents_;
  tokens_ += length;
}

// Takes a live record's posting away, and the term if it was its last one.
void LexicalIndex::take_posting(TermId term, Slot slot) {
  if (!departures_) {
    lists_[term].erase(slot);
  } else if (departures_->tail(term).erase(slot) || lists_[term].erase(slot)) {
    --departures_->live(term);
    if (lists_[term].empty()) std::swap(lists_[term], departures_->tail(term));
  }
  drop_if_unused(term);
}

void LexicalIndex::drop_if_unused(TermId term) {
  if (!terms_.contains(term) || (departures_ ? departures_->live(term) > 0 : !lists_[term].empty())) return;
  if (departures_) {
    lists_[term].clear();
    departures_->tail(term).clear();
  }
  terms_.erase(term);
}

void LexicalIndex::take_out(Slot slot) {
  if (forward_lists_.empty(slot)) return;
  std::array<Occurrence, kAhead> round;
  std::array<size_t, kAhead> places;
  size_t count = 0;
  const auto erase_round = [&] {
    find_places(std::span(round).first(count), slot, places.data());
    for (size_t i = 0; i < count; ++i) take_posting(round[i].term, slot);
    count = 0;
  };
  for_each_term(slot, [&](const Occurrence& each) {
    round[count++] = each;
    if (count == kAhead) erase_round();
    return true;
  });
  erase_round();
  forward_lists_.erase(slot);
  uncount(slot);
}

// Takes a record with terms out of the statistics.
void LexicalIndex::uncount(Slot slot) {
  --documents_;
  tokens_ -= lengths_[slot];
  lengths_.set(slot, 0);
  if (documents_ == 0 && !departures_) longest_ = 0;  // of those that departed, there are postings
}

uint32_t LexicalIndex::frequency(TermId term, const Posting& posting) const {
  uint32_t frequency = posting.frequency();
  if (posting.has_frequency()) return frequency;
  check_forward();
  for_each_term(posting.slot(), [&](const Occurrence& each) {
    if (each.term == term) frequency = each.frequency;
    return each.term < term;
  });
  return frequency;
}

size_t LexicalIndex::bytes() const {
  size_t total = terms_.bytes() + lists_.bytes() + forward_lists_.bytes() + lengths_.bytes() +
                 (stored_ ? stored_->heap_bytes() : 0) + (departures_ ? departures_->bytes() : 0);
  for (size_t term = 0; term < lists_.size(); ++term) total += lists_[term].bytes();
  return total;
}

}  // namespace memspan
