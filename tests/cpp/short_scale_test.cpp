#include "vectors/short_scale.hpp"

#include <boost/test/unit_test.hpp>
#include <random>
#include <vector>

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(short_scale)

struct Sample {
  std::mt19937 random{3};
  std::vector<ShortScale::Numbers> numbers = std::vector<ShortScale::Numbers>(400);

  Sample() {
    std::normal_distribution<float> deviation;
    for (ShortScale::Numbers& each : numbers) {
      for (size_t d = 0; d < ShortScale::kNumbers; ++d) {
        each[d] = 0.3f + 0.01f * static_cast<float>(d) * deviation(random);  // the first is the same in all
      }
    }
  }
};

BOOST_FIXTURE_TEST_CASE(codes_stand_for_the_numbers_of_the_sample, Sample) {
  const ShortScale scale = ShortScale::of(numbers);
  for (const ShortScale::Numbers& each : numbers) {
    ShortScale::Codes codes;
    BOOST_REQUIRE(scale.encode(each, codes));
    for (size_t d = 0; d < ShortScale::kNumbers; ++d) {
      BOOST_REQUIRE(codes[d] <= 15);
      BOOST_REQUIRE(std::abs(scale.number(d, codes[d]) - each[d]) <= 0.5001f * scale.step[d] + 1e-6f);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(each_number_has_a_range_of_its_own, Sample) {
  const ShortScale scale = ShortScale::of(numbers);
  BOOST_TEST(scale.step[0] < 1e-5f);
  for (const size_t d : {10u, 60u, 120u}) {
    const float sigma = 0.01f * static_cast<float>(d);
    BOOST_TEST(scale.step[d] > 0.3f * sigma);  // fifteen steps for some six deviations
    BOOST_TEST(scale.step[d] < 0.6f * sigma);
  }
}

BOOST_FIXTURE_TEST_CASE(what_lies_far_outside_is_told, Sample) {
  const ShortScale scale = ShortScale::of(numbers);
  ShortScale::Codes codes;
  ShortScale::Numbers far = numbers[5];
  far[100] = 8.0f;
  BOOST_TEST(!scale.encode(far, codes));
  BOOST_TEST(codes[100] == 15);
  far[100] = -8.0f;
  BOOST_TEST(!scale.encode(far, codes));
  BOOST_TEST(codes[100] == 0);
  // Half a step beyond the range is no further off than what lies within.
  ShortScale::Numbers near = numbers[5];
  near[3] = scale.number(3, 15) + 0.5f * scale.step[3];
  BOOST_TEST(scale.encode(near, codes));
}

BOOST_AUTO_TEST_CASE(one_is_a_sample_too) {
  ShortScale::Numbers only;
  only.fill(0.25f);
  const ShortScale scale = ShortScale::of({&only, 1});
  ShortScale::Codes codes;
  BOOST_TEST(scale.encode(only, codes));
  only[0] = 0.3f;
  BOOST_TEST(!scale.encode(only, codes));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
