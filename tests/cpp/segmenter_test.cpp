#include "lexical/segmenter.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <string>
#include <vector>

#include "lexical/utf8.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(segmenter)

// Segments with a letter for their kind: w(ord), a(cronym), i(dentifier), n(gram), e(moji).
std::string segments(std::string_view text) {
  std::string folded;
  fold_for_search(text, folded);
  std::string out;
  Segmenter segmenter(folded);
  for (Segment segment; segmenter.next(segment);) {
    if (!out.empty()) out += " | ";
    out += "waine"[static_cast<size_t>(segment.kind)];
    out += ':';
    out += segment.text;
  }
  return out;
}

BOOST_AUTO_TEST_CASE(words) {
  BOOST_TEST(segments("") == "");
  BOOST_TEST(segments(" ,.;! -- ") == "");
  BOOST_TEST(segments("The cat, sat.") == "w:the | w:cat | w:sat");
  BOOST_TEST(segments("wait...what?! \"yes\"") == "w:wait | w:what | w:yes");
  BOOST_TEST(segments("don't 'quoted' o''clock x'") == "w:don't | w:quoted | w:o | w:clock | w:x");
  BOOST_TEST(segments("_emphasis_ **bold**") == "w:emphasis | w:bold");
  BOOST_TEST(segments("हिन्दी भाषा") == "w:हिन्दी | w:भाषा");
}

BOOST_AUTO_TEST_CASE(numbers) {
  BOOST_TEST(segments("3,000 1,234,567 12,34 1234,567") == "w:3,000 | w:1,234,567 | w:12 | w:34 | w:1234 | w:567");
  BOOST_TEST(segments("3.14") == "i:3.14 | w:3 | w:14");
  BOOST_TEST(segments("3,000.50") == "i:3,000.50 | w:3,000 | w:50");
  BOOST_TEST(segments("at 10:30, note:this") == "w:at | i:10:30 | w:10 | w:30 | w:note | w:this");
  BOOST_TEST(segments("2023-05-08T13:56") ==
             "i:2023-05-08 | w:2023 | w:05 | w:08 | i:13:56 | w:13 | w:56");
  BOOST_TEST(segments("12023-05-08t13") == "i:12023-05-08t13 | w:12023 | w:05 | w:08t13");
  BOOST_TEST(segments("5/8/2023") == "i:5/8/2023 | w:5 | w:8 | w:2023");
}

BOOST_AUTO_TEST_CASE(identifiers_have_levels) {
  BOOST_TEST(segments("ana.b@mail.org") == "i:ana.b@mail.org | i:ana.b | w:ana | w:b | i:mail.org | w:mail | w:org");
  BOOST_TEST(segments("gpt-4.1-mini") == "i:gpt-4.1-mini | w:gpt | w:4 | w:1 | w:mini");
  BOOST_TEST(segments("src/foo__bar.py") == "i:src/foo__bar.py | w:src | i:foo__bar.py | w:foo | w:bar | w:py");
  BOOST_TEST(segments("@ana #day-one (.net) issue#12 a.b") ==
             "i:@ana | w:ana | i:#day-one | i:day-one | w:day | w:one | i:.net | w:net | i:issue#12 | w:issue | w:12 | "
             "a:a.b");
  BOOST_TEST(segments("C++, C#. a+b ++ # @") == "i:c++ | w:c | i:c# | w:c | i:a+b | w:a | w:b");
  BOOST_TEST(segments("AT&T") == "i:at&t | w:at | w:t");
  BOOST_TEST(segments("U.S.A. x.yz") == "a:u.s.a | i:x.yz | w:x | w:yz");
}

BOOST_AUTO_TEST_CASE(urls) {
  BOOST_TEST(segments("see https://a-b.org/x/y.html?q=1&r=two#top.") ==
             "w:see | i:https://a-b.org/x/y.html?q=1&r=two#top | i:a-b.org | w:a | w:b | w:org | w:x | i:y.html | w:y | "
             "w:html | w:q | w:1 | w:r | w:two | w:top");
  BOOST_TEST(segments("(http://en.org/Foo_(bar)), then") ==
             "i:http://en.org/foo_(bar) | i:en.org | w:en | w:org | w:foo | w:bar | w:then");
  BOOST_TEST(segments("<http://a>b://c") == "i:http://a | w:a | i:b://c | w:c");
  BOOST_TEST(segments("http:// x") == "w:http | w:x");
}

BOOST_AUTO_TEST_CASE(scripts_without_spaces_give_pairs) {
  BOOST_TEST(segments("東京都") == "n:東京 | n:京都");
  BOOST_TEST(segments("猫 犬。魚") == "n:猫 | n:犬 | n:魚");
  BOOST_TEST(segments("食べるPython言語") == "n:食べ | n:べる | w:python | n:言語");
  BOOST_TEST(segments("2023年5月") == "w:2023 | n:年 | w:5 | n:月");
  BOOST_TEST(segments("한국어 가") == "n:한국 | n:국어 | n:가");
  BOOST_TEST(segments("ไป") == "n:ไป");
  BOOST_TEST(segments("กินข้าว") == "n:กิน | n:นข้ | n:ข้า | n:าว");
  BOOST_TEST(segments("漢字ไทย") == "n:漢字 | n:ไท | n:ทย");
}

BOOST_AUTO_TEST_CASE(emoji) {
  BOOST_TEST(segments("ok👍🏽👍!") == "w:ok | e:👍 | e:👍");
  BOOST_TEST(segments("👩🏽‍🚀👨‍👩‍👧") == "e:👩‍🚀 | e:👨‍👩‍👧");
  BOOST_TEST(segments("🇫🇷🇩🇪🇫") == "e:🇫🇷 | e:🇩🇪 | e:🇫");
  BOOST_TEST(segments("❤️‍🔥 ❤️") == "e:❤‍🔥 | e:❤");
  BOOST_TEST(segments("🏴󠁧󠁢󠁥󠁮󠁧󠁿x") == "e:🏴󠁧󠁢󠁥󠁮󠁧󠁿 | w:x");
  BOOST_TEST(segments("👍\u200D x") == "e:👍 | w:x");
}

// Whatever the bytes, segments lie in the text, are not empty and hold whole characters, and traits tell the truth.
BOOST_AUTO_TEST_CASE(any_bytes_are_safe) {
  std::mt19937 random(7);
  const std::vector<std::string> pieces = {"a",  "t",   "1",  "000", "2023-05-08", "'", ",",  ".",  "-",  "_", "/", "@",
                                           "#",  "+",   "++", ":",   "://",        "(", ")",  " ",  "é",  "猫", "か",
                                           "ัก",  "가",  "👍", "\u200D", "🏽", "🇫", "\U000E0067", "\u0301", "न", "ि",
                                           "\xFF", "\xE2", "\xF0\x9F", "½"};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const size_t count = random() % 24;
    for (size_t i = 0; i < count; ++i) text += pieces[random() % pieces.size()];
    std::string folded;
    fold_for_search(text, folded);
    Segmenter segmenter(folded);
    size_t segments_left = 4 * folded.size() + 1;
    for (Segment segment; segmenter.next(segment);) {
      BOOST_REQUIRE(--segments_left > 0);
      BOOST_REQUIRE(!segment.text.empty());
      BOOST_REQUIRE(segment.text.data() >= folded.data());
      BOOST_REQUIRE(segment.text.data() + segment.text.size() <= folded.data() + folded.size());
      BOOST_REQUIRE((static_cast<unsigned char>(segment.text.front()) & 0xC0) != 0x80);
      if (segment.kind == SegmentKind::word) {
        const auto has = [&](const char* any) { return segment.text.find_first_of(any) != std::string_view::npos; };
        BOOST_REQUIRE(((segment.traits & traits::kDigit) != 0) == has("0123456789"));
        BOOST_REQUIRE(((segment.traits & traits::kApostrophe) != 0) == has("'"));
        BOOST_REQUIRE(((segment.traits & traits::kComma) != 0) == has(","));
        BOOST_REQUIRE(!has(" .-_/@#+:()"));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
