// The searches of VectorTable that read the codes of all rows, several of them together: exact ones, and others where blocks cannot be
// told apart.
//
// Of an exact search, a row's codes tell how far its cosine may be from that of the codes at most (CodeQuery::sure_error), so that
// the rows that may be among the best k are few, and only these are read. Where codes cannot tell rows apart, all are.
#include <algorithm>
#include <array>
#include <limits>

#include "simd/kernels.hpp"
#include "vectors/vector_search.hpp"
#include "vectors/vector_table.hpp"

namespace memspan {
namespace {

// Rows whose scores are looked at together; several queries are compared with so many bytes of them in the first-level cache.
constexpr size_t kMostInTile = 128;
constexpr size_t kTileBytes = 24u << 10;
// Codes are read if rows are so many times as long, and there are so many times k of them.
constexpr size_t kShorter = 2;
constexpr size_t kTimesK = 4;
// Of the rows whose codes were read so many may be left, and one in so many.
constexpr size_t kFewLeft = 1024;
constexpr size_t kLeftOf = 4;

}  // namespace

// Do codes spare an exact search for the best k the reading of most rows?
bool VectorTable::reads_codes(size_t k) const {
  return shape_.bytes() >= kShorter * code_stride(dim()) && count_ > kTimesK * k;
}

// From here on the scores of scratch.near are the most that a row may have, but for what is uncertain of the query. The bound
// for one with the largest scale serves for all; rows are ruled out by their own.
void VectorTable::begin_exact(RowScan& search) const {
  VectorScratch& scratch = *search.scratch;
  scratch.query.set(search.query, dim());
  search.error = scratch.query.sure_error(search.query, max_scale_);
  scratch.by_scale = scratch.query.to_raw(search.error.by_scale);
  search.look_at = kTimesK * search.k + kFewLeft / 4;
  scratch.near.reset(search.k, scratch.query.to_raw(2.0f * search.error.at(max_scale_)));
  make_room(scratch);
}

// Calls use(slot, cosine) for the k best by codes; what they are rules others out. Returns the worst of their scores by codes.
template <typename Use>
float VectorTable::score_best(const RowScan& search, Use use) const {
  NearBest& near = search.scratch->near;
  near.settle();
  const float kth = near.kth();
  std::vector<Candidate>& chosen = search.scratch->rescored;
  chosen.clear();
  for (const Candidate& item : near.items()) {
    if (item.score >= kth) chosen.push_back(item);
  }
  float least = std::numeric_limits<float>::infinity();
  score_each(search.query, chosen.size(), [&](size_t i) { return chosen[i].slot; }, [&](size_t i, float cosine) {
    least = std::min(least, cosine);
    use(chosen[i].slot, cosine);
  });
  search.stats->rescored += static_cast<uint32_t>(chosen.size());
  if (chosen.size() >= search.k) near.rule_out_below(search.scratch->query.to_raw(least - search.error.of_query));
  return kth;
}

// Offers the exact cosines of what is left in scratch.near.
void VectorTable::offer_left(const RowScan& search) const {
  TopK& best = *search.best;
  const auto offer = [&](Slot slot, float cosine) {
    if (cosine >= best.threshold()) best.offer(cosine, slot);
  };
  const float kth = score_best(search, offer);
  std::vector<Candidate>& chosen = search.scratch->rescored;
  chosen.clear();
  for (const Candidate& item : search.scratch->near.items()) {
    if (item.score < kth) chosen.push_back(item);
  }
  score_each(search.query, chosen.size(), [&](size_t i) { return chosen[i].slot; },
             [&](size_t i, float cosine) { offer(chosen[i].slot, cosine); });
  search.stats->rescored += static_cast<uint32_t>(chosen.size());
}

void VectorTable::scan(std::span<RowScan> searches, const Bitset* allowed) const {
  scan_codes(searches, allowed);
  const auto by_rows = std::partition(searches.begin(), searches.end(), [](const RowScan& search) { return search.by_codes; });
  if (by_rows != searches.end()) scan_rows({by_rows, searches.end()}, allowed);
}

// By codes, those that this serves: all that are not exact.
void VectorTable::scan_codes(std::span<RowScan> searches, const Bitset* allowed) const {
  const size_t stride = code_stride(dim());
  std::array<RowScan*, kScansTogether> served;
  std::array<int32_t, kScansTogether> offsets;
  size_t count = 0;
  for (RowScan& search : searches) {
    search.by_codes = !search.exact || reads_codes(search.k);
    if (!search.by_codes) continue;
    if (search.exact) {
      begin_exact(search);
    } else {
      begin_search(search.query, search.k, *search.scratch);
      search.look_at = search.k + NearBest::kFirst;
    }
    offsets[count] = search.scratch->query.offset();
    served[count++] = &search;
  }
  if (count == 0) return;
  std::vector<int8_t>& queries = served.front()->scratch->queries;
  queries.clear();
  for (const RowScan* const search : std::span(served).first(count > 1 ? count : 0)) {
    const int8_t* const codes = search->scratch->query.codes();
    queries.insert(queries.end(), codes, codes + stride);
  }

  std::array<float, kScansTogether * kMostInTile> scores;
  size_t read = 0;
  size_t going = count;
  const auto scan = [&](const CodeRows& rows, size_t first, size_t size) {
    rows.check(first, size);
    for (const size_t end = first + size; first < end && going > 0;) {
      const size_t in_tile = std::min(kMostInTile, end - first);
      if (count == 1) {
        served.front()->scratch->query.score(rows, first, in_tile, scores.data());
      } else {
        kernels().code_rows_batch(queries.data(), offsets.data(), count, rows.codes(first), stride, rows.scales() + first, in_tile, stride,
                                  scores.data());
      }
      read += in_tile;
      for (size_t q = 0; q < count; ++q) {
        RowScan& search = *served[q];
        if (!search.by_codes) continue;
        search.stats->rows_read += static_cast<uint32_t>(in_tile);
        float* const own = scores.data() + q * in_tile;
        if (search.exact) {
          for (size_t i = 0; i < in_tile; ++i) own[i] += search.scratch->by_scale * rows.scales()[first + i];
        }
        offer_scored(rows, first, in_tile, own, allowed, *search.scratch);
        NearBest& near = search.scratch->near;
        if (near.size() <= search.look_at) continue;
        if (!search.exact) {
          near.settle();
          search.look_at = near.size() + search.k / 4 + 4;
          continue;
        }
        score_best(search, [](Slot, float) {});
        search.look_at = 2 * near.size() + kFewLeft / 4;
        search.by_codes = near.size() <= kFewLeft + kTimesK * search.k + read / kLeftOf;
        going -= search.by_codes ? 0 : 1;
      }
      first += in_tile;
    }
  };
  for (const auto& fresh : fresh_) {
    for (size_t first = 0; fresh && first < fresh->size();) {
      const FreshRows::Run run = fresh->run(first);
      scan(*run.rows, run.offset, run.count);
      first += run.count;
    }
  }
  size_t blocks = 0;
  for_each_layout([&](const ClusterLayout& layout) {
    scan(layout.rows, 0, layout.size);
    blocks += layout.blocks.size();
  });
  for (const RowScan* const search : std::span(served).first(count)) {
    if (!search->exact) {
      search->stats->blocks += static_cast<uint32_t>(blocks);
      search->stats->blocks_probed += static_cast<uint32_t>(blocks);
      rescore(search->query, search->k, *search->scratch, *search->stats);
      for (const Candidate& row : search->scratch->rescored) search->best->offer(row.score, row.slot);
    } else if (search->by_codes) {
      offer_left(*search);
    }
  }
}

// Reads every row.
void VectorTable::scan_rows(std::span<const RowScan> searches, const Bitset* allowed) const {
  const size_t tile = searches.size() == 1 ? kMostInTile : std::clamp<size_t>(kTileBytes / shape_.bytes(), 4, kMostInTile);
  std::array<float, kMostInTile> scores;
  for (size_t first = 0; first < rows_.size();) {
    const size_t count = std::min(tile, rows_.run(static_cast<Slot>(first)));
    rows_.check(static_cast<Slot>(first), count);
    for (const RowScan& search : searches) {
      shape_.dot_rows(search.query, rows_.row(static_cast<Slot>(first)), count, scores.data());
      for (size_t i = 0; i < count; ++i) {
        const auto slot = static_cast<Slot>(first + i);
        if (scores[i] >= search.best->threshold() && has(slot) && (allowed == nullptr || allowed->test(slot))) {
          search.best->offer(scores[i], slot);
        }
      }
    }
    first += count;
  }
}

void VectorTable::gather(RowScan& search, std::span<const Slot> slots) const {
  if (reads_codes(search.k) && slots.size() > kTimesK * search.k) {
    const size_t most = kTimesK * search.k + slots.size() / kLeftOf;
    begin_exact(search);
    offer_slots(slots, *search.scratch, *search.stats);
    if (search.scratch->near.size() > most) score_best(search, [](Slot, float) {});
    if (search.scratch->near.size() <= most) return offer_left(search);
  }
  score_each(search.query, slots.size(), [&](size_t i) { return slots[i]; }, [&](size_t i, float cosine) {
    if (cosine >= search.best->threshold()) search.best->offer(cosine, slots[i]);
  });
}

}  // namespace memspan
