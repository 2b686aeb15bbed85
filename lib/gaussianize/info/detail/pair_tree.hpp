#pragma once

#include <cstddef>
#include <vector>

#include <armadillo>

#include "gaussianize/info/detail/pair_density.hpp"

namespace gaussianize::detail {

/// A tree of pairs [Chow & Liu 1968]: every column but the root given one other, q = Π φ(z_root) q(z_j | z_parent(j)).
/// The best tree is the one with the largest sum of pairs' mutual information; that sum never exceeds the total
/// correlation.
struct PairTree {
  struct Edge {
    arma::uword parent = 0, child = 0;
    PairDensity density;
  };
  std::vector<Edge> edges;
};

/// Of columns with N(0, 1) margins. Edges that do not gain on rows kept back for that are left out, so the tree may
/// have several roots, or no edge. O(N·D²) for the choice of the edges.
PairTree fit_pair_tree(const arma::mat& z, int threads);

/// log q(z)/Πφ(z_d) of every row is added to log_ratio, and z becomes what the tree leaves: N(0, I) if q is right.
void forward(const PairTree& tree, arma::mat& z, arma::vec& log_ratio, int threads);

}  // namespace gaussianize::detail
