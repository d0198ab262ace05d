#include "lexical/stop_words.hpp"

#include <array>
#include <cstddef>

namespace memspan {

namespace {

// Articles, pronouns, auxiliaries, common prepositions and conjunctions, question words, and contractions written
// without their apostrophe. Left out on purpose: "not", "no", "never" (they change what is said); "may", "will", "us"
// (a month, a name, a country); "before", "after", "first", "last" and other words of time and place.
constexpr std::string_view kStopWords[] = {
    // articles, determiners
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "such", "each", "both", "either",
    // pronouns
    "i", "me", "my", "mine", "myself", "you", "your", "yours", "yourself", "he", "him", "his", "himself", "she", "her",
    "hers", "herself", "it", "its", "itself", "we", "our", "ours", "ourselves", "they", "them", "their", "theirs",
    "themselves", "one", "ones", "there", "here",
    // auxiliaries
    "am", "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "doing", "done", "have", "has", "had",
    "having", "can", "could", "would", "should", "might", "must", "shall",
    // prepositions, conjunctions
    "of", "in", "on", "at", "to", "for", "from", "by", "with", "about", "into", "onto", "as", "than", "and", "or",
    "but", "if", "so", "because", "while", "then", "too", "also", "just", "very",
    // questions
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how",
    // rests of contractions; "id", "ill", "well", "were" and "shed" are words of their own
    "s", "im", "ive", "youre", "youve", "youll", "youd", "hes", "shes", "theyre", "theyve", "theyll", "weve", "thats",
    "whats", "lets",
};

constexpr std::string_view kNegations[] = {
    "cannot", "cant",   "couldnt", "dont",   "doesnt",   "didnt",  "isnt",     "arent",  "wasnt",
    "werent", "hasnt",  "havent",  "hadnt",  "wouldnt",  "wont",   "shouldnt", "aint",   "mustnt",
};

constexpr size_t kLongest = 10;
constexpr size_t kBuckets = 512;

constexpr size_t hash(std::string_view word) {
  uint32_t h = 2166136261u;
  for (const char c : word) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return (h ^ (h >> 15)) % kBuckets;
}

struct Bucket {
  std::string_view word;
  EnglishWord kind = EnglishWord::content;
};

// Open addressing with linear probing; under half full.
constexpr std::array<Bucket, kBuckets> kTable = [] {
  std::array<Bucket, kBuckets> table = {};
  const auto insert = [&](std::string_view word, EnglishWord kind) {
    size_t i = hash(word);
    while (!table[i].word.empty()) i = (i + 1) % kBuckets;
    table[i] = {word, kind};
  };
  for (const std::string_view word : kStopWords) insert(word, EnglishWord::stop);
  for (const std::string_view word : kNegations) insert(word, EnglishWord::negation);
  return table;
}();

}  // namespace

EnglishWord classify_english(std::string_view word) {
  if (word.empty() || word.size() > kLongest) return EnglishWord::content;
  for (size_t i = hash(word); !kTable[i].word.empty(); i = (i + 1) % kBuckets) {
    if (kTable[i].word == word) return kTable[i].kind;
  }
  return EnglishWord::content;
}

}  // namespace memspan
