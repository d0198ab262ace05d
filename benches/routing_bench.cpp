// When is a graph faster than comparing all tags? The ten nearest of so many tags, by codes, by floats, and by hnswlib with
// ever more effort:
//
//   make bench-smoke && build/editable/routing_bench 384 8192 tight
//
// `tight`: each tag is the mean of a few records of one topic, each question another record. `none`: no clusters. With two
// .npy files of float32 rows instead, tags and questions: the tags are taken over and over, with noise after the first time.
#include <hnswlib/hnswlib.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "tags/tag_vectors.hpp"
#include "vectors/unit_vector.hpp"

namespace memspan {
namespace {

constexpr size_t kNearest = 10;
constexpr size_t kQuestions = 200;
constexpr size_t kPasses = 3;  // the first one warms
constexpr float kNoise = 0.7f;
using Rows = std::vector<std::vector<float>>;

std::mt19937 engine(1);
float noise() { return std::normal_distribution<float>()(engine); }

void make_unit(std::vector<float>& row) { normalize(row, row.data()); }

void make(size_t dim, size_t count, bool tight, Rows& tags, Rows& questions) {
  const size_t topics = std::max<size_t>(20, count / 50);
  Rows centres(tight ? topics : 1, std::vector<float>(dim, 0.0f));
  for (auto& centre : centres) {
    for (float& value : centre) value = tight ? noise() : 0.0f;
  }
  const auto record = [&](const std::vector<float>& centre) {
    std::vector<float> row = centre;
    for (float& value : row) value += kNoise * noise();
    make_unit(row);
    return row;
  };
  while (tags.size() < count) {
    const auto& centre = centres[engine() % centres.size()];
    std::vector<float> mean(dim, 0.0f);
    for (size_t left = tight ? 1 + engine() % 8 : 1; left > 0; --left) {
      const std::vector<float> row = record(centre);
      for (size_t d = 0; d < dim; ++d) mean[d] += row[d];
    }
    make_unit(mean);
    tags.push_back(std::move(mean));
  }
  while (questions.size() < kQuestions) questions.push_back(record(centres[engine() % centres.size()]));
}

// Version 1 of the format, C order: what numpy writes.
Rows read(const char* path, size_t dim, size_t most) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(8);
  const auto low = static_cast<size_t>(in.get());
  in.seekg(static_cast<std::streamoff>(10 + low + 256 * static_cast<size_t>(in.get())));
  Rows rows;
  for (std::vector<float> row(dim); rows.size() < most && in.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(4 * dim));) {
    rows.push_back(row);
    make_unit(rows.back());
  }
  return rows;
}

float distance(const void* a, const void* b, const void* dim) {
  return 1.0f - kernels().dot(static_cast<const float*>(a), static_cast<const float*>(b), *static_cast<const size_t*>(dim));
}

struct Space : hnswlib::SpaceInterface<float> {
  explicit Space(size_t d) : dim(d) {}
  size_t get_data_size() override { return dim * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return &dim; }
  size_t dim;
};

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The median, in microseconds.
template <typename Ask>
double measure(const Rows& questions, Ask ask) {
  std::vector<double> times;
  for (size_t pass = 0; pass < kPasses; ++pass) {
    for (size_t q = 0; q < questions.size(); ++q) {
      const auto start = Clock::now();
      ask(q);
      if (pass > 0) times.push_back(1e6 * since(start));
    }
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

void run(size_t dim, const Rows& tags, const Rows& questions) {
  TagVectors vectors(dim);
  for (const auto& tag : tags) {
    vectors.add();
    vectors.put(static_cast<TagId>(vectors.size() - 1), tag.data());
  }
  std::vector<std::vector<TagId>> truth(questions.size());
  std::vector<Candidate> found;
  const auto by_score = [](const Candidate& a, const Candidate& b) { return a.score > b.score; };
  const double floats = measure(questions, [&](size_t q) {
    vectors.nearest(questions[q].data(), kNearest, true, found);
    std::sort(found.begin(), found.end(), by_score);
    truth[q].clear();
    for (size_t i = 0; i < std::min(kNearest, found.size()); ++i) truth[q].push_back(found[i].slot);
  });
  const double codes = measure(questions, [&](size_t q) { vectors.nearest(questions[q].data(), kNearest, false, found); });
  std::printf("%zu tags of %zu dimensions: floats %.0f us, codes %.0f us\n", tags.size(), dim, floats, codes);

  Space space(dim);
  hnswlib::HierarchicalNSW<float> graph(&space, tags.size(), 16, 128, 1);
  const auto start = Clock::now();
  for (size_t tag = 0; tag < tags.size(); ++tag) graph.addPoint(tags[tag].data(), tag);
  std::printf("graph: built in %.1f s, %zu MB\n", since(start), tags.size() * graph.size_data_per_element_ >> 20);
  for (size_t width = 16; width <= 1024; width *= 2) {
    graph.setEf(width);
    size_t hits = 0;
    const double time = measure(questions, [&](size_t q) {
      for (auto nearest = graph.searchKnn(questions[q].data(), kNearest); !nearest.empty(); nearest.pop()) {
        hits += static_cast<size_t>(std::count(truth[q].begin(), truth[q].end(), nearest.top().second));
      }
    });
    const double all = static_cast<double>(kPasses * questions.size() * kNearest);
    std::printf("  width %4zu: %6.0f us, recall %.3f\n", width, time, static_cast<double>(hits) / all);
  }
}

}  // namespace
}  // namespace memspan

int main(int count, char** arguments) {
  using namespace memspan;
  if (count < 4 || count > 5) {
    std::fprintf(stderr, "usage: routing_bench dimension tags tight|none|TAGS.npy QUESTIONS.npy\n");
    return 2;
  }
  const auto dim = static_cast<size_t>(std::atol(arguments[1]));
  const auto wanted = static_cast<size_t>(std::atol(arguments[2]));
  Rows tags;
  Rows questions;
  if (count == 4) {
    make(dim, wanted, std::string(arguments[3]) == "tight", tags, questions);
  } else {
    tags = read(arguments[3], dim, wanted);
    questions = read(arguments[4], dim, kQuestions);
    const size_t real = tags.size();
    while (real > 0 && tags.size() < wanted) {
      std::vector<float> row = tags[tags.size() % real];
      for (float& value : row) value += 0.75f / std::sqrt(static_cast<float>(dim)) * noise();
      make_unit(row);
      tags.push_back(std::move(row));
    }
  }
  if (tags.empty() || questions.empty()) return 1;
  run(dim, tags, questions);
}
