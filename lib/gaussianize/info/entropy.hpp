#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// How the differential entropy of one column is estimated.
enum class EntropyMethod {
  spacing,    ///< distances between rows m ranks apart, extrapolated to m = 0; no bandwidth, follows edges and tails
  kde,        ///< a kernel estimate with each row left out of its own density; blurs edges
  histogram,  ///< plug-in of equal bins, with the Miller–Madow correction
  nearest_neighbour,  ///< distance to the k-th neighbour [Kozachenko & Leonenko 1987]
};

/// One value a row, in the rows' order, whose mean is the estimate of the entropy of x, in nats, and the standard error
/// of whose mean (mean_estimate) is the estimate's own. Sums and differences of such values over columns, or with other
/// values of the same rows, therefore have the right standard error too, whatever depends on what.
///
/// Equivariant: x ↦ ax + b adds log|a| to every value, up to rounding, for any finite a ≠ 0 and data from 1e-300 to
/// 1e300. O(N log N). Tied rows: the distribution is taken to be spread between its neighbouring distinct values, so
/// integers give the entropy of the distribution that was rounded, to 0.01 nats, by the spacing and nearest-neighbour
/// methods (kernels and bins see the spikes instead); count_ties counts them. Throws DataError for fewer than 3 rows, a
/// constant column, or a value that is not finite.
arma::vec entropy_values(const arma::vec& x, EntropyMethod method = EntropyMethod::spacing);

/// The differential entropy of a column, −E log p, in nats.
Estimate entropy(const arma::vec& x, EntropyMethod method = EntropyMethod::spacing);

/// How many rows repeat the value of another: N less the number of distinct values. 0 for data without ties.
std::size_t count_ties(const arma::vec& x);

struct MarginalOptions {
  EntropyMethod method = EntropyMethod::spacing;
  int threads = 0;
};

/// Σ_d H(x_d) over the columns of x, in nats, with the standard error of the rows' sums, so that dependence between
/// columns is accounted for. Throws as entropy_values does, naming the column.
Estimate marginal_entropy(const arma::mat& x, const MarginalOptions& options = {});

/// J_m(x) = Σ_d D_KL(p_d ‖ N(0, 1)), in nats, likewise. Infinite where a square of the data overflows: J_m depends on
/// units.
Estimate marginal_negentropy(const arma::mat& x, const MarginalOptions& options = {});

/// The rows' sums of which these two are the means.
arma::vec marginal_entropy_values(const arma::mat& x, const MarginalOptions& options = {});
arma::vec marginal_negentropy_values(const arma::mat& x, const MarginalOptions& options = {});

/// The information in one column by itself, in nats.
struct ColumnInformation {
  Estimate entropy;
  Estimate negentropy;        ///< D_KL(p ‖ N(0, 1)): the column's part of J_m
  Estimate shape_negentropy;  ///< D_KL(p ‖ normal of the same mean and variance): does not change with units
  std::size_t ties = 0;       ///< rows that repeat another's value
};

/// One entry a column. Throws as entropy_values does, naming the column.
std::vector<ColumnInformation> column_information(const arma::mat& x, const MarginalOptions& options = {});

std::string_view name(EntropyMethod method);

}  // namespace gaussianize
#pragma GCC visibility pop
