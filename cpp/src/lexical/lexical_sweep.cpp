// LexicalIndex: records that depart, and the sweeps that take their postings out of the lists (departures.hpp).
#include <algorithm>

#include "lexical/lexical_index.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {

// What a term and a block cost a sweep beside their postings.
constexpr size_t kWorkOfTerm = 16;
constexpr size_t kWorkOfBlock = 32;
constexpr TermId kTermsAhead = 8;

}  // namespace

void LexicalIndex::make_room_to_depart() {
  if (!departures_) {
    auto first = std::make_unique<Departures>();
    for (TermId term = 0; term < lists_.size(); ++term) {
      if (term + kTermsAhead < lists_.size()) lists_[term + kTermsAhead].prefetch_head();
      first->cover(static_cast<uint32_t>(lists_[term].size()));
    }
    departures_ = std::move(first);
  }
  departures_->make_room(forward_lists_.size());
}

void LexicalIndex::depart(Slot slot) {
  finish_removal();
  for_each_term(slot, [&](const Occurrence& each) {
    if (--departures_->live(each.term) == 0) drop_if_unused(each.term);
    return true;
  });
  if (!forward_lists_.empty(slot)) {
    forward_lists_.erase(slot);
    uncount(slot);
  }
  departures_->leave(slot);
}

void LexicalIndex::begin_sweep() { departures_->begin(tokens_ + kWorkOfTerm * lists_.size()); }

// True: the sweep is over.
bool LexicalIndex::sweep_on(size_t work) {
  if (!departures_->sweeping()) {
    if (departures_->due(forward_lists_.size())) begin_sweep();
    return false;
  }
  Departures::Place& place = departures_->place();
  departures_->make_room(forward_lists_.size());
  for (size_t done = 0; place.term < lists_.size(); done += sweep_piece(place)) {
    if (done >= work) return false;
  }
  return true;
}

// One block of a list, with what of the tail belongs there. From the last block to the first, by slots and not by numbers
// of blocks, which may change between two pieces of a sweep. Returns about how much work that was.
size_t LexicalIndex::sweep_piece(Departures::Place& place) {
  const TermId term = place.term;
  const auto next_term = [&] { place = {term + 1, kNoSlot}; };
  if (term + kTermsAhead < lists_.size()) lists_[term + kTermsAhead].prefetch_head();
  PostingList& list = lists_[term];
  PostingList& tail = departures_->tail(term);
  if (!terms_.contains(term) || (tail.empty() && list.size() == departures_->live(term))) {
    next_term();
    return kWorkOfTerm;
  }
  try {
    check_list(term);
  } catch (const CorruptSnapshot&) {  // whoever reads the list hears of it
    next_term();
    return kWorkOfTerm;
  }
  const size_t i = std::min(place.below == kNoSlot ? kNoSlot : list.find_block(place.below - 1), list.blocks() - 1);
  const Slot first = i == 0 ? 0 : list.block(i - 1).back().slot() + 1;
  const std::span<const Posting> block = list.block(i);
  const std::span<const Posting> moved = departures_->tail_between(term, first, place.below);
  const bool same = moved.empty() && departures_->all_alive(first, block);
  const size_t work = kWorkOfBlock + (same ? 0 : block.size() + moved.size());
  if (!same) {
    list.replace(i, departures_->merge(block, moved));
    if (!moved.empty() && tail.block(tail.blocks() - 1).back().slot() < place.below) {
      tail.truncate(first);
    } else {
      for (size_t m = moved.size(); m-- > 0;) tail.erase(moved[m].slot());
    }
  }
  place.below = first;
  if (first == 0 || list.empty()) {
    if (list.empty()) std::swap(list, tail);
    next_term();
  }
  return work;
}

}  // namespace memspan
