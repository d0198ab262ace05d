#include "index/analysis_ahead.hpp"

#include <boost/test/unit_test.hpp>
#include <new>
#include <random>
#include <string>
#include <vector>


namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(analysis_ahead)

std::vector<std::string> texts_of(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts(count);
  for (std::string& text : texts) {
    const size_t words = random() % 200 == 0 ? 6000 : random() % 30;
    for (size_t i = 0; i < words; ++i) text += "word" + std::to_string(random() % 1000) + " ";
  }
  return texts;
}

BOOST_AUTO_TEST_CASE(slices_together_are_the_texts_in_order) {
  const Analyzer analyzer(AnalyzerKind::english);
  for (const size_t count : {0u, 1u, 31u, 32u, 33u, 511u, 512u, 513u, 3000u}) {
    const std::vector<std::string> texts = texts_of(count, static_cast<uint32_t>(count));
    AnalysisAhead ahead(analyzer, count, [&](size_t i) { return std::string_view(texts[i]); });
    size_t at = 0;
    for (;;) {
      const std::span<const TokenBuffer> tokens = ahead.next();
      if (tokens.empty()) break;
      BOOST_REQUIRE(tokens.size() <= AnalysisAhead::kSliceRecords);
      size_t total = 0;
      for (size_t i = 0; i < tokens.size(); ++i, ++at) {
        BOOST_TEST(total < AnalysisAhead::kSliceTokens);
        TokenBuffer expected;
        analyzer.analyze(texts[at], expected);
        BOOST_REQUIRE(tokens[i].size() == expected.size());
        for (size_t t = 0; t < expected.size(); ++t) BOOST_REQUIRE(tokens[i][t] == expected[t]);
        total += expected.size();
      }
    }
    BOOST_TEST(at == count);
    BOOST_TEST(ahead.next().empty());
  }
}

BOOST_AUTO_TEST_CASE(it_may_end_before_the_texts_do) {
  const Analyzer analyzer(AnalyzerKind::simple);
  const std::vector<std::string> texts = texts_of(2000, 5);
  for (int taken = 0; taken < 20; ++taken) {
    AnalysisAhead ahead(analyzer, texts.size(), [&](size_t i) { return std::string_view(texts[i]); });
    for (int i = 0; i < taken; ++i) BOOST_TEST(!ahead.next().empty());
  }
}

BOOST_AUTO_TEST_CASE(a_failure_comes_where_it_belongs) {
  const Analyzer analyzer(AnalyzerKind::simple);
  for (const size_t count : {100u, 2000u}) {
    AnalysisAhead ahead(analyzer, count, [](size_t i) -> std::string_view {
      if (i == 70) throw std::bad_alloc();
      return "some words";
    });
    BOOST_TEST(ahead.next().size() == AnalysisAhead::kSliceRecords);
    BOOST_TEST(ahead.next().size() == AnalysisAhead::kSliceRecords);
    BOOST_CHECK_THROW(ahead.next(), std::bad_alloc);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
