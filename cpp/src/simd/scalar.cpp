// Plain C++ for any processor; compiled for the baseline of the architecture, never with wider instructions.
#include <cmath>
#include <cstring>

#include "simd/code_blocks.hpp"
#include "simd/levels.hpp"
#include "simd/max_products.hpp"
#include "simd/squares.hpp"

namespace memspan {
namespace {

// Independent partial sums let the compiler use the baseline's vector registers without reordering additions.
constexpr size_t kLanes = 8;

float widen(float value) { return value; }
float widen(uint16_t bfloat16) {
  const uint32_t bits = uint32_t{bfloat16} << 16;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Value>
float dot(const float* a, const Value* b, size_t n) {
  float sums[kLanes] = {};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) sums[lane] += a[i + lane] * widen(b[i + lane]);
  }
  for (size_t lane = 0; i + lane < n; ++lane) sums[lane] += a[i + lane] * widen(b[i + lane]);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

template <typename Value>
void dot_rows(const float* query, const Value* rows, size_t row_stride, size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = dot(query, rows + i * row_stride, n);
}

template <typename Value>
void dot_each(const float* query, const Value* const* rows, size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = dot(query, rows[i], n);
}

void dot_pairs(const float* const* a, const float* const* b, size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) out[i] = dot(a[i], b[i], n);
}

constexpr size_t kCodesPad = 64;
constexpr float kSmallest = 1e-35f;

size_t padded(size_t n) { return (n + kCodesPad - 1) / kCodesPad * kCodesPad; }

// 127 / max|v|, or 0 for a vector that has no codes.
float code_factor(const float* vector, size_t n, float* scale) {
  float max = 0;
  for (size_t i = 0; i < n; ++i) max = std::fmax(max, std::fabs(vector[i]));
  *scale = max < kSmallest ? 0 : max / 127;
  return max < kSmallest ? 0 : 127 / max;
}

int32_t sum_of_products(const int8_t* query, const uint8_t* row, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) sum += query[i] * row[i];
  return sum;
}

float quantize_query(const float* vector, size_t n, int8_t* codes, int32_t* offset) {
  float scale;
  const float factor = code_factor(vector, n, &scale);
  int32_t sum = 0;
  for (size_t i = 0; i < n; ++i) {
    codes[i] = static_cast<int8_t>(std::lrint(vector[i] * factor));
    sum += codes[i];
  }
  std::memset(codes + n, 0, padded(n) - n);
  *offset = 128 * sum;
  return scale;
}

float quantize_row(const float* vector, size_t n, uint8_t* codes) {
  float scale;
  const float factor = code_factor(vector, n, &scale);
  for (size_t i = 0; i < n; ++i) codes[i] = static_cast<uint8_t>(128 + std::lrint(vector[i] * factor));
  std::memset(codes + n, 128, padded(n) - n);
  return scale;
}

void code_rows(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
               size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) {
    out[i] = scales[i] * static_cast<float>(sum_of_products(query, rows + i * stride, n) - offset);
  }
}

void code_gather(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                 const uint32_t* positions, size_t count, size_t n, float* out) {
  for (size_t i = 0; i < count; ++i) {
    code_rows(query, offset, rows + positions[i] * stride, stride, scales + positions[i], 1, n, out + i);
  }
}

void code_rows_batch(const int8_t* queries, const int32_t* offsets, size_t query_count, const uint8_t* rows,
                     size_t stride, const float* scales, size_t count, size_t n, float* out) {
  for (size_t q = 0; q < query_count; ++q) {
    code_rows(queries + q * n, offsets[q], rows, stride, scales, count, n, out + q * count);
  }
}

double square_sum(const float* vector, size_t n) {
  double lanes[kSquareLanes] = {};
  size_t i = 0;
  for (; i + kSquareLanes <= n; i += kSquareLanes) {
    for (size_t lane = 0; lane < kSquareLanes; ++lane) {
      lanes[lane] += static_cast<double>(vector[i + lane]) * static_cast<double>(vector[i + lane]);
    }
  }
  for (size_t lane = 0; i < n; ++i, ++lane) lanes[lane] += static_cast<double>(vector[i]) * static_cast<double>(vector[i]);
  return total_of_lanes(lanes);
}

void multiply(const float* vector, double factor, size_t n, float* out) {
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(static_cast<double>(vector[i]) * factor);
}

void count_above(const float* scores, size_t count, uint32_t* above) {
  for (size_t i = 0; i < count; ++i) {
    uint32_t greater = 0;
    for (size_t j = 0; j < count; ++j) greater += scores[j] > scores[i];
    above[i] = greater;
  }
}

size_t select_above(const float* scores, size_t count, float threshold, uint32_t* out) {
  size_t found = 0;
  for (size_t i = 0; i < count; ++i) {
    out[found] = static_cast<uint32_t>(i);
    found += scores[i] >= threshold ? 1 : 0;
  }
  return found;
}

float hidden_row(const float* values, size_t count, const float* weights, const float* bias, const float* out) {
  float units[kHiddenUnits];
  std::memcpy(units, bias, sizeof units);
  for (size_t i = 0; i < count; ++i) {
    for (size_t u = 0; u < kHiddenUnits; ++u) units[u] += values[i] * weights[i * kHiddenUnits + u];
  }
  float sums[kLanes] = {};
  for (size_t u = 0; u < kHiddenUnits; ++u) {
    sums[u % kLanes] += out[u] * (units[u] / std::sqrt(1.0f + units[u] * units[u]));
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void hidden_layer(const float* values, size_t rows, size_t count, const float* weights, const float* bias,
                  const float* out, float* answers) {
  for (size_t r = 0; r < rows; ++r) answers[r] = hidden_row(values + r * count, count, weights, bias, out);
}

// Sums of ever more neighbouring bits, in their own places: the baseline has no instruction for it.
size_t count_ones(const uint64_t* words, size_t count) {
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t word = words[i];
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    total += word * 0x0101010101010101 >> 56;
  }
  return total;
}

void mark_equal(const uint16_t* values, uint16_t wanted, uint64_t* words, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t b = 0; b < 64; ++b) words[i] |= uint64_t{values[64 * i + b] == wanted} << b;
  }
}

void mark_within(const uint64_t* values, uint64_t least, uint64_t most, uint64_t* words, size_t count) {
  for (size_t i = 0; i < 64 * count; ++i) words[i / 64] |= uint64_t{least <= values[i] && values[i] <= most} << (i % 64);
}

}  // namespace

constinit const Kernels kScalarKernels = {&dot<float>,   &dot_rows<float>, &dot_each<float>, &dot_pairs,
                                          &dot_rows<uint16_t>, &dot_each<uint16_t>,
                                          &quantize_query, &quantize_row, &code_rows,  &code_gather, &code_rows_batch,
                                          &code_blocks<PlainBlocks>, &nibble_block_sums<PlainBlocks>, &max_products<PlainBlocks>, &square_sum, &multiply,
                                          &count_above, &select_above, &hidden_layer, &count_ones, &mark_equal, &mark_within, &crc32c_table};

}  // namespace memspan
