#include <bit>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "support/simd_levels.hpp"

namespace memspan {
namespace {

// Dimensions around every lane count and unrolling step, and the ones that embedding models have.
constexpr size_t kDims[] = {1,  2,  3,  4,  5,  7,  8,  9,   15,  16,  17,  23,  24,  31,  32,  33,  47,
                            48, 49, 63, 64, 65, 79, 80, 100, 127, 128, 129, 200, 255, 384, 385, 767, 1536};
constexpr size_t kMaxOffset = 3;  // floats before the first row: keeps rows off every wider alignment

struct Batch {
  size_t n;
  size_t stride;
  size_t count;
  std::vector<float> storage;
  std::vector<float> query;
  size_t offset;

  const float* rows() const { return storage.data() + offset; }
  const float* row(size_t i) const { return rows() + i * stride; }
};

Batch random_batch(size_t n, size_t count, size_t offset, std::mt19937& random) {
  std::normal_distribution<float> normal;
  Batch batch{n, n + offset, count, {}, {}, offset};
  // Exactly as long as the last row needs, so that AddressSanitizer sees a kernel that reads past it.
  batch.storage.resize(offset + (count == 0 ? 0 : (count - 1) * batch.stride + n));
  batch.query.resize(n);
  for (float& value : batch.storage) value = normal(random);
  for (float& value : batch.query) value = normal(random);
  return batch;
}

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

// |value - exact| as a share of the sum of the products' magnitudes, which bounds what rounding can do.
double relative_error(float value, const float* a, const float* b, size_t n) {
  double exact = 0;
  double magnitude = 0;
  for (size_t i = 0; i < n; ++i) {
    const double product = static_cast<double>(a[i]) * static_cast<double>(b[i]);
    exact += product;
    magnitude += std::abs(product);
  }
  return magnitude == 0 ? std::abs(static_cast<double>(value))
                        : std::abs(static_cast<double>(value) - exact) / magnitude;
}

BOOST_AUTO_TEST_SUITE(simd)

BOOST_AUTO_TEST_CASE(scalar_is_always_there_and_first) {
  BOOST_TEST(levels().at(0).name == std::string_view("scalar"));
}

BOOST_AUTO_TEST_CASE(every_level_is_close_to_the_exact_value) {
  std::mt19937 random(1);
  for (const SimdLevel& level : levels()) {
    for (const size_t n : kDims) {
      for (size_t offset = 0; offset <= kMaxOffset; ++offset) {
        const Batch batch = random_batch(n, 1, offset, random);
        const float value = level.kernels->dot(batch.query.data(), batch.row(0), n);
        BOOST_TEST(relative_error(value, batch.query.data(), batch.row(0), n) < 1e-6, name_of(level) << ", n " << n);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(levels_agree_within_rounding) {
  std::mt19937 random(2);
  for (const size_t n : kDims) {
    const Batch batch = random_batch(n, 9, 1, random);
    for (size_t i = 0; i < batch.count; ++i) {
      float magnitude = 0;
      for (size_t j = 0; j < n; ++j) magnitude += std::abs(batch.query[j] * batch.row(i)[j]);
      const float scalar = kScalarKernels.dot(batch.query.data(), batch.row(i), n);
      for (const SimdLevel& level : levels()) {
        const float value = level.kernels->dot(batch.query.data(), batch.row(i), n);
        BOOST_TEST(std::abs(value - scalar) <= 1e-5f * magnitude, name_of(level) << ", n " << n);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_row_has_the_same_bits_however_it_was_computed) {
  std::mt19937 random(3);
  for (const SimdLevel& level : levels()) {
    for (const size_t n : kDims) {
      for (const size_t count : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 11u, 13u}) {
        const Batch batch = random_batch(n, count, count % (kMaxOffset + 1), random);
        std::vector<uint32_t> slots(count);
        for (size_t i = 0; i < count; ++i) slots[i] = static_cast<uint32_t>((i * 7 + 3) % count);
        std::vector<float> in_rows(count);
        std::vector<float> gathered(count);
        level.kernels->dot_rows(batch.query.data(), batch.rows(), batch.stride, count, n, in_rows.data());
        std::vector<const float*> anywhere(count);
        std::vector<const float*> others(count);
        std::vector<float> paired(count);
        for (size_t i = 0; i < count; ++i) {
          anywhere[i] = batch.row(slots[i]);
          others[i] = batch.row((slots[i] + 1) % count);
        }
        level.kernels->dot_each(batch.query.data(), anywhere.data(), count, n, gathered.data());
        level.kernels->dot_pairs(anywhere.data(), others.data(), count, n, paired.data());
        for (size_t i = 0; i < count; ++i) {
          const float alone = level.kernels->dot(batch.query.data(), batch.row(i), n);
          const float of_slot = level.kernels->dot(batch.query.data(), batch.row(slots[i]), n);
          BOOST_TEST(bits(in_rows[i]) == bits(alone), name_of(level)
                                                          << ", n " << n << ", row " << i << " of " << count);
          BOOST_TEST(bits(gathered[i]) == bits(of_slot), name_of(level)
                                                             << ", n " << n << ", row " << i << " of " << count);
          BOOST_TEST(bits(paired[i]) == bits(level.kernels->dot(anywhere[i], others[i], n)),
                     name_of(level) << ", n " << n << ", pair " << i << " of " << count);
        }
      }
    }
  }
}

// The floats are what the values stand for.
BOOST_AUTO_TEST_CASE(rows_in_bfloat16_have_the_bits_of_their_floats) {
  std::mt19937 random(9);
  for (const SimdLevel& level : levels()) {
    for (const size_t n : kDims) {
      for (const size_t count : {1u, 3u, 4u, 5u, 8u, 11u}) {
        Batch batch = random_batch(n, count, count % (kMaxOffset + 1), random);
        std::vector<uint16_t> halves(batch.storage.size());  // as long, so that AddressSanitizer sees what is read past it
        for (size_t i = 0; i < halves.size(); ++i) {
          halves[i] = static_cast<uint16_t>(bits(batch.storage[i]) >> 16);
          batch.storage[i] = std::bit_cast<float>(uint32_t{halves[i]} << 16);
        }
        const uint16_t* const rows = halves.data() + batch.offset;
        std::vector<float> wanted(count);
        std::vector<float> in_rows(count);
        std::vector<float> gathered(count);
        std::vector<const uint16_t*> anywhere(count);
        for (size_t i = 0; i < count; ++i) anywhere[i] = rows + (i * 7 + 3) % count * batch.stride;
        level.kernels->dot_rows(batch.query.data(), batch.rows(), batch.stride, count, n, wanted.data());
        level.kernels->dot_rows_bfloat16(batch.query.data(), rows, batch.stride, count, n, in_rows.data());
        level.kernels->dot_each_bfloat16(batch.query.data(), anywhere.data(), count, n, gathered.data());
        for (size_t i = 0; i < count; ++i) {
          BOOST_TEST(bits(in_rows[i]) == bits(wanted[i]), name_of(level) << ", n " << n << ", row " << i << " of " << count);
          BOOST_TEST(bits(gathered[i]) == bits(wanted[(i * 7 + 3) % count]),
                     name_of(level) << ", n " << n << ", row " << i << " of " << count);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(equal_rows_tie_at_every_position) {
  std::mt19937 random(4);
  for (const SimdLevel& level : levels()) {
    for (const size_t n : kDims) {
      Batch batch = random_batch(n, 11, 0, random);
      for (size_t i = 1; i < batch.count; ++i) {
        for (size_t j = 0; j < n; ++j) batch.storage[i * batch.stride + j] = batch.storage[j];
      }
      std::vector<float> out(batch.count);
      level.kernels->dot_rows(batch.query.data(), batch.rows(), batch.stride, batch.count, n, out.data());
      for (size_t i = 1; i < batch.count; ++i) BOOST_TEST(bits(out[i]) == bits(out[0]), name_of(level) << ", n " << n);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_order_of_operands_does_not_matter) {
  std::mt19937 random(5);
  for (const SimdLevel& level : levels()) {
    for (const size_t n : kDims) {
      const Batch batch = random_batch(n, 1, 2, random);
      BOOST_TEST(bits(level.kernels->dot(batch.query.data(), batch.row(0), n)) ==
                     bits(level.kernels->dot(batch.row(0), batch.query.data(), n)),
                 name_of(level) << ", n " << n);
    }
  }
}

BOOST_AUTO_TEST_CASE(extreme_values) {
  constexpr float kTiny = std::numeric_limits<float>::denorm_min();
  for (const SimdLevel& level : levels()) {
    const auto dot = level.kernels->dot;
    for (const size_t n : kDims) {
      const std::vector<float> zeros(n, 0.0f);
      const std::vector<float> large(n, 1e15f);
      const std::vector<float> subnormal(n, kTiny);
      const std::vector<float> ones(n, 1.0f);
      BOOST_TEST(bits(dot(zeros.data(), large.data(), n)) == bits(0.0f), name_of(level) << ", n " << n);
      BOOST_TEST(relative_error(dot(large.data(), large.data(), n), large.data(), large.data(), n) < 1e-5,
                 name_of(level) << ", n " << n);
      // Sums of subnormal numbers are exact: a level that flushes them to zero shows here.
      BOOST_TEST(dot(subnormal.data(), ones.data(), n) == kTiny * static_cast<float>(n), name_of(level) << ", n " << n);
      std::vector<float> cancelling(n, 0.0f);
      cancelling.front() = 1e15f;
      cancelling.back() = n == 1 ? 0.0f : -1e15f;
      BOOST_TEST(dot(cancelling.data(), ones.data(), n) == 0.0f, name_of(level) << ", n " << n);
      std::vector<float> poisoned = ones;
      poisoned.back() = std::numeric_limits<float>::infinity();
      BOOST_TEST(std::isinf(dot(poisoned.data(), ones.data(), n)), name_of(level) << ", n " << n);
      poisoned.back() = std::numeric_limits<float>::quiet_NaN();
      BOOST_TEST(std::isnan(dot(poisoned.data(), ones.data(), n)), name_of(level) << ", n " << n);
    }
  }
}

BOOST_AUTO_TEST_CASE(empty_batches_write_nothing) {
  const float query[] = {1.0f};
  const float* const row = query;
  for (const SimdLevel& level : levels()) {
    float untouched = 42.0f;
    level.kernels->dot_rows(query, query, 1, 0, 1, &untouched);
    level.kernels->dot_each(query, &row, 0, 1, &untouched);
    level.kernels->dot_pairs(&row, &row, 0, 1, &untouched);
    BOOST_TEST(untouched == 42.0f, name_of(level));
  }
}

BOOST_AUTO_TEST_SUITE_END()

// CTest runs this suite once for each value of MEMSPAN_SIMD.
BOOST_AUTO_TEST_SUITE(simd_environment)

BOOST_AUTO_TEST_CASE(the_variable_chooses_the_level_or_is_refused) {
  const char* wanted = std::getenv("MEMSPAN_SIMD");
  if (wanted == nullptr) {
    BOOST_TEST(simd_level() == std::string_view(levels().back().name));
    BOOST_TEST(&kernels() == levels().back().kernels);
    return;
  }
  const Kernels* best_variant = nullptr;
  for (const SimdLevel& level : levels()) {
    if (level.name == std::string_view(wanted)) best_variant = level.kernels;
  }
  if (best_variant != nullptr) {
    BOOST_TEST(simd_level() == std::string_view(wanted));
    BOOST_TEST(&kernels() == best_variant);
    return;
  }
  const auto names_both = [&](const std::runtime_error& error) {
    const std::string_view message = error.what();
    return message.find(wanted) != message.npos && message.find("scalar") != message.npos;
  };
  BOOST_CHECK_EXCEPTION(kernels(), std::runtime_error, names_both);
  BOOST_CHECK_EXCEPTION(simd_level(), std::runtime_error, names_both);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace memspan
