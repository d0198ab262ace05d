// The inner loops of the core, as a table of plain functions that is chosen once from what the processor can do.
//
// Invariant: within one level, the value of a row depends on nothing but the query, the row and n. `dot`, `dot_rows`,
// `dot_each` and `dot_pairs` give bit-identical results for it, at any position in a batch, whatever the alignment. Ties between
// equal rows therefore stay ties, however a search was carried out. Rows in bfloat16 have the bits of their floats. Levels may differ from each other by rounding: `dot`
// from the scalar level's by at most 1e-5 * sum_i |a[i] b[i]|, for up to 1,536 random normal values (simd_test.cpp).
//
// Codes: a vector in one byte per value, for scans that only have to find the rows worth an exact score. A code is
// round(v * 127 / max|v|), halves to even, and `scale` is max|v| / 127: v is about code * scale. Rows are stored with
// 128 added ("biased"), because the instructions multiply unsigned by signed bytes; what the bias adds to a sum is the
// same for every row, 128 * sum(query codes), and is called `offset`. Sums of products of codes are integers and exact,
// so that the kernels over codes give bit-identical results at every level.
//
// Included by translation units that are compiled for one instruction set. Nothing here may define an inline function
// or instantiate a template: the linker could keep that unit's copy for everybody and crash older processors.
#pragma once

#include <cstddef>
#include <cstdint>

namespace memspan {

// Of a small net (memspan/ranking.hpp): a multiple of every level's lanes.
inline constexpr size_t kHiddenUnits = 32;

// Of a text (vectors/token_blocks.hpp), in a block of max_products.
inline constexpr size_t kBlockTokens = 16;

// Rows are `row_stride` floats apart, `row_stride >= n`. Pointers need no more than the alignment of a float.
struct Kernels {
  // Inner product of two vectors of n floats.
  float (*dot)(const float* a, const float* b, size_t n);
  // out[i] = dot(query, rows + i * row_stride) for i < count.
  void (*dot_rows)(const float* query, const float* rows, size_t row_stride, size_t count, size_t n, float* out);
  // out[i] = dot(query, rows[i]) for i < count. Fetches nothing: the rows may lie anywhere.
  void (*dot_each)(const float* query, const float* const* rows, size_t count, size_t n, float* out);
  // out[i] = dot(a[i], b[i]) for i < count.
  void (*dot_pairs)(const float* const* a, const float* const* b, size_t count, size_t n, float* out);
  // dot_rows and dot_each for rows in bfloat16, the upper half of a float's bits, which are aligned as their values.
  void (*dot_rows_bfloat16)(const float* query, const uint16_t* rows, size_t row_stride, size_t count, size_t n, float* out);
  void (*dot_each_bfloat16)(const float* query, const uint16_t* const* rows, size_t count, size_t n, float* out);

  // Codes of a vector of n finite floats. Writes round_up(n, 64) codes, with zeros behind the n-th; *offset = 128 *
  // their sum; returns the scale. A vector without a value of at least 1e-35 has codes and scale zero.
  float (*quantize_query)(const float* vector, size_t n, int8_t* codes, int32_t* offset);
  // The same, biased, with 128 behind the n-th code. Never writes the code 0.
  float (*quantize_row)(const float* vector, size_t n, uint8_t* codes);
  // out[i] = scales[i] * float(sum_j rows[i * stride + j] * query[j] - offset) for i < count, j < n. `query` and
  // `offset` are what quantize_query wrote, and no code of a row is 0; n and stride are multiples of 64, n <= 65536,
  // and rows are 64-byte aligned. Times the query's scale, this is about the inner product of the vectors.
  void (*code_rows)(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                    size_t count, size_t n, float* out);
  // The same for row positions[i], with scales[positions[i]].
  void (*code_gather)(const int8_t* query, int32_t offset, const uint8_t* rows, size_t stride, const float* scales,
                      const uint32_t* positions, size_t count, size_t n, float* out);
  // code_rows for several queries, which are n codes apart; writes out[q * count + i].
  void (*code_rows_batch)(const int8_t* queries, const int32_t* offsets, size_t query_count, const uint8_t* rows,
                          size_t stride, const float* scales, size_t count, size_t n, float* out);

  // Short codes, to rule out pairs: 64 numbers a row, in blocks of 16 rows that lie side by side. Byte 4 r of quad k, which
  // begins at 64 k, and the three after it are the codes 4 k to 4 k + 3 of row r. Codes of rows are 0 to 127, those of
  // queries -63 to 63, so that no sum of two products overflows 16 bits. Bit r of out[q * block_count + b] says whether
  // sum_j row[j] * query[j] + slack[16 b + r] >= least[q]. Queries are 64 codes apart, blocks 1,024 bytes and
  // 64-byte aligned. Integers: bit-identical results at every level.
  void (*code_blocks)(const int8_t* queries, const int32_t* least, size_t query_count, const uint8_t* blocks,
                      const int32_t* slack, size_t block_count, uint16_t* out);
  // Shorter codes still, of four bits, in blocks of 16 rows side by side: the low halves of byte 4 r of unit k, which begins
  // at 64 k, and of the three after it are the codes 8 k to 8 k + 3 of row r, the high halves the next four.
  // out[16 b + r] = float(sum_j row[j] * query[j]) of row r of block b; codes of the query are -127 to 127. n is a multiple
  // of 64, blocks have 8 n bytes and are 64-byte aligned. Bit-identical, too.
  void (*nibble_block_sums)(const int8_t* query, const uint8_t* blocks, size_t block_count, size_t n, float* out);

  // The best token of a text for each query. Tokens are n bytes, in blocks of 16 that lie side by side: a block begins
  // with their 16 scales and has 64 + 16 n bytes, of which bytes 64 + 16 i + 2 t and the one after it are values i and
  // i + 1 of token t, i even. out[q] = the largest scale * float(sum_j queries[q * n + j] * token[j]) of all tokens.
  // n is even, block_count > 0, blocks are aligned as floats, and no sum, nor any part of one, exceeds 32 bits.
  // Bit-identical results at every level.
  void (*max_products)(const int16_t* queries, size_t query_count, const uint8_t* blocks, size_t block_count, size_t n,
                       float* out);

  // The sum of the squares of n floats, in double, where they neither overflow nor vanish: it is finite and more than 0
  // for a vector of finite values that are not all zero, and for no other. Bit-identical results at every level.
  double (*square_sum)(const float* vector, size_t n);
  // out[i] = vector[i] * factor, rounded once, for i < n; `out` may be `vector`. Bit-identical results at every level.
  void (*multiply)(const float* vector, double factor, size_t n, float* out);

  // above[i] = how many of the `count` scores are greater than scores[i]. No score is a NaN. O(count^2): for some dozen,
  // or a few hundred.
  void (*count_above)(const float* scores, size_t count, uint32_t* above);
  // Writes the indexes i < count with scores[i] >= threshold, ascending, into `out`, which has room for count; returns
  // how many. What lies behind them in `out` may be overwritten.
  size_t (*select_above)(const float* scores, size_t count, float threshold, uint32_t* out);

  // What a layer of kHiddenUnits units gives for each of `rows` rows of `count` values, one after the other: the sum over
  // units u of out[u] * s / sqrt(1 + s^2), where s = bias[u] + sum_i values[i] * weights[i * kHiddenUnits + u]. Within a
  // level the answer for a row depends on nothing but the row.
  void (*hidden_layer)(const float* values, size_t rows, size_t count, const float* weights, const float* bias,
                       const float* out, float* answers);

  // How many bits of the words are set.
  size_t (*count_ones)(const uint64_t* words, size_t count);
  // Sets bit b of words[i] where values[64 * i + b] is `wanted`; other bits stay. There are 64 * count values.
  void (*mark_equal)(const uint16_t* values, uint16_t wanted, uint64_t* words, size_t count);
  // The same where least <= values[64 * i + b] <= most.
  void (*mark_within)(const uint64_t* values, uint64_t least, uint64_t most, uint64_t* words, size_t count);

  // CRC-32C of some bytes that follow others whose CRC is `crc` (0 when there are none).
  uint32_t (*crc32c)(uint32_t crc, const uint8_t* bytes, size_t size);
};

// The kernels of the best level that this processor runs, or of the level named by the environment variable
// MEMSPAN_SIMD (scalar, avx2, avx512 or neon). The choice is made on the first call and never changes.
// Throws std::runtime_error, at every call, when MEMSPAN_SIMD names a level that is unknown or cannot run here.
// Thread-safe.
const Kernels& kernels();

// Name of the level that `kernels()` uses. Throws as it does.
const char* simd_level();

}  // namespace memspan
