// BM25 through the index, against the formula in doubles. Users are large enough for several windows of slots.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include "support/recency.hpp"
#include "support/records.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(lexical_view)

struct Texts {
  std::map<std::string, std::vector<std::string>> words;  // by id
  std::map<std::string, Micros> ats;
  std::map<std::string, std::map<std::string, double>> frequencies;  // by word and id
  double tokens = 0.0;

  void put(const std::string& id, const std::vector<std::string>& text, Micros at) {
    erase(id);
    words[id] = text;
    ats[id] = at;
    for (const std::string& word : text) ++frequencies[word][id];
    tokens += static_cast<double>(text.size());
  }
  void erase(const std::string& id) {
    const auto found = words.find(id);
    if (found == words.end()) return;
    for (const std::string& word : found->second) frequencies[word].erase(id);
    tokens -= static_cast<double>(found->second.size());
    words.erase(found);
  }

  std::map<std::string, double> scores(const std::vector<std::string>& query, double k1, double b) const {
    const auto n = static_cast<double>(words.size());
    std::map<std::string, double> scores;
    for (const std::string& word : std::set<std::string>(query.begin(), query.end())) {
      const auto with_it = frequencies.find(word);
      if (with_it == frequencies.end()) continue;
      const auto df = static_cast<double>(with_it->second.size());
      const double idf = std::log(1.0 + (n - df + 0.5) / (df + 0.5));
      for (const auto& [id, f] : with_it->second) {
        const double length = static_cast<double>(words.at(id).size());
        scores[id] += idf * f * (k1 + 1.0) / (f + k1 * (1.0 - b + b * length * n / tokens));
      }
    }
    return scores;
  }
};

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

struct Fixture {
  std::mt19937 random{11};
  IndexConfig config{.dim = 4, .analyzer = AnalyzerKind::simple, .k1 = 1.2, .b = 0.75};
  Index index{config};
  Texts texts;

  // Common words, and one in `rare` records: w0 is nearly everywhere.
  std::vector<std::string> random_words(size_t most) {
    std::vector<std::string> words(1 + random() % most);
    for (std::string& word : words) {
      const auto r = static_cast<double>(random() % 10'000 + 1) / 10'000.0;
      word = "w" + std::to_string(static_cast<int>(1.0 / r) - 1);
    }
    return words;
  }

  void put(const std::map<std::string, std::vector<std::string>>& records) {
    std::vector<test::Item> items;
    for (const auto& [id, words] : records) {
      const auto at = static_cast<Micros>(random() % 1000);
      items.push_back({.id = id, .at = at, .text = join(words)});
      texts.put(id, words, at);
    }
    test::add(index, items);
  }
  void erase(const std::vector<std::string>& ids) {
    const std::vector<std::string_view> views(ids.begin(), ids.end());
    BOOST_REQUIRE(index.remove("ana", views) == ids.size());
    for (const std::string& id : ids) texts.erase(id);
  }

  void check(const std::vector<std::string>& words, uint32_t k, std::optional<Interval> between = {}) {
    const std::map<std::string, double> scores = texts.scores(words, config.k1, config.b);
    std::map<std::string, double> wanted;
    for (const auto& [id, score] : scores) {
      if (!between || (between->start <= texts.ats[id] && texts.ats[id] < between->end)) wanted[id] = score;
    }
    Query query{.user = "ana", .text = join(words), .k = k, .depth = k};
    if (between) query.between = {{*between}};
    const SearchResult result = index.search(query);
    BOOST_REQUIRE(result.hits.size() == std::min<size_t>(k, wanted.size()));
    for (size_t i = 0; i < result.hits.size(); ++i) {
      const Hit& hit = result.hits[i];
      BOOST_REQUIRE(wanted.contains(hit.id));
      BOOST_REQUIRE(std::abs(hit.score - wanted[hit.id]) <= 2e-6 * (1.0 + wanted[hit.id]));
      wanted.erase(hit.id);
      if (i == 0) continue;
      const Hit& better = result.hits[i - 1];
      BOOST_REQUIRE(better.score >= hit.score);
      if (better.score == hit.score) BOOST_REQUIRE(test::newness(better.at, better.id) > test::newness(hit.at, hit.id));
    }
    if (result.hits.empty()) return;
    const Hit& last = result.hits.back();
    for (const auto& [id, score] : wanted) {
      BOOST_REQUIRE(score <= last.score + 4e-6 * (1.0 + score));
      // A record with the words of the last hit and its length ties with it, whatever path scored it.
      if (texts.words[id] == texts.words[last.id]) {
        BOOST_REQUIRE(texts.ats[id] < last.at || (texts.ats[id] == last.at && id > last.id));
      }
    }
  }

  void check_many() {
    for (const uint32_t k : {1u, 10u, 100u, 5000u}) {
      check({"w0"}, k);
      check({"w700", "w901", "w2000"}, k);
      check({"w0", "w1", "w2", "w3", "w0", "nowhere"}, k);
      check({"w3000", "w0", "w17", "w450", "w5"}, k);
      check({"w0", "w1", "w9"}, k, Interval{300, 310});
      check({"w0", "w1", "w2000"}, k, Interval{0, 900});
    }
  }
};

BOOST_AUTO_TEST_CASE(equals_the_formula_before_and_after_changes, *boost::unit_test::label("long_under_asan")) {
  Fixture fixture;
  std::map<std::string, std::vector<std::string>> records;
  for (int i = 0; i < 20'000; ++i) records["r" + std::to_string(i)] = fixture.random_words(12);
  fixture.put(records);
  fixture.check_many();
  // Replaced, removed and new records take slots anywhere.
  std::vector<std::string> gone;
  for (int i = 0; i < 20'000; i += 3) gone.push_back("r" + std::to_string(i));
  fixture.erase(gone);
  records.clear();
  for (int i = 0; i < 3000; ++i) records["n" + std::to_string(i)] = fixture.random_words(40);
  for (int i = 1; i < 9000; i += 3) records["r" + std::to_string(i)] = fixture.random_words(5);
  fixture.put(records);
  fixture.check_many();
}

BOOST_AUTO_TEST_CASE(long_texts_and_high_frequencies) {
  Fixture fixture;
  std::map<std::string, std::vector<std::string>> records;
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> words = fixture.random_words(i % 10 == 0 ? 3000 : 40);
    if (i % 7 == 0) words.insert(words.end(), static_cast<size_t>(i), "w5");
    records["r" + std::to_string(i)] = words;
  }
  fixture.put(records);
  for (const uint32_t k : {1u, 10u, 500u}) {
    fixture.check({"w0"}, k);
    fixture.check({"w5", "w0"}, k);
    fixture.check({"w5", "w7", "w100"}, k);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
