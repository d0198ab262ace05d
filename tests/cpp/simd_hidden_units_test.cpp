#include <boost/test/unit_test.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {
BOOST_AUTO_TEST_SUITE(simd_hidden_units)

struct Layer {
  std::vector<float> values;
  std::vector<float> weights;
  std::vector<float> bias = std::vector<float>(kHiddenUnits);
  std::vector<float> out = std::vector<float>(kHiddenUnits);
};

Layer random_layer(size_t count, std::mt19937& random) {
  std::normal_distribution<float> normal;
  // Exactly as long as needed, so that AddressSanitizer sees a kernel that reads past them.
  Layer layer{std::vector<float>(count), std::vector<float>(count * kHiddenUnits)};
  for (auto* const part : {&layer.values, &layer.weights, &layer.bias, &layer.out}) {
    for (float& value : *part) value = normal(random);
  }
  return layer;
}

float answer_at(const SimdLevel& level, const Layer& layer) {
  float answer = 0.0f;
  level.kernels->hidden_layer(layer.values.data(), 1, layer.values.size(), layer.weights.data(), layer.bias.data(),
                              layer.out.data(), &answer);
  return answer;
}

double exact(const Layer& layer) {
  double total = 0.0;
  for (size_t u = 0; u < kHiddenUnits; ++u) {
    double sum = static_cast<double>(layer.bias[u]);
    for (size_t i = 0; i < layer.values.size(); ++i) {
      sum += static_cast<double>(layer.values[i]) * static_cast<double>(layer.weights[i * kHiddenUnits + u]);
    }
    total += static_cast<double>(layer.out[u]) * sum / std::sqrt(1.0 + sum * sum);
  }
  return total;
}

BOOST_AUTO_TEST_CASE(every_level_is_close_to_the_exact_value) {
  std::mt19937 random(1);
  for (const size_t count : {0u, 1u, 2u, 7u, 32u, 33u, 100u}) {
    for (int round = 0; round < 50; ++round) {
      const Layer layer = random_layer(count, random);
      for (const SimdLevel& level : levels()) {
        BOOST_TEST(std::abs(static_cast<double>(answer_at(level, layer)) - exact(layer)) < 1e-4, name_of(level) << ", count " << count);
      }
    }
  }
}

// A unit that is left out at some level would show.
BOOST_AUTO_TEST_CASE(each_unit_counts_alone) {
  for (size_t unit = 0; unit < kHiddenUnits; ++unit) {
    Layer layer{{3.0f}, std::vector<float>(kHiddenUnits)};
    layer.weights[unit] = 0.25f;
    layer.out[unit] = 2.0f;
    for (const SimdLevel& level : levels()) {
      BOOST_TEST(std::abs(answer_at(level, layer) - 2.0f * 0.6f) < 1e-6f, name_of(level) << ", unit " << unit);
    }
  }
}

// Wherever a record stands among others, and whatever the alignment.
BOOST_AUTO_TEST_CASE(equal_records_have_equal_bits) {
  std::mt19937 random(2);
  constexpr size_t kValues = 33;
  const Layer layer = random_layer(kValues, random);
  for (const SimdLevel& level : levels()) {
    for (size_t rows = 0; rows < 12; ++rows) {
      std::vector<float> batch;
      std::vector<float> alone;
      for (size_t r = 0; r < rows; ++r) {
        Layer other = layer;
        if (r % 3 != 0) other.values = random_layer(kValues, random).values;
        batch.insert(batch.end(), other.values.begin(), other.values.end());
        alone.push_back(answer_at(level, other));
      }
      std::vector<float> answers(rows + 1, 42.0f);
      level.kernels->hidden_layer(batch.data(), rows, kValues, layer.weights.data(), layer.bias.data(), layer.out.data(),
                                  answers.data());
      alone.push_back(42.0f);
      BOOST_TEST((answers == alone), name_of(level) << ", rows " << rows);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
