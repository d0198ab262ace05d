#include "memspan/analyzer.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lexical/utf8.hpp"
#include "memspan/error.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(analyzer)

std::string join(const TokenBuffer& tokens) {
  std::string out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i > 0) out += ' ';
    out += tokens[i];
  }
  return out;
}

std::string analyze(AnalyzerKind kind, std::string_view text) {
  TokenBuffer tokens;
  Analyzer(kind).analyze(text, tokens);
  return join(tokens);
}

std::string english(std::string_view text) { return analyze(AnalyzerKind::english, text); }
std::string simple(std::string_view text) { return analyze(AnalyzerKind::simple, text); }

BOOST_AUTO_TEST_CASE(names) {
  BOOST_TEST((parse_analyzer("english") == AnalyzerKind::english));
  BOOST_TEST((parse_analyzer("simple") == AnalyzerKind::simple));
  BOOST_TEST(analyzer_name(AnalyzerKind::english) == "english");
  BOOST_TEST(analyzer_name(AnalyzerKind::simple) == "simple");
  for (const std::string_view name : {"", "English", "klingon"}) {
    BOOST_CHECK_EXCEPTION(parse_analyzer(name), InvalidArgument, [&](const InvalidArgument& error) {
      const std::string message = error.what();
      return message.find("analyzer") != std::string::npos && message.find(name) != std::string::npos &&
             message.find("english") != std::string::npos && message.find("simple") != std::string::npos;
    });
  }
}

BOOST_AUTO_TEST_CASE(english_drops_stop_words_and_stems) {
  BOOST_TEST(english("When did Caroline go to the LGBTQ support groups?") == "carolin go lgbtq support group");
  BOOST_TEST(english("the of and is what") == "");
  BOOST_TEST(english("") == "");
  BOOST_TEST(english("In May, Will told us") == "may will told us");
  BOOST_TEST(simple("When did Caroline go?") == "when did caroline go");
}

BOOST_AUTO_TEST_CASE(apostrophes) {
  BOOST_TEST(english("Ana's cats’ toys; James's") == "ana cat toy jame");
  BOOST_TEST(english("I'm you've she'll they'd we're let's") == "let");
  BOOST_TEST(english("don't dont do not") == "not not not");
  BOOST_TEST(english("can't cant cannot can not won't shan't ain't") == "not not not not not not not");
  BOOST_TEST(english("needn't shouldn't've") == "need not not");
  BOOST_TEST(english("O'Brien o’clock") == "obrien o brien oclock o clock");
  BOOST_TEST(english("90's the '90s 1990s") == "90 90 1990");
  BOOST_TEST(simple("l'amour don't") == "lamour l amour dont don t");
}

BOOST_AUTO_TEST_CASE(numbers) {
  BOOST_TEST(english("3,000 3000") == "3000 3000");
  BOOST_TEST(english("3,000.5 3000.5") == "3000.5 3000 5 3000.5 3000 5");
  BOOST_TEST(english("May 8th, the 21st") == "may 8 21");
  BOOST_TEST(english("10am 5kg 30mins h2o 4x4") == "10am 10 5kg 5 kg 30mins 30 min h2o 4x4");
  BOOST_TEST(simple("8th 10,000m") == "8th 8 th 10000m 10000 m");
  BOOST_TEST(english("2023-05-08T13:56") == "2023-05-08 2023 05 08 13:56 13 56");
  BOOST_TEST(english("٣٤ ＡＢ１") == "34 ab1");
}

BOOST_AUTO_TEST_CASE(identifiers_are_found_whole_and_by_part) {
  BOOST_TEST(english("gpt-4.1-mini") == "gpt-4.1-mini gpt 4 1 mini");
  BOOST_TEST(english("running_tests.py") == "running_tests.py run test py");
  BOOST_TEST(english("ana@example.com") == "ana@example.com ana example.com exampl com");
  BOOST_TEST(english("C++ c# @Ana #RoadTrips") == "c++ c c# c @ana ana #roadtrips roadtrip");
  BOOST_TEST(english("a mother-in-law's") == "mother-in-law mother law");
  BOOST_TEST(english("v2.0.1") == "v2.0.1 v2 0 1");
  BOOST_TEST(english("in the U.S. at 9 a.m.") == "us 9");
  BOOST_TEST(simple("and/or") == "and/or and or");
}

BOOST_AUTO_TEST_CASE(folding_makes_variants_equal) {
  BOOST_TEST(english("Cafés CAFÉ cafe\u0301s") == "cafe cafe cafe");
  BOOST_TEST(simple("Straße STRASSE ﬁt") == "strasse strasse fit");
  BOOST_TEST(english("бегущая Бегущая") == "бегущая бегущая");
  BOOST_TEST(english("👍🏽 👍 ❤️ ❤") == "👍 👍 ❤ ❤");
  BOOST_TEST(english("東京都 한국어") == "東京 京都 한국 국어");
}

BOOST_AUTO_TEST_CASE(long_tokens_are_cut_at_a_character) {
  for (const std::string_view unit : {"x", "é1я", "न", "a_", "猫\u0301"}) {
    std::string text;
    while (text.size() < 1000) text += unit;
    for (const AnalyzerKind kind : {AnalyzerKind::english, AnalyzerKind::simple}) {
      TokenBuffer tokens;
      Analyzer(kind).analyze(text, tokens);
      BOOST_TEST(!tokens.empty());
      for (size_t i = 0; i < tokens.size(); ++i) BOOST_TEST(tokens[i].size() <= kMaxTokenBytes);
    }
  }
  const std::string word(200, 'q');
  BOOST_TEST(simple(word) == word.substr(0, kMaxTokenBytes));
  BOOST_TEST(simple(word + "a") == simple(word + "b"));
  std::string cyrillic;
  for (int i = 0; i < 100; ++i) cyrillic += "я";
  BOOST_TEST(simple("x" + cyrillic) == "x" + cyrillic.substr(0, kMaxTokenBytes - 2));
}

BOOST_AUTO_TEST_CASE(a_buffer_is_appended_to_and_reusable) {
  TokenBuffer tokens;
  const Analyzer chosen(AnalyzerKind::simple);
  chosen.analyze("one two", tokens);
  chosen.analyze("three", tokens);
  BOOST_TEST(join(tokens) == "one two three");
  tokens.clear();
  BOOST_TEST(tokens.empty());
  chosen.analyze("four", tokens);
  BOOST_TEST(join(tokens) == "four");
}

BOOST_AUTO_TEST_CASE(any_bytes_are_safe, *boost::unit_test::label("long_under_tsan")) {
  std::mt19937 random(3);
  const std::vector<std::string> pieces = {
      "a", "n't", "can", "'s", "'", "1", "1a", "1,000", ",", ".", "-", "_", "/", "@", "#", "++", ":", "://", " ", "é",
      "½", "\uFDFA", "猫", "가", "👍", "\u200D", "🏽", "🇫", "\u0301", "ि", "\xFF", "\xF0\x9F", "running",
      "2023-05-08t1"};
  TokenBuffer tokens;
  TokenBuffer again;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    if (round % 4 == 0) {
      for (size_t i = random() % 64; i > 0; --i) text += static_cast<char>(random() & 0xFF);
    } else {
      for (size_t i = random() % 40; i > 0; --i) text += pieces[random() % pieces.size()];
    }
    for (const AnalyzerKind kind : {AnalyzerKind::english, AnalyzerKind::simple}) {
      const Analyzer chosen(kind);
      tokens.clear();
      again.clear();
      chosen.analyze(text, tokens);
      chosen.analyze(text, again);
      BOOST_REQUIRE(join(tokens) == join(again));
      BOOST_REQUIRE(tokens.size() <= kMaxTokensPerByte * text.size());
      for (size_t i = 0; i < tokens.size(); ++i) {
        const std::string_view token = tokens[i];
        BOOST_REQUIRE(!token.empty());
        BOOST_REQUIRE(token.size() <= kMaxTokenBytes);
        for (size_t at = 0; at < token.size();) {
          const DecodedChar decoded = decode_utf8(token.data() + at, token.data() + token.size());
          BOOST_REQUIRE(decoded.code_point != kBadByte);
          at += decoded.size;
        }
      }
    }
  }
}

// Of this thread: what other processes take does not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Texts made to be read again and again: ten times the length may cost about ten times the time, not a hundred.
BOOST_AUTO_TEST_CASE(time_is_linear, *boost::unit_test::label("long_under_tsan")) {
  const std::vector<std::string_view> units = {"a",  "a_", "_",        "1,", "a'd", "a://", "1a-1a/",
                                               "a.", "@",  "👩\u200D", "ि",  "猫",  "(",    ")"};
  for (const std::string_view unit : units) {
    const auto seconds = [&](size_t size) {
      std::string text = "a";
      while (text.size() < size) text += unit;
      TokenBuffer tokens;
      double best = 1e9;
      for (int run = 0; run < 3; ++run) {
        tokens.clear();
        const double start = processor_seconds();
        Analyzer(AnalyzerKind::english).analyze(text, tokens);
        best = std::min(best, processor_seconds() - start);
      }
      return best;
    };
    const double small = seconds(20'000);
    const double large = seconds(200'000);
    BOOST_TEST(large < 40 * small + 0.02, unit << ": " << small << " s, then " << large << " s");
  }
}

BOOST_AUTO_TEST_CASE(threads_share_an_analyzer) {
  const Analyzer chosen(AnalyzerKind::english);
  const std::string text = "Ana's 3,000 cafés weren't in 東京 👍🏽, see https://example.com/a?b=c";
  const std::string expected = english(text);
  std::vector<std::string> results(4);
  std::vector<std::thread> threads;
  for (std::string& result : results) {
    threads.emplace_back([&] {
      TokenBuffer tokens;
      for (int i = 0; i < 200; ++i) {
        tokens.clear();
        chosen.analyze(text, tokens);
      }
      result = join(tokens);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& result : results) BOOST_TEST(result == expected);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
