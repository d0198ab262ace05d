// Vectors in clusters, as embeddings of conversations are.
#pragma once

#include <random>
#include <vector>

#include "records.hpp"

namespace memspan::test {

class ClusteredVectors {
 public:
  ClusteredVectors(size_t dim, size_t clusters, std::mt19937& random) : random_(&random) {
    for (size_t i = 0; i < clusters; ++i) centers_.push_back(random_vector(dim, random));
  }

  std::vector<float> near(size_t cluster) {
    std::vector<float> vector = random_vector(centers_[0].size(), *random_);
    for (size_t i = 0; i < vector.size(); ++i) vector[i] += centers_[cluster % centers_.size()][i];
    return vector;
  }

 private:
  std::mt19937* random_;
  std::vector<std::vector<float>> centers_;
};

}  // namespace memspan::test
