// How fast the kernels are, at every level that this processor runs, beside a plain read of the same memory:
//
//   make bench-smoke && build/editable/kernels_bench [dimension]
//
// Everything is measured in turns, so that a change of the machine's load meets all alike, and in time of the
// processor, so that other processes' turns do not count; the table shows medians.
#include <sys/mman.h>

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "simd/levels.hpp"

namespace memspan {
namespace {

constexpr size_t kBatchQueries = 32;
constexpr double kSecondsPerTurn = 0.0003;

// Memory in large pages where the system gives them, so that translating addresses is not what is measured.
template <typename T>
T* allocate(size_t count) {
  constexpr size_t kPage = size_t{2} << 20;
  const size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
  void* memory = std::aligned_alloc(kPage, bytes);
  if (memory == nullptr) std::exit(1);
  madvise(memory, bytes, MADV_HUGEPAGE);
  std::memset(memory, 1, bytes);
  return static_cast<T*>(memory);
}

using Wide = float __attribute__((vector_size(64), aligned(64)));

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
float read_all(const void* memory, size_t bytes) {
  const auto* wide = static_cast<const Wide*>(memory);
  Wide sums[8] = {};
  for (size_t i = 0; i + 8 <= bytes / sizeof(Wide); i += 8) {
    for (size_t k = 0; k < 8; ++k) sums[k] += wide[i + k];
  }
  float total = 0;
  for (const Wide& sum : sums) total += sum[0];
  return total;
}

struct Work {
  std::string kernel;
  std::string level;
  double bytes;     // read by one run
  double products;  // multiplications in one run; 0 where there are none
  std::function<void()> run;
  std::vector<double> seconds = {};
};

double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const std::function<void()>& run, size_t times) {
  const double start = now();
  for (size_t i = 0; i < times; ++i) run();
  return (now() - start) / static_cast<double>(times);
}

void measure(std::vector<Work>& works, size_t turns) {
  std::vector<size_t> times;
  for (const Work& work : works) {
    const double once = std::min(seconds_of(work.run, 1), seconds_of(work.run, 1));
    times.push_back(std::max<size_t>(1, static_cast<size_t>(kSecondsPerTurn / once)));
  }
  for (size_t turn = 0; turn < turns; ++turn) {
    for (size_t i = 0; i < works.size(); ++i) works[i].seconds.push_back(seconds_of(works[i].run, times[i]));
  }
  for (Work& work : works) {
    std::sort(work.seconds.begin(), work.seconds.end());
    const double median = work.seconds[turns / 2];
    std::printf("  %-16s %-14s %8.1f GB/s %8.1f GMAC/s   best %8.1f GB/s %12.2f us\n", work.kernel.c_str(),
                work.level.c_str(), work.bytes / median / 1e9, work.products / median / 1e9,
                work.bytes / work.seconds.front() / 1e9, median * 1e6);
  }
}

struct Data {
  size_t dim;
  size_t padded;
  std::vector<float> query;
  int8_t* codes;  // of kBatchQueries queries
  int32_t offset[kBatchQueries];
  uint8_t* rows;  // of codes, or of floats
  float* scales;
  uint32_t* positions;
  float* out;
};

void add_works(std::vector<Work>& works, const Data& data, size_t bytes) {
  const size_t codes = bytes / data.padded;
  const size_t floats = bytes / (data.dim * sizeof(float));
  const size_t halves = bytes / (data.dim * sizeof(uint16_t));
  const auto* vectors = reinterpret_cast<const float*>(data.rows);
  const auto* half_vectors = reinterpret_cast<const uint16_t*>(data.rows);
  SimdLevel levels[kMaxSimdLevels];
  const size_t count = supported_levels(levels);
  works.push_back({"plain read", "", double(bytes), 0, [=] {
                     volatile float sink = read_all(data.rows, bytes);
                     (void)sink;
                   }});
  const auto anywhere = std::make_shared<std::vector<const float*>>(floats);
  for (size_t i = 0; i < floats; ++i) (*anywhere)[i] = vectors + data.positions[codes + i] * data.dim;
  for (size_t i = 0; i < count; ++i) {
    const Kernels& simd = *levels[i].kernels;
    const std::string level = std::string(levels[i].name) + (*levels[i].variant == 0 ? "" : "+") + levels[i].variant;
    const auto add = [&](const char* kernel, size_t rows, size_t row_bytes, size_t queries, std::function<void()> run) {
      const double products = double(rows) * double(data.dim) * double(queries);
      works.push_back({kernel, level, double(rows * row_bytes), products, std::move(run)});
    };
    const float* query = data.query.data();
    add("dot_rows", floats, data.dim * sizeof(float), 1,
        [=, &simd, &data] { simd.dot_rows(query, vectors, data.dim, floats, data.dim, data.out); });
    add("dot_each", floats, data.dim * sizeof(float), 1,
        [=, &simd, &data] { simd.dot_each(query, anywhere->data(), floats, data.dim, data.out); });
    add("dot_rows_bfloat16", halves, data.dim * sizeof(uint16_t), 1,
        [=, &simd, &data] { simd.dot_rows_bfloat16(query, half_vectors, data.dim, halves, data.dim, data.out); });
    add("code_rows", codes, data.padded, 1, [=, &simd, &data] {
      simd.code_rows(data.codes, data.offset[0], data.rows, data.padded, data.scales, codes, data.padded, data.out);
    });
    add("code_gather", codes, data.padded, 1, [=, &simd, &data] {
      simd.code_gather(data.codes, data.offset[0], data.rows, data.padded, data.scales, data.positions, codes,
                       data.padded, data.out);
    });
    if (bytes < (size_t{64} << 20)) {
      add("code_rows_batch", codes, data.padded, kBatchQueries, [=, &simd, &data] {
        simd.code_rows_batch(data.codes, data.offset, kBatchQueries, data.rows, data.padded, data.scales, codes,
                             data.padded, data.out);
      });
    }
  }
}

// Kernels whose cost hardly depends on where their input lies: one vector, or the scores of one block.
void measure_small(const Data& data) {
  std::vector<Work> works;
  SimdLevel levels[kMaxSimdLevels];
  const size_t count = supported_levels(levels);
  constexpr size_t kScores = 4096;
  constexpr size_t kChecked = 16384;
  auto* chosen = allocate<uint32_t>(kScores);
  auto* scores = allocate<float>(kScores);
  auto* units = allocate<float>(data.dim);
  auto* marks = allocate<uint64_t>(kChecked / sizeof(uint16_t) / 64);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform;
  for (size_t i = 0; i < kScores; ++i) scores[i] = uniform(random);
  for (size_t i = 0; i < count; ++i) {
    const Kernels& simd = *levels[i].kernels;
    const std::string level = std::string(levels[i].name) + (*levels[i].variant == 0 ? "" : "+") + levels[i].variant;
    works.push_back({"quantize_query", level, double(data.dim * sizeof(float)), 0, [=, &simd, &data] {
                       int32_t offset;
                       simd.quantize_query(data.query.data(), data.dim, data.codes, &offset);
                     }});
    works.push_back({"quantize_row", level, double(data.dim * sizeof(float)), 0,
                     [=, &simd, &data] { simd.quantize_row(data.query.data(), data.dim, data.rows); }});
    for (const float share : {0.001f, 0.1f, 1.0f}) {
      works.push_back({"select " + std::to_string(share).substr(0, 5), level, double(kScores * sizeof(float)), 0,
                       [=, &simd] { simd.select_above(scores, kScores, 1 - share, chosen); }});
    }
    constexpr size_t kSorted = 64;
    works.push_back({"count_above 64", level, double(kSorted * sizeof(float)), 0,
                     [=, &simd] { simd.count_above(scores, kSorted, chosen); }});
    works.push_back({"square_sum", level, double(data.dim * sizeof(float)), 0, [=, &simd, &data] {
                       volatile double sink = simd.square_sum(data.query.data(), data.dim);
                       (void)sink;
                     }});
    works.push_back({"multiply", level, double(data.dim * sizeof(float)), 0,
                     [=, &simd, &data] { simd.multiply(data.query.data(), 0.5, data.dim, units); }});
    works.push_back({"count_ones", level, double(kChecked), 0, [=, &simd, &data] {
                       volatile size_t sink =
                           simd.count_ones(reinterpret_cast<const uint64_t*>(data.rows), kChecked / sizeof(uint64_t));
                       (void)sink;
                     }});
    works.push_back({"mark_equal", level, double(kChecked), 0, [=, &simd, &data] {
                       simd.mark_equal(reinterpret_cast<const uint16_t*>(data.rows), 1, marks, kChecked / sizeof(uint16_t) / 64);
                     }});
    works.push_back({"mark_within", level, double(kChecked), 0, [=, &simd, &data] {
                       simd.mark_within(reinterpret_cast<const uint64_t*>(data.rows), 1, 2, marks, kChecked / sizeof(uint64_t) / 64);
                     }});
    works.push_back({"crc32c", level, double(kChecked), 0, [=, &simd, &data] {
                       volatile uint32_t sink = simd.crc32c(0, data.rows, kChecked);
                       (void)sink;
                     }});
  }
  std::printf("one vector of %zu floats, %zu scores, %zu bytes:\n", data.dim, kScores, kChecked);
  measure(works, 101);
}

void run(size_t dim) {
  constexpr size_t kLargest = size_t{256} << 20;
  Data data = {};
  data.dim = dim;
  data.padded = (dim + 63) / 64 * 64;
  const size_t most = kLargest / data.padded + 1;
  data.rows = allocate<uint8_t>(kLargest + data.padded);
  data.scales = allocate<float>(most);
  data.positions = allocate<uint32_t>(2 * most);
  data.out = allocate<float>(most * kBatchQueries);
  data.codes = allocate<int8_t>(data.padded * kBatchQueries);
  data.query.assign(dim, 0.5f);
  measure_small(data);
  std::mt19937 random(2);
  struct {
    const char* name;
    size_t bytes;
    size_t turns;
  } sets[] = {{"16 KiB (L1)", 16u << 10, 301},
              {"512 KiB (L2)", 512u << 10, 301},
              {"8 MiB (L3)", 8u << 20, 51},
              {"256 MiB (memory)", kLargest, 7}};
  for (const auto& set : sets) {
    // The positions of all rows of codes in random order, and behind them those of all rows of floats.
    const size_t codes = set.bytes / data.padded;
    const size_t floats = set.bytes / (dim * sizeof(float));
    for (const auto& [first, count] : {std::pair{size_t{0}, codes}, std::pair{codes, floats}}) {
      std::iota(data.positions + first, data.positions + first + count, 0u);
      std::shuffle(data.positions + first, data.positions + first + count, random);
    }
    std::vector<Work> works;
    add_works(works, data, set.bytes);
    std::printf("%s:\n", set.name);
    measure(works, set.turns);
  }
}

}  // namespace
}  // namespace memspan

int main(int count, char** arguments) {
  const long dim = count > 1 ? std::strtol(arguments[1], nullptr, 10) : 384;
  if (dim < 1 || dim > 8192) {
    std::fprintf(stderr, "usage: kernels_bench [dimension, 1-8192]\n");
    return 2;
  }
  memspan::run(static_cast<size_t>(dim));
}
