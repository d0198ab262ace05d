// A level's table, put together from what its unit defines: `Isa` for floats, `Codes` for codes, `Bits` for sets of
// bits, `Blocks` for short codes. Included by the units that are compiled for one instruction set, and by nothing else.
#pragma once

#include "simd/code_batch.hpp"
#include "simd/code_blocks.hpp"
#include "simd/dot_blocks.hpp"
#include "simd/hidden_units.hpp"
#include "simd/levels.hpp"
#include "simd/max_products.hpp"
#include "simd/squares.hpp"
#include "simd/vector_loops.hpp"

namespace memspan {
namespace {

template <typename Isa, typename Codes, typename Bits = Isa, typename Blocks = PlainBlocks>
constexpr Kernels table_of() {
  return {&dot<Isa>,          &dot_rows<Isa, float>, &dot_each<Isa, float>, &dot_pairs<Isa>,
          &dot_rows<Isa, uint16_t>, &dot_each<Isa, uint16_t>,
          &quantize_query<Isa>, &quantize_row<Isa>, &code_rows<Codes>, &code_gather<Codes>, &code_rows_batch<Codes>,
          &code_blocks<Blocks>, &nibble_block_sums<Blocks>, &max_products<Blocks>, &square_sum<Isa>, &multiply<Isa>,
          &count_above<Isa>,  &select_above<Isa>, &hidden_layer<Isa>, &count_ones<Bits>, &mark_equal<Bits>,
          &mark_within<Bits>, &crc32c_instruction};
}

}  // namespace
}  // namespace memspan
