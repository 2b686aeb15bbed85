#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/core/random.hpp"

namespace gaussianize::detail {

/// A density of uniform columns that is constant on boxes: a Pólya tree that halves one column after another, in an
/// order of its own, and at every box weighs stopping there against going on [Wong & Ma 2010; context-tree weighting,
/// Willems, Shtarkov & Tjalkens 1995]. It sees what no projection shows, as the sign of a product of columns, and
/// edges; smooth densities are left to others. The mixture of several trees, weighed by their evidence. The first cut
/// of a column is where the first cuts of all columns together have the largest likelihood.
class DyadicPartition {
 public:
  /// Of rows in (0, 1)^D. O(trees · N · depth).
  DyadicPartition(const arma::mat& u, Seed seed, int threads);

  /// log q of every row.
  arma::vec log_density(const arma::mat& u, int threads) const;

 private:
  struct Box {
    double keep = 1.0;          ///< the posterior probability that the density is constant here
    double upper = 0.5;         ///< else, the probability of the upper half
    std::size_t children[2]{};  ///< of the lower and the upper half; 0: none, constant
  };
  struct Tree {
    std::vector<arma::uword> order;  ///< the column that is halved at each depth
    std::vector<Box> boxes;          ///< the first is the whole
    double log_evidence = 0.0;
  };
  static double grow(Tree& tree, const arma::mat& u, std::vector<arma::uword>& rows, std::size_t begin, std::size_t end,
                     std::size_t depth, std::size_t box);
  static double density(const Tree& tree, const arma::mat& u, arma::uword row);

  arma::rowvec cuts_;  ///< where each column is cut first, in (0, 1)
  std::vector<Tree> trees_;
  std::vector<double> weights_;
};

}  // namespace gaussianize::detail
