// Inverted lists of one user with the user's own statistics.
//
// Every record's terms are kept beside the lists (the forward lists), so that a record can be erased exactly, without
// its text: document frequencies, lengths and the dictionary are at any time those of the live records alone.
// Thread safety: const members may run in parallel; writes need exclusion.
// Memory: for each distinct term of each record 6 bytes and about 12 % in its list and 1.5 bytes in the record's forward
// list; 4.3 bytes a slot; about 27 a term of the dictionary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/chunked_vector.hpp"
#include "lexical/departures.hpp"
#include "lexical/forward_list.hpp"
#include "lexical/forward_lists.hpp"
#include "lexical/posting_list.hpp"
#include "lexical/record_lengths.hpp"
#include "lexical/stored_lists.hpp"
#include "lexical/term_table.hpp"
#include "memspan/analyzer.hpp"
#include "memspan/types.hpp"
#include "snapshot/body.hpp"

namespace memspan {

class LexicalIndex {
 public:
  // `slot` is the next one, or one that was removed. A slot without text is added too, so that the columns stay
  // parallel. O(tokens, and for each distinct one the logarithm of its list). Throws std::bad_alloc or
  // std::length_error; then nothing changed.
  void add(Slot slot, const TokenBuffer& tokens);
  // Takes the record's terms away, and those from the dictionary that no other record has. Needs no memory, and check(slot)
  // before.
  // O(distinct terms, and for each the logarithm of its list and a move within a block of it).
  void remove(Slot slot) {
    finish_removal();
    take_out(slot);
  }
  // The same for a record whose slot the next one is likely to take. Nothing happens yet: if the next call is an `add` to
  // the slot, the terms that both records have are looked up once, and their postings overwritten. Otherwise, and before
  // anything is read, finish_removal() must be called.
  void remove_for_another(Slot slot) {
    finish_removal();
    leaving_ = slot;
  }
  void finish_removal() {
    if (leaving_ != kNoSlot) take_out(std::exchange(leaving_, kNoSlot));
  }

  // Takes the record out of the statistics, and terms that no other record has out of the dictionary, but leaves its other
  // postings where they are, and its slot must not be given again until sweep() says so (departures.hpp). Needs
  // make_room_to_depart() before, and after that no memory. O(distinct terms).
  void depart(Slot slot);
  // O(1); O(terms) when the first record departs.
  void make_room_to_depart();
  // Does a piece of the sweep that is due, if one is. Calls free(slot) for the slots that may be given again, the highest
  // first. O(postings of a record that departs), about. Throws std::bad_alloc; the sweep then goes on another time.
  template <typename Free>
  void sweep(Free free) {
    if (departures_ && sweep_on(departures_->share())) departures_->finish(free);
  }
  // A sweep as a whole, of all that has departed, in pieces of about so many postings: false if more is to do.
  template <typename Free>
  bool sweep_all(size_t work, Free free) {
    if (!departures_) return true;
    if (!departures_->sweeping()) begin_sweep();
    if (!sweep_on(work)) return false;
    departures_->finish(free);
    return true;
  }

  // kNoTerm if no live record holds it. Numbers are valid until the next change.
  TermId find(std::string_view text) const { return terms_.find(text); }
  // The numbers of several words, in their order; kNoTerm of those that no live record holds. For words that lie apart in
  // memory several times faster than one after the other. Valid until the thread's next call.
  std::span<const TermId> find_all(const TokenBuffer& words) const;
  std::string_view text(TermId term) const { return terms_.text(term); }
  // Throws CorruptSnapshot, as all that reads lists does, if the list comes from a snapshot and is damaged there.
  const PostingList& list(TermId term) const {
    check_list(term);
    return lists_[term];
  }

  // Of records that took the slots of others which had departed: no record is both here and in the list.
  const PostingList& tail(TermId term) const { return departures_ ? departures_->tail(term) : kNoPostings; }
  // Live records that hold the term: the list and its tail may name others, too.
  size_t records(TermId term) const { return departures_ ? departures_->live(term) : list(term).size(); }

  // How often the record of a posting of the term holds it. O(1), or O(the record's distinct terms) if that is not in
  // the posting itself.
  uint32_t frequency(TermId term, const Posting& posting) const;
  // Asks for the memory that a removal reads first.
  void prefetch_terms(Slot slot) const { forward_lists_.prefetch(slot); }
  uint32_t length(Slot slot) const { return lengths_[slot]; }  // in tokens
  uint32_t longest() const { return longest_; }                // upper bound of every length
  uint64_t documents() const { return documents_; }            // live records with at least one token
  uint64_t tokens() const { return tokens_; }
  size_t terms() const { return terms_.size(); }
  size_t numbers() const { return terms_.numbers(); }  // every term's is below
  bool holds(TermId term) const { return terms_.contains(term); }

  // Calls visit(Occurrence) for the terms of a record in the order of their numbers until it returns false. It may change
  // the lists and the dictionary. Needs check(slot) before.
  template <typename Visit>
  void for_each_term(Slot slot, Visit visit) const {
    if (!forward_lists_.empty(slot)) forward_list::read(forward_lists_[slot], lists_.size(), visit);
  }

  // Throws CorruptSnapshot if anything that is kept of the slot is damaged; anything at all.
  void check(Slot slot) const;
  void check_all() const;

  // `live` become slots 0, 1, ...; `new_slots` says the same by old slot. A load reads nothing of the lists
  // (lexical_snapshot.cpp).
  void save(ByteWriter& head, BodyWriter& body, std::span<const Slot> live, std::span<const Slot> new_slots) const;
  void load(ByteReader& in, const Body& body, size_t slots);
  size_t bytes() const;  // on the heap
  size_t mapped_bytes() const { return stored_ ? stored_->mapped_bytes() : 0; }

 private:
  struct Scratch;
  struct Change;

  std::span<const Occurrence> count_terms(const TokenBuffer& tokens);
  static const PostingList kNoPostings;
  PostingList& list_for(TermId term, bool recycled);
  void prefetch_ends(std::span<const Change> terms, bool recycled);
  template <typename Terms>
  void find_places(const Terms& terms, Slot slot, size_t* places) const;
  std::span<const Change> changes_to(Slot slot, std::span<const Occurrence> terms) const;
  void insert(Slot slot, std::span<const Occurrence> terms, size_t length);
  void came(TermId term);
  void take_posting(TermId term, Slot slot);
  void drop_if_unused(TermId term);
  void take_out(Slot slot);
  void begin_sweep();
  bool sweep_on(size_t work);
  size_t sweep_piece(Departures::Place& place);
  void uncount(Slot slot);
  void load_lists(ByteReader& in, const Body& body, StoredLists& stored);
  void check_list(TermId term) const {
    if (stored_ && !stored_->is_checked(term)) check_stored_list(term);
  }
  void check_stored_list(TermId term) const;
  void check_forward() const;

  TermTable terms_;
  ChunkedVector<PostingList, 512> lists_;     // by term; a block is a page of memory
  ForwardLists forward_lists_;                // empty for a record without terms
  RecordLengths lengths_;
  uint32_t longest_ = 0;
  uint64_t documents_ = 0;
  uint64_t tokens_ = 0;
  Slot leaving_ = kNoSlot;                    // whose removal is not finished
  std::unique_ptr<Departures> departures_;    // null: none ever did
  std::unique_ptr<StoredLists> stored_;       // null: none of the lists lies in a snapshot
};

}  // namespace memspan
