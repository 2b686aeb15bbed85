#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// A built-in distribution that data can be drawn from: a Toy or a KnownDistribution, by name.
struct ToyInfo {
  std::string_view name;
  std::string_view description;
  std::size_t dimension = 0;  ///< the columns it has unless asked for others
  bool any_dimension = false;
};

/// All of them, the plane ones first.
std::span<const ToyInfo> toys();

/// The entry of that name. Throws std::invalid_argument, listing the names, if there is none.
const ToyInfo& find_toy(std::string_view name);

/// Drawn rows, with the true log density of each, in nats.
struct ToySample {
  arma::mat x;
  arma::vec log_density;
  std::vector<std::string> columns;  ///< x0, x1, …
};

/// `rows` draws from the distribution of that name; dimension 0 is its own. Row i depends on the name, the dimension,
/// the seed and i alone. Throws std::invalid_argument for a name or a dimension that there is not.
ToySample generate(std::string_view name, std::size_t rows, std::size_t dimension, Seed seed, int threads = 0);

}  // namespace gaussianize
#pragma GCC visibility pop
