#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "paper/numpy_random.hpp"

using namespace gaussianize;

// The expected numbers are NumPy 1.24's own; paper_numpy compares with the NumPy that is installed.

TEST_CASE("RandomState(42): uniforms, a shuffle, and uniforms after the shuffle") {
  NumpyRandom fresh(42);
  CHECK(fresh.random_sample() == 0.3745401188473625);
  CHECK(fresh.random_sample() == 0.9507143064099162);
  NumpyRandom random(42);
  CHECK(random.shuffled(12) == std::vector<std::size_t>{10, 9, 0, 8, 5, 2, 1, 11, 4, 7, 3, 6});
  CHECK(random.random_sample() == 0.14286681792194078);
}

TEST_CASE("a long shuffle") {
  NumpyRandom random(7);
  const std::vector<std::size_t> order = random.shuffled(100000);
  CHECK(order[0] == 33909);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) sum += order[i] * i % 1000003;
  CHECK(sum == 50011800984);
  CHECK(random.shuffled(0).empty());
  CHECK(random.shuffled(1) == std::vector<std::size_t>{0});
}
