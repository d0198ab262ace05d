#include "ranking/text_traits.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(text_traits)

BOOST_AUTO_TEST_CASE(texts_without_a_question_have_no_traits) {
  for (const std::string text : {"", " ", "\"\n'", "No.", "What is it", "!", "\xC2\xBF" "Que", "\xEF\xBC", "\xD8"}) {
    BOOST_TEST(traits_of(text) == 0, text);
  }
}

BOOST_AUTO_TEST_CASE(a_mark_at_the_end_is_one_in_the_text_too) {
  for (const std::string text : {"?", "Why?", "Why? ", "He said \"why?\"", "(why?)\n", "Why?\t\r\n' \"", "why??"}) {
    BOOST_TEST(traits_of(text) == kAllTraits, text);
  }
}

BOOST_AUTO_TEST_CASE(a_mark_before_the_end_is_only_in_the_text) {
  for (const std::string text : {"Why? Because.", "?!", "? x", "\"Why?\" she said", "? ?x"}) {
    BOOST_TEST(traits_of(text) == kHasQuestion, text);
  }
}

BOOST_AUTO_TEST_CASE(marks_of_other_scripts_count) {
  for (const std::string mark : {"\xEF\xBC\x9F", "\xD8\x9F", "\xCD\xBE", "\xD5\x9E"}) {
    BOOST_TEST(traits_of(mark) == kAllTraits, mark);
    BOOST_TEST(traits_of("so" + mark + ")") == kAllTraits, mark);
    BOOST_TEST(traits_of("so" + mark + " no") == kHasQuestion, mark);
    BOOST_TEST(traits_of(mark + "x?") == kAllTraits, mark);
    BOOST_TEST(traits_of("?x" + mark) == kAllTraits, mark);
  }
}

BOOST_AUTO_TEST_CASE(no_other_bytes_look_like_a_mark) {
  // The last bytes of marks, behind other first ones; zeros; and bytes that are no text.
  for (const std::string text : {"\xEF\xBC\x9E", "\xC3\x9F", "\xD9\x9F", "\xCE\xBE", "\xD6\x9E", "\xE2\x9F\x9F"}) {
    BOOST_TEST(traits_of(text) == 0);
  }
  BOOST_TEST(traits_of(std::string("?\0", 2)) == kHasQuestion);
  BOOST_TEST(traits_of(std::string(3, '\0')) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
