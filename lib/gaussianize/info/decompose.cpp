#include "gaussianize/info/decompose.hpp"

#include "gaussianize/info/detail/copula_model.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/info/entropy.hpp"

namespace gaussianize {
using namespace detail;

KlDecomposition decompose(const arma::mat& data, const MeasureOptions& options) {
  const Scores scores = normal_scores(data, options, "J = I + J_m");
  Steps steps(options, 2);
  arma::mat x = data;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  forward(fit_affine(x), x, log_det);
  const arma::vec log_normal = log_normal_rows(x);

  const CopulaFit copula = fit_copula(scores, options);
  steps.done("I");
  const arma::vec marginal = -marginal_entropy_values(x, {.threads = options.threads}) - log_normal;
  steps.done("J_m");

  KlDecomposition result;
  result.joint = measure_of(copula.log_copula + marginal, copula, copula.description + ", and spacings");
  result.dependence = measure_of(copula.log_copula, copula, copula.description);
  result.dependence.p_value = independence_p_value(scores.z, options);
  for (Measure* measure : {&result.joint, &result.dependence}) {
    measure->suspect = measure->suspect || scores.collinear;
    measure->warnings.insert(measure->warnings.end(), scores.warnings.begin(), scores.warnings.end());
  }
  result.marginal = measure_of(marginal, "spacings");
  return result;
}

}  // namespace gaussianize
