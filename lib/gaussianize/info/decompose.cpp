#include "gaussianize/info/decompose.hpp"

#include <cmath>
#include <optional>

#include "gaussianize/info/detail/copula_model.hpp"
#include "gaussianize/info/detail/elliptical.hpp"
#include "gaussianize/info/detail/measure_terms.hpp"
#include "gaussianize/info/detail/permutation_test.hpp"
#include "gaussianize/info/detail/residual_flow.hpp"
#include "gaussianize/info/detail/scores.hpp"
#include "gaussianize/info/entropy.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// log p̂(x) of every row, less what fitting to the same rows adds, and its expected mean on new rows.
struct JointDensity {
  arma::vec terms;
  double held_out = 0.0;
  std::string method;
};

/// An elliptical density, then RBIG: exact for normal and Student-t distributions.
JointDensity elliptical_start(const arma::mat& x, const MeasureOptions& options) {
  const EllipticalDensity base = fit_elliptical_density(x);
  const bool student = std::isfinite(base.degrees);
  const auto n = static_cast<double>(x.n_rows), d = static_cast<double>(x.n_cols);
  // Each parameter raises the mean on its own rows by half a nat over N, and lowers it on others by as much.
  const double optimism = (d * (d + 3) / 2 + (student ? 1 : 0)) / (2 * n);
  JointDensity joint;
  joint.terms = log_density(base, x) - optimism;
  joint.held_out = arma::mean(joint.terms) - optimism;
  joint.method = student ? "Student-t density" : "normal density";
  if (const std::optional<ResidualFlow> flow = fit_residual_flow(whiten(base, x), options)) {
    joint.terms += flow->log_ratio;
    joint.held_out += flow->held_out;
    joint.method += ", then RBIG";
  }
  return joint;
}

/// RBIG on the columns as they are: its first layer Gaussianizes each of them before anything mixes them.
std::optional<JointDensity> marginal_start(const arma::mat& x, const MeasureOptions& options) {
  const std::optional<ResidualFlow> flow = fit_residual_flow(x, options);
  if (!flow) return std::nullopt;
  const arma::vec log_normal = log_normal_rows(x);
  return JointDensity{log_normal + flow->log_ratio, arma::mean(log_normal) + flow->held_out, "RBIG"};
}

JointDensity fit_joint_density(const arma::mat& x, const MeasureOptions& options) {
  JointDensity joint = elliptical_start(x, options);
  if (std::optional<JointDensity> rbig = marginal_start(x, options); rbig && rbig->held_out > joint.held_out)
    joint = std::move(*rbig);
  return joint;
}

}  // namespace

KlDecomposition decompose(const arma::mat& data, const MeasureOptions& options) {
  const Scores scores = normal_scores(data, options, "J = I + J_m");
  Steps steps(options, 3);
  arma::mat x = data;
  arma::vec log_det(x.n_rows, arma::fill::zeros);
  forward(fit_affine(x), x, log_det);
  const arma::vec log_normal = log_normal_rows(x);

  const JointDensity density = fit_joint_density(x, options);
  const arma::vec joint = density.terms - log_normal;
  steps.done("J");
  const CopulaFit copula = fit_copula(scores, options);
  steps.done("I");
  const arma::vec marginal = -marginal_entropy_values(x, {.threads = options.threads}) - log_normal;
  steps.done("J_m");

  KlDecomposition result;
  result.joint = measure_of(joint, density.method);
  result.dependence = measure_of(copula.log_copula, copula, copula.description);
  result.dependence.p_value = independence_p_value(scores.z, options);
  result.dependence.warnings.insert(result.dependence.warnings.end(), scores.warnings.begin(), scores.warnings.end());
  result.marginal = measure_of(marginal, "spacings");
  result.discrepancy = measure_of(arma::vec(joint - copula.log_copula - marginal), "J − (I + J_m)");
  return result;
}

}  // namespace gaussianize
