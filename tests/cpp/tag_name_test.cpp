#include "lexical/tag_name.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <utility>

#include "lexical/utf8.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(tag_name)

using Pairs = std::initializer_list<std::pair<std::string_view, std::string_view>>;

void check_names(Pairs pairs) {
  for (const auto& [name, normal] : pairs) {
    BOOST_TEST(normalize_tag(name) == normal);
    BOOST_TEST(normalize_tag(normal) == normal);
  }
}

BOOST_AUTO_TEST_CASE(tags_are_normalised) {
  check_names({{"Camping", "camping"},
               {"  Road Trip ", "road_trip"},
               {"road\t \n trip", "road_trip"},
               {"road - trip", "road_trip"},
               {"road -- trip", "road_trip"},
               {"road-trip", "road-trip"},
               {"road -trip", "road_-trip"},
               {"-5", "-5"},
               {"- list item -", "list_item"},
               {"__Road___Trip__", "road_trip"},
               {"_ - _", ""},
               {"road_-_trip", "road_trip"},
               {"-_", ""},
               {"_-x", "-x"},
               {"", ""},
               {" \u00A0\u3000\u2003", ""},
               {"Caf\u00E9", "caf\u00E9"},
               {"ÉCOLE", "école"},
               {"Straße", "strasse"},
               {"C++", "c++"},
               {"C#/.NET: v2.0", "c#/.net:_v2.0"},
               {"日本 旅行", "日本_旅行"},
               {"a\xFF\xFE" "b", "a_b"},
               {std::string_view("a\0b", 3), "a_b"}});
}

BOOST_AUTO_TEST_CASE(letters_and_marks_are_composed) {
  check_names({{"Cafe\u0301", "caf\u00E9"},
               {"\u212B", "\u00E5"},
               {"a\u0323\u0307", "\u1EA1\u0307"},
               {"a\u0307\u0323", "\u1EA1\u0307"},
               {"A\u0308\u0304", "\u01DF"},
               {"\u1FB4", "\u03AC\u03B9"},
               {"\u03B1\u0345\u0301", "\u03AC\u03B9"},
               {"\u0390", "\u0390"},
               {"\u0958", "\u0915\u093C"},
               {"\u1112\u1161\u11AB", "\uD55C"},
               {"\uD558\u11AB", "\uD55C"},
               {"\u304B\u3099", "\u304C"},
               {"e \u0301", "e_\u0301"}});
}

BOOST_AUTO_TEST_CASE(what_nobody_sees_tells_no_tags_apart) {
  check_names({{"cam\u00ADping\u200D", "camping"},
               {"\u200Fcam\u2060ping\uFE0F", "camping"},
               {"\uFEFFcamping\u200B", "camping"},
               {"road\u200Btrip", "road_trip"},
               {"a\u200Cb\u200Dc", "abc"},
               {"e\u200C\u0301", "\u00E9"},
               {"a\U000E0067", "a"},
               {"\u3164\u115F", ""}});
}

BOOST_AUTO_TEST_CASE(joiners_stay_where_they_show) {
  check_names({{"👩🏿\u200D🚀 Crew", "👩🏿\u200D🚀_crew"},
               {"❤\uFE0F\u200D🔥", "❤\u200D🔥"},
               {"🙂\u200D\u2194\uFE0F", "🙂\u200D\u2194"},
               {"🏴\U000E0067\U000E0062\U000E007F", "🏴\U000E0067\U000E0062\U000E007F"},
               {"👩\u200D", "👩"},
               {"👩\u200D\u200D🚀", "👩\u200D🚀"},
               {"👩\u200Da", "👩a"},
               {"\u0DC1\u0DCA\u200D\u0DBB\u0DD3", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3"},
               {"\u0915\u094D\u200C\u0937", "\u0915\u094D\u200C\u0937"}});
}

BOOST_AUTO_TEST_CASE(every_code_point_has_one_form) {
  std::string text;
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    text.assign(1, 'x');
    append_utf8(code_point, text);
    const std::string once = normalize_tag(text);
    if (normalize_tag(once) != once) BOOST_ERROR("U+" << std::hex << static_cast<uint32_t>(code_point));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
