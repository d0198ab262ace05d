// Word segmentation after UAX #29, with identifiers recognised and scripts without spaces cut into pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lexical/unicode.hpp"

namespace memspan {

enum class SegmentKind : uint8_t {
  word,        // letters, digits and marks, with the inner apostrophes and grouping commas that `traits` announces
  acronym,     // single letters with dots between them
  identifier,  // a whole whose parts follow as segments of their own
  ngram,       // one or two characters of a script without spaces, or of Hangul
  emoji,
};

// What a word contains besides a-z.
namespace traits {
inline constexpr uint8_t kDigit = 1;
inline constexpr uint8_t kApostrophe = 2;
inline constexpr uint8_t kComma = 4;
inline constexpr uint8_t kNonAscii = 8;
}  // namespace traits

struct Segment {
  std::string_view text;
  SegmentKind kind = SegmentKind::word;
  uint8_t traits = 0;
};

// Walks over text that fold_for_search() made.
//
// A *chunk* is what the reader sees as one thing: words joined by single connectors, perhaps with a prefix (@ana,
// #topic, .net) or suffix (c++, c#). The outer connectors / @ & + # : (the last between digits only) divide it into
// *groups*, the inner connectors . - _ a group into *parts*. Segments come as chunk, group, part, group, part, ...; a
// chunk or group of one part comes only as the part. A URL comes whole, and then what follows its scheme, cut at every
// outer connector.
//
// Each character is looked at a bounded number of times, so that a walk is O(n); nothing is allocated.
class Segmenter {
 public:
  // `folded` must outlive the segmenter.
  explicit Segmenter(std::string_view folded) : text_(folded), limit_(folded.size()) {}

  // Moves to the next segment; false at the end.
  bool next(Segment& segment);

 private:
  struct Connector {
    size_t size = 0;  // 0: none
    bool outer = false;
  };

  std::string_view slice(size_t begin, size_t end) const { return text_.substr(begin, end - begin); }
  char byte_at(size_t i) const { return i < limit_ ? text_[i] : '\0'; }
  CharClass class_at(size_t i, size_t& size) const;
  bool is_letter_at(size_t i) const;
  bool is_word_at(size_t i) const;
  bool is_emoji_at(size_t i, size_t& size) const;

  bool groups_digits(size_t comma, size_t digits_before) const;
  bool divides_date_and_time(size_t i) const;
  size_t scan_part(size_t i, uint8_t& traits) const;
  Connector connector_at(size_t i) const;
  bool has_prefix_at(size_t i) const;
  size_t suffix_size_at(size_t i) const;
  size_t find_url_end(size_t i) const;
  size_t cluster_end(size_t i) const;

  bool open_next(Segment& segment);
  void open_chunk(size_t begin, size_t prefix_size, Segment& segment);
  bool open_group(Segment& segment);
  void take_part(Segment& segment);
  bool take_ngram(Segment& segment);
  void take_emoji(CharClass char_class, size_t size, Segment& segment);

  std::string_view text_;
  const CharClasses& classes_ = CharClasses::get();
  size_t position_ = 0;  // nothing before it starts a chunk any more
  size_t limit_;         // nothing is read behind it: end of the text, or of the URL
  bool in_url_ = false;  // then outer connectors separate chunks

  // The open chunk and group: [part_, group_end_) and [group_, chunk_end_) are still to come.
  size_t chunk_end_ = 0;  // without a suffix
  size_t group_ = 0;
  size_t group_end_ = 0;
  size_t part_ = 0;

  // The open run of characters to be paired; its class is separator if there is none.
  CharClass ngram_class_ = CharClass::separator;
  size_t ngram_ = 0;      // the character that starts the next pair
  size_t ngram_end_ = 0;  // its end
  bool ngram_paired_ = false;
};

}  // namespace memspan
