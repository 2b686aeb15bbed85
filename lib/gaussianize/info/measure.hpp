#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <armadillo>

#include "gaussianize/core/execution.hpp"
#include "gaussianize/core/random.hpp"
#include "gaussianize/flow/flow.hpp"
#include "gaussianize/math/estimate.hpp"

#pragma GCC visibility push(default)
namespace gaussianize {

/// Measures of dependence and of difference between samples, in nats. Data are N×D, rows independent. Each function
/// gives the same bits for any number of threads, throws std::invalid_argument for entries that are not finite and for
/// bad options, and DataError, naming the column, for a constant one. docs/theory.md describes how each is computed and
/// docs/accuracy.md how close it comes.

/// How many standard errors a 95 % interval reaches to either side.
inline constexpr double normal_975 = 1.959963984540054;

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// A model of the dependence that was tried.
struct MeasureCandidate {
  std::string name;  ///< for people: "trees of pairs, then GF"
  /// By models of other rows, so a lower bound but for noise; of the base, the first one, by a model of all rows, less
  /// what fitting adds. Of mutual information: the total correlation of all columns together, from which that of the
  /// groups is subtracted, but for canonical correlations, which are between the groups.
  Estimate held_out;
  bool chosen = false;  ///< true for exactly one, and for none where nearest neighbours stand in for all of them
};

/// An estimate as it came out: a measure that cannot be negative may still have a negative estimate, within its error.
struct Measure {
  double value = 0.0;           ///< nats
  double standard_error = 0.0;  ///< of sampling, from the rows' own terms; NaN where there are too few rows
  /// How far fitting may have left the value from the truth: what models of half as many rows miss more, or what
  /// another kind of estimator finds beside them. 0 where the fit's bias is known and taken off.
  double model_error = 0.0;
  Interval interval;                  ///< 95 %: value ∓ (1.96 standard errors + model_error)
  std::optional<double> p_value;      ///< of independence, by permutation; absent if not asked for or meaningless
  std::string method;                 ///< what was fitted, for people: "Student-t copula, 5.1 degrees of freedom"
  std::vector<std::string> warnings;  ///< ties, too few rows, …; why the value may be wrong
  std::vector<MeasureCandidate> candidates;  ///< those that were tried; empty where the method leaves no choice
  /// There is reason to think that the interval is too narrow or too wide to be of use: rows too few to look for more,
  /// something left that no model took up, or a model error above a tenth of the value. A dependence is then more
  /// likely too low than too high.
  bool suspect = false;
};

/// Its value and standard error alone.
inline Estimate estimate_of(const Measure& measure) {
  return {measure.value, measure.standard_error};
}

/// The same in bits: value, errors, interval and candidates divided by log 2.
Measure to_bits(Measure measure);

/// How the dependence between columns is estimated.
enum class MeasureMethod {
  automatic,          ///< the candidate whose models do best on rows that they have not seen
  gaussian_copula,    ///< −½ log det of the normal scores' correlation, less its bias: exact for Gaussian copulas
  rbig,               ///< RBIG's information, layer by layer, less what N(0, I) rows would show
  nearest_neighbour,  ///< k nearest neighbours of the normal scores: for up to about five columns
};

/// How much MeasureMethod::automatic tries.
enum class MeasureEffort {
  fast,      ///< elliptical copulas and nearest neighbours alone
  standard,  ///< cross-fitted candidates where those leave something: seconds for 10,000 rows of 10 columns
  best,      ///< the same with flows trained four times as long
};

struct MeasureOptions {
  MeasureMethod method = MeasureMethod::automatic;
  MeasureEffort effort = MeasureEffort::standard;
  /// Dependence is estimated from at most so many rows, evenly spaced: more say hardly more. 0: all, as gaussian_copula
  /// always does.
  std::size_t max_rows = 100000;
  std::size_t neighbours = 5;      ///< of nearest_neighbour
  std::size_t permutations = 199;  ///< behind the p-value; 0: no p-value
  /// Order tied values at random instead of giving them one rank. Only gaussian_copula has the choice: all others do so
  /// always, since what they fit would take shared ranks for spikes of the density.
  bool jitter = false;
  Seed seed{};
  int threads = 0;
  ProgressCallback progress = {};  ///< returning false throws Cancelled
};

std::string_view name(MeasureMethod method);

/// I(x) = D_KL(p ‖ Π p_d), 0 exactly for one column. Uses ranks alone, so any increasing map of a column leaves
/// every bit of it as it was. The p-value is that of independent columns.
Measure total_correlation(const arma::mat& x, const MeasureOptions& options = {});

/// By a density model, of rows it was not fitted to: Σ_d h(x_d) + mean log p(x). A lower bound, but for noise, since
/// no model's mean log density exceeds the truth's. With rows drawn from the model itself, the model-implied value. No
/// p-value.
Measure total_correlation(const Flow& flow, const arma::mat& x, const MeasureOptions& options = {});

/// h(x) = Σ_d h(x_d) − I(x). No p-value.
Measure joint_entropy(const arma::mat& x, const MeasureOptions& options = {});

/// I(X; Y) between two groups of columns with as many rows, = I(X, Y) − I(X) − I(Y), row by row. The p-value permutes
/// the rows of Y.
Measure mutual_information(const arma::mat& x, const arma::mat& y, const MeasureOptions& options = {});

/// I(X; Y | Z) = I(X, Y, Z) − I(X, Z) − I(Y, Z) + I(Z). The p-value permutes, among rows near in Z, what is left of the
/// scores of Y after regression on functions of Z: approximate, and absent for fewer than 30 rows and where X and Y
/// both depend on several columns of Z in a strongly curved way.
Measure conditional_mutual_information(const arma::mat& x, const arma::mat& y, const arma::mat& z,
                                       const MeasureOptions& options = {});

/// D×D, symmetric; the diagonal is NaN.
struct PairwiseInformation {
  arma::mat value, standard_error, p_value;
  arma::umat suspect;  ///< 1 where the pair's measure is suspect (Measure::suspect)
  std::vector<std::string> warnings;
};

/// The same in bits: values and standard errors divided by log 2.
PairwiseInformation to_bits(PairwiseInformation pairs);

/// I(x_i; x_j) of every two columns, each with MeasureEffort::fast.
PairwiseInformation pairwise_mutual_information(const arma::mat& x, const MeasureOptions& options = {});

/// log p(x)/Π p_d(x_d) of every row under the estimated copula: how unusual it is that these values come together.
/// Their mean is the total correlation up to its bias correction.
arma::vec local_total_correlation(const arma::mat& x, const MeasureOptions& options = {});

}  // namespace gaussianize
#pragma GCC visibility pop
