#include "lexical/segmenter.hpp"

#include <array>

#include "lexical/utf8.hpp"

namespace memspan {

namespace {

bool is_ascii_digit(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) { return c >= 'a' && c <= 'z'; }  // the text is folded

constexpr std::array<CharClass, 128> kAsciiClasses = [] {
  std::array<CharClass, 128> classes = {};
  for (size_t c = '0'; c <= '9'; ++c) classes[c] = CharClass::digit;
  for (size_t c = 'a'; c <= 'z'; ++c) classes[c] = CharClass::letter;
  return classes;
}();

bool writes_words(CharClass char_class) { return char_class == CharClass::letter || char_class == CharClass::digit; }

bool ends_url(char c) {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("\"<>\\^`{|}\x7F").find(c) != std::string_view::npos;
}

// What writers put behind a URL rather than into it.
bool is_sentence_mark(char c) { return std::string_view(".,;:!?'*]").find(c) != std::string_view::npos; }

}  // namespace

CharClass Segmenter::class_at(size_t i, size_t& size) const {
  if (i >= limit_) {
    size = 0;
    return CharClass::separator;
  }
  const auto byte = static_cast<unsigned char>(text_[i]);
  if (byte < 0x80) {
    size = 1;
    return kAsciiClasses[byte];
  }
  const DecodedChar decoded = decode_utf8(text_.data() + i, text_.data() + limit_);
  size = decoded.size;
  return classes_.of(decoded.code_point);
}

bool Segmenter::is_letter_at(size_t i) const {
  size_t size = 0;
  return class_at(i, size) == CharClass::letter;
}

bool Segmenter::is_word_at(size_t i) const {
  size_t size = 0;
  return writes_words(class_at(i, size));
}

bool Segmenter::is_emoji_at(size_t i, size_t& size) const { return class_at(i, size) == CharClass::emoji; }

// Whether the comma at `comma` stands between groups of a number: 12,345.
bool Segmenter::groups_digits(size_t comma, size_t digits_before) const {
  return digits_before >= 1 && digits_before <= 3 && is_ascii_digit(byte_at(comma + 1)) && is_ascii_digit(byte_at(comma + 2)) &&
         is_ascii_digit(byte_at(comma + 3)) && !is_ascii_digit(byte_at(comma + 4));
}

// Whether the character at `i` is the T of 2023-05-08T13:56.
bool Segmenter::divides_date_and_time(size_t i) const {
  constexpr std::string_view kShape = "0000-00-00";
  if (byte_at(i) != 't' || i < kShape.size() || !is_ascii_digit(byte_at(i + 1)) || !is_ascii_digit(byte_at(i + 2))) return false;
  const size_t date = i - kShape.size();
  for (size_t k = 0; k < kShape.size(); ++k) {
    const char c = text_[date + k];
    if (kShape[k] == '-' ? c != '-' : !is_ascii_digit(c)) return false;
  }
  return date == 0 || !is_ascii_digit(text_[date - 1]);
}

// The end of the part that starts at `i`, with what it contains.
size_t Segmenter::scan_part(size_t i, uint8_t& traits) const {
  size_t digits = i;         // start of the last group of digits
  bool only_digits = true;   // and commas
  while (i < limit_) {
    const char c = text_[i];
    if (is_ascii_letter(c)) {
      if (c == 't' && i > digits && only_digits && divides_date_and_time(i)) break;
      only_digits = false;
      ++i;
    } else if (is_ascii_digit(c)) {
      traits |= traits::kDigit;
      ++i;
    } else if (c == '\'') {
      if (!is_letter_at(i + 1)) break;
      traits |= traits::kApostrophe;
      only_digits = false;
      ++i;
    } else if (c == ',') {
      if (!only_digits || !groups_digits(i, i - digits)) break;
      traits |= traits::kComma;
      digits = ++i;
    } else if (static_cast<unsigned char>(c) >= 0x80) {
      size_t size = 0;
      const CharClass char_class = class_at(i, size);
      if (!writes_words(char_class) && char_class != CharClass::mark) break;
      traits |= traits::kNonAscii;
      only_digits = false;
      i += size;
    } else {
      break;
    }
  }
  return i;
}

// The connector at `i`, where a part ends, if another part follows it.
Segmenter::Connector Segmenter::connector_at(size_t i) const {
  const char c = byte_at(i);
  switch (c) {
    case '_': {
      size_t size = 1;
      while (byte_at(i + size) == '_') ++size;
      return is_word_at(i + size) ? Connector{size, false} : Connector{};
    }
    case '.':
    case '-':
      return is_word_at(i + 1) ? Connector{1, false} : Connector{};
    case '/':
    case '@':
    case '&':
    case '+':
    case '#':
      return !in_url_ && is_word_at(i + 1) ? Connector{1, true} : Connector{};
    case ':':
      return !in_url_ && is_ascii_digit(byte_at(i + 1)) && is_ascii_digit(byte_at(i - 1)) ? Connector{1, true} : Connector{};
    default:
      return {};
  }
}

// Whether the character at `i`, which no chunk contains yet, belongs to the word that it stands before.
bool Segmenter::has_prefix_at(size_t i) const {
  const char c = text_[i];
  if ((c != '@' && c != '#' && c != '.') || in_url_) return false;
  if (c != '.') return is_word_at(i + 1);
  if (!is_letter_at(i + 1)) return false;
  return i == 0 || std::string_view(" \t\r\n(/\"'").find(text_[i - 1]) != std::string_view::npos;
}

// The length of the ++ or # that ends the name of a programming language; 0: there is none.
size_t Segmenter::suffix_size_at(size_t i) const {
  if (in_url_ || !is_ascii_letter(text_[i - 1])) return 0;
  if (byte_at(i) == '+' && byte_at(i + 1) == '+') return 2;
  return byte_at(i) == '#' ? 1 : 0;
}

size_t Segmenter::find_url_end(size_t i) const {
  const size_t begin = i;
  size_t unclosed = 0;
  size_t excess = 0;  // closing parentheses without an opening one: they belong to the sentence
  for (; i < limit_ && !ends_url(text_[i]); ++i) {
    if (text_[i] == '(') ++unclosed;
    if (text_[i] == ')') unclosed > 0 ? --unclosed : ++excess;
  }
  for (; i > begin; --i) {
    if (text_[i - 1] == ')' && excess > 0) {
      --excess;
    } else if (!is_sentence_mark(text_[i - 1])) {
      break;
    }
  }
  return i;
}

// The end of the character at `i` with its marks.
size_t Segmenter::cluster_end(size_t i) const {
  size_t size = 0;
  class_at(i, size);
  do {
    i += size;
  } while (class_at(i, size) == CharClass::mark);
  return i;
}

bool Segmenter::next(Segment& segment) {
  if (part_ < group_end_) {
    take_part(segment);
    return true;
  }
  if (group_ < chunk_end_) {
    if (!open_group(segment)) take_part(segment);
    return true;
  }
  if (ngram_class_ != CharClass::separator && take_ngram(segment)) return true;
  return open_next(segment);
}

bool Segmenter::open_next(Segment& segment) {
  for (;;) {
    if (position_ >= limit_) {
      if (!in_url_) return false;
      in_url_ = false;
      limit_ = text_.size();
      continue;
    }
    size_t size = 0;
    const CharClass char_class = class_at(position_, size);
    switch (char_class) {
      case CharClass::letter:
      case CharClass::digit:
        open_chunk(position_, 0, segment);
        return true;
      case CharClass::ideograph:
      case CharClass::unspaced:
      case CharClass::hangul:
        ngram_class_ = char_class;
        ngram_ = position_;
        ngram_end_ = cluster_end(position_);
        ngram_paired_ = false;
        take_ngram(segment);
        return true;
      case CharClass::emoji:
      case CharClass::regional:
        take_emoji(char_class, size, segment);
        return true;
      case CharClass::separator:
      case CharClass::mark:
        if (has_prefix_at(position_)) {
          open_chunk(position_, 1, segment);
          return true;
        }
        position_ += size;
    }
  }
}

// Finds the end of the chunk, moves past it and takes its first segment.
void Segmenter::open_chunk(size_t begin, size_t prefix_size, Segment& segment) {
  uint8_t traits = 0;
  const size_t first_part = begin + prefix_size;
  size_t end = scan_part(first_part, traits);
  if (traits == 0 && prefix_size == 0 && !in_url_ && text_.substr(end, 3) == "://" && is_word_at(end + 3)) {
    const size_t url_end = find_url_end(end + 3);
    segment = {slice(begin, url_end), SegmentKind::identifier, 0};
    position_ = end + 3;
    limit_ = url_end;
    in_url_ = true;
    return;
  }
  Connector connector = connector_at(end);
  const bool single = connector.size == 0;
  bool whole = prefix_size != 0;
  for (; connector.size != 0; connector = connector_at(end)) {
    whole |= connector.outer;
    end = scan_part(end + connector.size, traits);
  }
  const size_t suffix_size = suffix_size_at(end);
  position_ = end + suffix_size;
  if (divides_date_and_time(end)) ++position_;
  whole |= suffix_size != 0;
  if (single && !whole) {
    segment = {slice(begin, end), SegmentKind::word, traits};
    return;
  }
  group_ = first_part;
  chunk_end_ = end;
  if (whole) {
    segment = {slice(begin, end + suffix_size), SegmentKind::identifier, traits};
  } else {
    open_group(segment);
  }
}

// Finds the end of the group that starts at group_; true if the group itself is a segment.
bool Segmenter::open_group(Segment& segment) {
  const size_t begin = group_;
  uint8_t traits = 0;
  bool acronym = true;
  bool whole = false;
  part_ = begin;
  group_end_ = scan_part(begin, traits);
  Connector connector = connector_at(group_end_);
  acronym = group_end_ - begin == 1;
  while (connector.size != 0 && !connector.outer) {
    whole = true;
    acronym &= text_[group_end_] == '.';
    const size_t part = group_end_ + connector.size;
    group_end_ = scan_part(part, traits);
    acronym &= group_end_ - part == 1;
    connector = connector_at(group_end_);
  }
  group_ = group_end_ + connector.size;
  if (!whole) return false;
  acronym &= traits == 0;
  if (acronym) part_ = group_end_;
  segment = {slice(begin, group_end_), acronym ? SegmentKind::acronym : SegmentKind::identifier, traits};
  return true;
}

void Segmenter::take_part(Segment& segment) {
  uint8_t traits = 0;
  const size_t begin = part_;
  const size_t end = scan_part(begin, traits);
  segment = {slice(begin, end), SegmentKind::word, traits};
  part_ = end < group_end_ ? end + connector_at(end).size : group_end_;
}

bool Segmenter::take_ngram(Segment& segment) {
  size_t size = 0;
  if (class_at(ngram_end_, size) != ngram_class_) {
    ngram_class_ = CharClass::separator;
    position_ = ngram_end_;
    if (ngram_paired_) return false;
    segment = {slice(ngram_, ngram_end_), SegmentKind::ngram, traits::kNonAscii};
    return true;
  }
  const size_t second_end = cluster_end(ngram_end_);
  segment = {slice(ngram_, second_end), SegmentKind::ngram, traits::kNonAscii};
  ngram_ = ngram_end_;
  ngram_end_ = second_end;
  ngram_paired_ = true;
  return true;
}

void Segmenter::take_emoji(CharClass char_class, size_t size, Segment& segment) {
  const size_t begin = position_;
  position_ += size;
  if (char_class == CharClass::regional) {
    if (class_at(position_, size) == CharClass::regional) position_ += size;
  } else {
    for (;;) {
      const DecodedChar following =
          position_ < limit_ ? decode_utf8(text_.data() + position_, text_.data() + limit_) : DecodedChar{0, 0};
      if (is_emoji_tag(following.code_point)) {
        position_ += following.size;
      } else if (following.code_point == kJoiner && is_emoji_at(position_ + following.size, size)) {
        position_ += following.size + size;
      } else {
        break;
      }
    }
  }
  segment = {slice(begin, position_), SegmentKind::emoji, traits::kNonAscii};
}

}  // namespace memspan
