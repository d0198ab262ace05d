#include "ranking/evidence.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "support/ranking_user.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(ranking_evidence)

using test::Item;
using Words = std::vector<std::string>;

constexpr size_t kDim = 6;

bool close(float a, double b) { return std::abs(static_cast<double>(a) - b) < 1e-3 * std::max(1.0, std::abs(b)); }

std::string join(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

// Everything from the definitions, in doubles, over all records of the user.
struct Naive {
  std::vector<Item> items;  // by slot
  std::vector<Words> words;
  std::set<Slot> admitted;

  static std::vector<double> unit(const std::vector<float>& vector) {
    double squares = 0.0;
    for (const float x : vector) squares += static_cast<double>(x) * static_cast<double>(x);
    std::vector<double> result;
    for (const float x : vector) result.push_back(static_cast<double>(x) / std::sqrt(squares));
    return result;
  }
  static double cosine(const std::vector<float>& a, const std::vector<float>& b) {
    const std::vector<double> x = unit(a);
    const std::vector<double> y = unit(b);
    double sum = 0.0;
    for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
  }

  struct Normal {
    double mean = 0.0;
    double deviation = 1.0;
    double z(double score) const { return (score - mean) / deviation; }
  };
  Normal cosines(const std::vector<float>& query) const {
    double n = 0.0, sum = 0.0, squares = 0.0;
    for (const Slot slot : admitted) {
      if (items[slot].embedding.empty()) continue;
      const double each = cosine(items[slot].embedding, query);
      n += 1.0;
      sum += each;
      squares += each * each;
    }
    if (n == 0.0) return {};
    return {sum / n, std::max(0.02, std::sqrt(std::max(0.0, squares / n - sum / n * sum / n)))};
  }

  double documents() const {
    return static_cast<double>(
        std::count_if(words.begin(), words.end(), [](const Words& each) { return !each.empty(); }));
  }
  double with(const std::string& word) const {
    return static_cast<double>(std::count_if(words.begin(), words.end(), [&](const Words& each) {
      return std::find(each.begin(), each.end(), word) != each.end();
    }));
  }
  double weight(double with_word) const {
    return std::log(1.0 + (documents() - with_word + 0.5) / (with_word + 0.5)) * 2.2;
  }
  double part(Slot slot, const std::string& word) const {
    double tokens = 0.0;
    for (const Words& each : words) tokens += static_cast<double>(each.size());
    const auto f = static_cast<double>(std::count(words[slot].begin(), words[slot].end(), word));
    const auto length = static_cast<double>(words[slot].size());
    return weight(with(word)) * f / (f + 1.2 * (0.25 + 0.75 * length * documents() / tokens));
  }
};

struct Fixture {
  std::mt19937 random{1};
  test::RankingUser user{kDim};
  Naive naive;

  void add(Item item, const Words& words) {
    item.id = "r" + std::to_string(naive.items.size());
    item.text = join(words);
    user.add(item);
    naive.items.push_back(item);
    naive.words.push_back(words);
  }
  void ask() {
    user.ask();
    naive.admitted.clear();
    for (Slot slot = 0; slot < naive.items.size(); ++slot) {
      if (user.admission.admits(slot)) naive.admitted.insert(slot);
    }
  }

  void check(const Words& question) {
    const Naive::Normal cosines = user.query.embedding.empty() ? Naive::Normal() : naive.cosines(user.query.embedding);
    std::set<std::string> known;
    double all = 0.0, mean = 0.0, variance = 0.0;
    size_t unknown = question.size();
    for (const std::string& word : std::set<std::string>(question.begin(), question.end())) {
      const double with = naive.with(word);
      if (with == 0.0) continue;
      --unknown;
      known.insert(word);
      all += naive.weight(with);
      const double share = with / naive.documents();
      const double usual = naive.weight(with) / 2.2;
      mean += share * usual;
      variance += share * (1.0 - share) * usual * usual;
    }
    all += static_cast<double>(unknown) * 0.5 * naive.weight(0.0);
    const Naive::Normal parts{mean, std::max(0.05, std::sqrt(variance))};
    if (!question.empty() && naive.documents() > 0.0) BOOST_REQUIRE(close(user.evidence.most_bm25(), all));

    struct Best {
      std::multiset<double, std::greater<>> cosine, bm25;
      std::set<std::string> words;
    };
    std::map<uint32_t, Best> sessions;
    for (const Slot slot : user.pool.slots()) {
      const RankingEvidence::Record& record = user.record(slot);
      const Item& item = naive.items[slot];
      double cosine_z = 0.0;
      BOOST_REQUIRE(record.has_vector == (!item.embedding.empty() && !user.query.embedding.empty()));
      if (record.has_vector) {
        const double cosine = Naive::cosine(item.embedding, user.query.embedding);
        BOOST_REQUIRE(close(record.cosine, cosine));
        cosine_z = cosines.z(cosine);
        BOOST_REQUIRE(close(record.cosine_z, cosine_z));
      }
      const RankingPool::Position before = user.pool.neighbor(user.pool.find(slot), -1);
      if (record.has_vector && before != RankingPool::kNobody) {
        const Item& other = naive.items[user.pool.slots()[before]];
        if (!other.embedding.empty()) {
          std::vector<float> both;
          const std::vector<double> a = Naive::unit(item.embedding);
          const std::vector<double> b = Naive::unit(other.embedding);
          for (size_t i = 0; i < a.size(); ++i) both.push_back(static_cast<float>(a[i] + b[i]));
          BOOST_REQUIRE(close(record.with_before_z, cosines.z(Naive::cosine(both, user.query.embedding))));
        }
      }
      double bm25 = 0.0, held = 0.0;
      std::set<std::string> words;
      for (const std::string& word : known) {
        if (naive.part(slot, word) == 0.0) continue;
        bm25 += naive.part(slot, word);
        held += naive.weight(naive.with(word));
        words.insert(word);
      }
      double bm25_z = 0.0;
      if (!question.empty() && naive.documents() > 0.0) {
        BOOST_REQUIRE(close(record.bm25, bm25));
        bm25_z = parts.z(bm25);
        BOOST_REQUIRE(close(record.bm25_z, bm25_z));
        BOOST_REQUIRE(close(user.evidence.share_of_words(record.words), all > 0.0 ? held / all : 0.0));
      }
      const uint32_t session = user.pool.session(user.pool.find(slot));
      if (session == RankingPool::kNoSession) continue;
      sessions[session].cosine.insert(cosine_z);
      sessions[session].bm25.insert(bm25_z);
      sessions[session].words.merge(words);
    }
    for (const auto& [number, best] : sessions) {
      const RankingEvidence::Session& session = user.evidence.session(number);
      BOOST_REQUIRE(session.records == best.cosine.size());
      size_t i = 0;
      for (auto z = best.cosine.begin(); z != best.cosine.end() && i < 3; ++z) {
        BOOST_REQUIRE(close(session.cosine[i++], *z));
      }
      i = 0;
      for (auto z = best.bm25.begin(); z != best.bm25.end() && i < 3; ++z) BOOST_REQUIRE(close(session.bm25[i++], *z));
      double held = 0.0;
      for (const std::string& word : best.words) held += naive.weight(naive.with(word));
      BOOST_REQUIRE(close(user.evidence.share_of_words(session.words), all > 0.0 ? held / all : 0.0));
    }
  }
};

BOOST_AUTO_TEST_CASE(random_users_give_what_the_definitions_say) {
  for (unsigned round = 0; round < 60; ++round) {
    Fixture fixture;
    std::mt19937& random = fixture.random;
    random.seed(round);
    // Up to 127 records, all of which are in the sample that tells the spread.
    const size_t records = 1 + random() % 127;
    const auto some_words = [&](size_t most) {
      Words words(random() % (most + 1));
      for (std::string& word : words) word = "w" + std::to_string(random() % (random() % 2 == 0 ? 4 : 40));
      return words;
    };
    for (size_t i = 0; i < records; ++i) {
      Item item{.at = static_cast<Micros>(random() % 90)};
      if (random() % 4 != 0) item.session = "s" + std::to_string(random() % 6);
      if (round % 5 != 0 && random() % 5 != 0) item.embedding = test::random_vector(kDim, random);
      if (random() % 6 == 0) item.kind = Kind::vault;
      fixture.add(item, some_words(round % 7 == 0 ? 0 : 8));
    }
    for (int asked = 0; asked < 4; ++asked) {
      Query& query = fixture.user.query;
      Words question = some_words(7);
      query.embedding.clear();
      query.text.reset();
      query.between.reset();
      if (random() % 3 != 0) query.embedding = test::random_vector(kDim, random);
      if (query.embedding.empty() || random() % 3 != 0) {
        query.text = join(question);
      } else {
        question.clear();
      }
      if (random() % 2 == 0) query.between = {{20, 60}};
      query.depth = query.k = 1 + static_cast<uint32_t>(random() % 20);
      fixture.ask();
      fixture.check(question);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_spread_of_a_large_user_is_near_the_true_one) {
  Fixture fixture;
  for (size_t i = 0; i < 3000; ++i) fixture.add({.embedding = test::random_vector(kDim, fixture.random)}, {});
  fixture.user.query.embedding = test::random_vector(kDim, fixture.random);
  fixture.ask();
  const Naive::Normal true_one = fixture.naive.cosines(fixture.user.query.embedding);
  for (const Slot slot : fixture.user.pool.slots()) {
    const double z = true_one.z(Naive::cosine(fixture.naive.items[slot].embedding, fixture.user.query.embedding));
    BOOST_REQUIRE(std::abs(static_cast<double>(fixture.user.record(slot).cosine_z) - z) < 0.5 + 0.25 * std::abs(z));
  }
}

// Few records of the pool, and words of which many records hold each: their lists are looked into, not read.
BOOST_AUTO_TEST_CASE(long_lists_are_looked_into) {
  Fixture fixture;
  for (int i = 0; i < 2500; ++i) {
    Words words;
    for (unsigned word = 0; word < 6; ++word) {
      if (fixture.random() % (word + 1) != 0) continue;
      words.insert(words.end(), 1 + fixture.random() % 3, "w" + std::to_string(word));
    }
    fixture.add({.at = static_cast<Micros>(fixture.random() % 900), .session = "s" + std::to_string(i % 40)}, words);
  }
  fixture.user.query.text = "w0 w1 w2 w3 w4 w5 unknown";
  fixture.user.query.k = fixture.user.query.depth = 4;
  fixture.ask();
  BOOST_TEST(fixture.user.pool.size() < 30u);
  fixture.check({"w0", "w1", "w2", "w3", "w4", "w5", "unknown"});
  fixture.user.query.depth = 3000;  // and read
  fixture.user.query.k = 1;
  fixture.ask();
  BOOST_TEST(fixture.user.pool.size() > 2000u);
  for (int i = 0; i < 20; ++i) {
    const auto slot = static_cast<Slot>(fixture.random() % 2500);
    if (fixture.user.pool.find(slot) == RankingPool::kNobody) continue;
    double bm25 = 0.0;
    for (int word = 0; word < 6; ++word) bm25 += fixture.naive.part(slot, "w" + std::to_string(word));
    BOOST_TEST(close(fixture.user.record(slot).bm25, bm25));
  }
}

BOOST_AUTO_TEST_CASE(equal_records_have_no_spread_to_divide_by) {
  Fixture fixture;
  for (int i = 0; i < 9; ++i) fixture.add({.embedding = std::vector<float>(kDim, 1.0f), .session = "s"}, {"same"});
  fixture.user.query.embedding = std::vector<float>(kDim, 1.0f);
  fixture.user.query.text = "same";
  fixture.ask();
  for (const Slot slot : fixture.user.pool.slots()) {
    BOOST_TEST(std::abs(fixture.user.record(slot).cosine_z) < 1e-3f);
    BOOST_TEST(std::abs(fixture.user.record(slot).with_before_z) < 1e-3f);
    BOOST_TEST(std::isfinite(fixture.user.record(slot).bm25_z));
  }
}

// Two unit vectors that point away from each other have a sum without a direction.
BOOST_AUTO_TEST_CASE(opposite_turns_are_finite_together) {
  Fixture fixture;
  const std::vector<float> one(kDim, 1.0f);
  const std::vector<float> other(kDim, -1.0f);
  fixture.add({.at = 1, .embedding = one, .session = "s"}, {});
  fixture.add({.at = 2, .embedding = other, .session = "s"}, {});
  fixture.user.query.embedding = one;
  fixture.ask();
  BOOST_TEST(std::abs(fixture.user.record(1).with_before_z) < 1.0f);
}

BOOST_AUTO_TEST_CASE(more_words_than_have_a_bit) {
  Fixture fixture;
  Words all;
  for (int i = 0; i < 150; ++i) all.push_back("word" + std::to_string(i));
  for (int i = 0; i < 40; ++i) {
    Words some;
    for (int j = 0; j < 150; ++j) {
      if ((i + j) % (2 + j % 7) == 0) some.push_back(all[static_cast<size_t>(j)]);
    }
    fixture.add({.at = i, .session = "s"}, some);
  }
  fixture.user.query.text = join(all);
  fixture.ask();
  for (const Slot slot : fixture.user.pool.slots()) {
    double bm25 = 0.0;
    for (const std::string& word : all) bm25 += fixture.naive.part(slot, word);
    BOOST_REQUIRE(close(fixture.user.record(slot).bm25, bm25));
    const float share = fixture.user.evidence.share_of_words(fixture.user.record(slot).words);
    BOOST_TEST(share >= 0.0f);
    BOOST_TEST(share <= 1.0f);
  }
}

BOOST_AUTO_TEST_CASE(a_speaker_is_named_by_a_word_of_the_name) {
  Fixture fixture;
  const std::vector<std::pair<std::string, bool>> speakers = {
      {"Ana", true}, {"ana maria", true}, {"ANÁ", true}, {"An", false}, 
      {"Anatol", false}, {"", false}, {"Bo Li", false}};
  for (const auto& [speaker, named] : speakers) fixture.add({.session = "s", .speaker = speaker}, {"boat"});
  fixture.user.query.text = "which boat did Ana and bo see";
  fixture.ask();
  BOOST_TEST(fixture.user.evidence.anyone_named());
  for (Slot slot = 0; slot < speakers.size(); ++slot) {
    BOOST_TEST(fixture.user.record(slot).named == speakers[slot].second, speakers[slot].first);
  }
  fixture.user.query.text = "which boat";
  fixture.ask();
  BOOST_TEST(!fixture.user.evidence.anyone_named());
}

BOOST_AUTO_TEST_CASE(many_speakers_are_told_apart) {
  Fixture fixture;
  for (int i = 0; i < 100; ++i) {
    fixture.add({.session = "s", .speaker = "Speaker" + std::to_string(i % 50)}, {"boat"});
  }
  fixture.user.query.text = "boat of speaker7 or speaker31";
  fixture.ask();
  for (Slot slot = 0; slot < 100; ++slot) {
    BOOST_TEST(fixture.user.record(slot).named == (slot % 50 == 7 || slot % 50 == 31));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
