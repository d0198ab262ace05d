#include "base/bytes.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>

#include "support/messages.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(bytes)

using test::Mentions;

ByteReader reader_of(const ByteWriter& out, size_t size) {
  return ByteReader(std::string_view(out.bytes()).substr(0, size), "some.file", 100);
}
ByteReader reader_of(const ByteWriter& out) { return reader_of(out, out.bytes().size()); }

BOOST_AUTO_TEST_CASE(what_was_written_is_read) {
  ByteWriter out;
  out.put<uint8_t>(200);
  out.put<int64_t>(std::numeric_limits<int64_t>::min());
  out.put<double>(-0.1);
  out.put_text("caf\xC3\xA9");
  out.put_text("");
  const std::array<float, 3> floats = {1.0f, -2.5f, 3e-40f};
  out.put_array<float>(floats);
  out.put_array<uint32_t>({});

  ByteReader in = reader_of(out);
  BOOST_TEST(in.get<uint8_t>() == 200);
  BOOST_TEST(in.get<int64_t>() == std::numeric_limits<int64_t>::min());
  BOOST_TEST(in.get<double>() == -0.1);
  BOOST_TEST(in.get_text(10) == "caf\xC3\xA9");
  BOOST_TEST(in.get_text(10) == "");
  BOOST_TEST(in.get_array<float>() == floats, boost::test_tools::per_element());
  BOOST_TEST(in.get_array<uint32_t>().empty());
  BOOST_TEST(in.left() == 0u);
}

BOOST_AUTO_TEST_CASE(views_read_values_where_they_lie) {
  ByteWriter out;
  out.put<uint8_t>(1);  // what follows is not aligned
  out.put_each<uint32_t>(3, [](size_t i) { return static_cast<uint32_t>(10 * i); });
  const std::array<int64_t, 2> numbers = {-1, 1LL << 40};
  out.put_array<int64_t>(numbers);
  ByteReader in = reader_of(out);
  in.get<uint8_t>();
  const auto each = in.view_each<uint32_t>(3);
  BOOST_TEST((each.size() == 3 && each[0] == 0 && each[1] == 10 && each[2] == 20));
  const auto array = in.view_array<int64_t>();
  BOOST_TEST((array.size() == 2 && array[0] == -1 && array[1] == 1LL << 40));
  BOOST_TEST(in.left() == 0u);

  ByteReader again = reader_of(out);
  again.get<uint8_t>();
  BOOST_CHECK_EXCEPTION(again.view_each<uint32_t>(1000), CorruptSnapshot, Mentions{"ends too early"});
  BOOST_CHECK_EXCEPTION(again.view_array<uint64_t>(), CorruptSnapshot, Mentions{"longer than the block"});
}

BOOST_AUTO_TEST_CASE(a_part_ends_where_it_ends) {
  ByteWriter out;
  for (uint32_t i = 0; i < 4; ++i) out.put<uint32_t>(i);
  ByteReader in = reader_of(out);
  in.get<uint32_t>();
  ByteReader part = in.part(2 * sizeof(uint32_t));
  BOOST_TEST(part.get<uint32_t>() == 1u);
  BOOST_TEST(part.get<uint32_t>() == 2u);
  BOOST_CHECK_THROW(part.get<uint32_t>(), CorruptSnapshot);
  BOOST_TEST(part.origin() == in.origin() + sizeof(uint32_t));
  BOOST_TEST(in.get<uint32_t>() == 3u);
  BOOST_CHECK_THROW(in.part(1), CorruptSnapshot);
}

BOOST_AUTO_TEST_CASE(numbers_are_little_endian) {
  ByteWriter out;
  out.put<uint32_t>(0x01020304);
  BOOST_TEST(out.bytes() == std::string("\x04\x03\x02\x01", 4));
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  ByteWriter out;
  out.put<uint16_t>(7);
  out.put_text("hello");
  const std::array<uint64_t, 2> values = {1, 2};
  out.put_array<uint64_t>(values);
  for (size_t size = 0; size < out.bytes().size(); ++size) {
    ByteReader in = reader_of(out, size);
    const auto read_all = [&] {
      in.get<uint16_t>();
      in.get_text(100);
      in.get_array<uint64_t>();
    };
    BOOST_CHECK_THROW(read_all(), CorruptSnapshot);
  }
}

BOOST_AUTO_TEST_CASE(lengths_beyond_the_block_are_refused_before_anything_is_allocated) {
  // The second count times the element's size overflows 64 bits to a small number.
  for (const uint64_t count : {uint64_t{3}, (uint64_t{1} << 61) + 1, std::numeric_limits<uint64_t>::max()}) {
    ByteWriter out;
    out.put<uint64_t>(count);
    out.put<uint64_t>(0);
    out.put<uint64_t>(0);
    BOOST_CHECK_EXCEPTION(reader_of(out).get_array<uint64_t>(), CorruptSnapshot, Mentions{"longer than the block"});
    BOOST_CHECK_EXCEPTION(reader_of(out).get_count(8), CorruptSnapshot, Mentions{"larger than the block"});
  }
  ByteWriter out;
  out.put<uint32_t>(std::numeric_limits<uint32_t>::max());
  BOOST_CHECK_THROW(reader_of(out).get_text(std::numeric_limits<size_t>::max()), CorruptSnapshot);
}

BOOST_AUTO_TEST_CASE(a_count_that_just_fits_is_accepted) {
  ByteWriter out;
  out.put<uint64_t>(2);
  out.put<uint64_t>(0);
  out.put<uint64_t>(0);
  BOOST_TEST(reader_of(out).get_count(8) == 2u);
  BOOST_TEST(reader_of(out).get_array<uint64_t>().size() == 2u);
}

BOOST_AUTO_TEST_CASE(texts_over_the_limit_are_refused) {
  ByteWriter out;
  out.put_text("123456");
  BOOST_TEST(reader_of(out).get_text(6) == "123456");
  BOOST_CHECK_EXCEPTION(reader_of(out).get_text(5), CorruptSnapshot, Mentions{"longer than allowed"});
}

BOOST_AUTO_TEST_CASE(errors_name_file_and_offset_in_it) {
  ByteWriter out;
  out.put<uint16_t>(1);
  ByteReader in = reader_of(out);
  in.get<uint16_t>();
  BOOST_CHECK_EXCEPTION(in.get<uint8_t>(), CorruptSnapshot, (Mentions{"some.file", "offset 102"}));
  BOOST_CHECK_EXCEPTION(in.check(false, "odd"), CorruptSnapshot, (Mentions{"some.file", "offset 102", "odd"}));
  in.check(true, "odd");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
