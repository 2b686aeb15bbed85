#pragma once

#include <functional>
#include <string>
#include <vector>

#include <armadillo>

#include "gaussianize/info/measure.hpp"

/// Densities of rows with N(0, 1) columns, evaluated on rows that they were not fitted to.
namespace gaussianize::detail {

/// A fitted density q: log q(z)/Πφ(z_d) of every row. z becomes what q leaves, N(0, I) if q is right, or empty if q has
/// no such map.
using RatioModel = std::function<arma::vec(arma::mat& z)>;

/// Fits one to rows.
using RatioFit = std::function<RatioModel(const arma::mat& z)>;

/// A density's result on rows of which each is evaluated by a model that has not seen it.
struct CrossFit {
  std::string name;
  arma::vec log_ratio;                 ///< its mean is a lower bound of what there is, but for noise
  arma::mat rest;                      ///< the rows as the models leave them; empty if they have no map
  std::function<arma::vec()> smaller;  ///< computes log_ratio by models of half as many rows
};

/// What the mean gained by twice as many rows, and not less than 0.
double learning(const CrossFit& fit);

/// What fitting to finitely many rows still costs, from what the last doubling of the rows gained: as much where the
/// error falls like 1/N, 2.4 times as much where it falls like 1/√N. Between the two.
inline double shortfall(double learning) {
  return 1.5 * learning;
}

/// A density that is to be fitted to rows.
struct CrossFitPlan {
  std::string name;
  arma::mat z;
  RatioFit fit;
};

/// Three folds: every third row is evaluated by a model of the others (for `smaller`, of every second of them). Models
/// and folds run side by side, so that each fit may stay on one thread.
std::vector<CrossFit> cross_fit(const std::vector<CrossFitPlan>& plans, int threads);
CrossFit cross_fit(CrossFitPlan plan, int threads);

/// The mixture of densities of the same rows that the rows find likeliest; shares below a twentieth are left out. It
/// has no map.
CrossFit mixture_of(const std::vector<CrossFit>& list);

/// The fits below use one thread each. Boxes (DyadicPartition), for rows whose columns are normal scores.
RatioFit partition_fit(const MeasureOptions& options);

/// Trees of pairs (PairTree) one after another, while they find anything.
RatioFit pair_trees_fit();

/// RBIG, and GF: small ones, fitted to at most 20,000 rows each.
RatioFit rbig_fit(const MeasureOptions& options);
RatioFit gf_fit(const MeasureOptions& options);

}  // namespace gaussianize::detail
