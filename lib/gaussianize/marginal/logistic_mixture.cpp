#include "gaussianize/marginal/logistic_mixture.hpp"

#include <array>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

namespace gaussianize {
using namespace detail;
namespace {

ConstBlock block(const arma::mat& m) {
  return {m.memptr(), m.n_rows};
}

Block block(arma::mat& m) {
  return {m.memptr(), m.n_rows};
}

void check_columns(const LogisticMixture& mixture, const arma::mat& x, const char* what) {
  check(mixture);
  require(x.n_cols == mixture.mu.n_cols, what, ": the rows have ", x.n_cols, " columns and the mixture ",
          mixture.mu.n_cols, "; they must agree");
}

void check_shape(const arma::mat& m, const arma::mat& like, const char* what) {
  require(m.n_rows == like.n_rows && m.n_cols == like.n_cols, what, " is ", m.n_rows, "×", m.n_cols, "; it must be ",
          like.n_rows, "×", like.n_cols);
}

}  // namespace

void check(const LogisticMixture& mixture) {
  require(!mixture.mu.is_empty(), "logistic mixture: mu is ", mixture.mu.n_rows, "×", mixture.mu.n_cols,
          "; give every dimension at least one kernel");
  check_shape(mixture.log_scale, mixture.mu, "logistic mixture: log_scale");
  if (!mixture.logit.is_empty()) check_shape(mixture.logit, mixture.mu, "logistic mixture: logit, unless it is empty,");
}

LogisticMixture zeros_like(const LogisticMixture& mixture) {
  return {arma::zeros(arma::size(mixture.mu)), arma::zeros(arma::size(mixture.log_scale)),
          arma::zeros(arma::size(mixture.logit)), mixture.link};
}

void apply(const LogisticMixture& mixture, arma::mat& x, arma::vec& log_det) {
  check_columns(mixture, x, "apply");
  require(log_det.n_elem == x.n_rows, "apply: log_det has ", log_det.n_elem, " elements for ", x.n_rows, " rows");
  MarginalPass pass = forward(mixture, x);
  for (arma::uword d = 0; d < x.n_cols; ++d) log_det += pass.log_dzdx.col(d);
  x = std::move(pass.z);
}

void apply_inverse(const LogisticMixture& mixture, arma::mat& z) {
  check_columns(mixture, z, "apply_inverse");
  const MixtureEvaluator prepared = prepare(mixture);
  const arma::mat& from = z;
  inverse_block(prepared, prepare_inverse(prepared), block(from), block(z), z.n_rows);
}

MarginalPass forward(const LogisticMixture& mixture, const arma::mat& x) {
  check_columns(mixture, x, "forward");
  MarginalPass pass{arma::mat(x.n_rows, x.n_cols, arma::fill::none), arma::mat(x.n_rows, x.n_cols, arma::fill::none)};
  forward_block(prepare(mixture), block(x), block(pass.z), block(pass.log_dzdx), x.n_rows);
  return pass;
}

arma::mat backward(const LogisticMixture& mixture, const arma::mat& x, const MarginalPass& pass,
                   const MarginalPass& pass_bar, LogisticMixture& grad) {
  check_columns(mixture, x, "backward");
  check_shape(pass.z, x, "backward: z");
  check_shape(pass.log_dzdx, x, "backward: log_dzdx");
  check_shape(pass_bar.z, x, "backward: z_bar");
  check_shape(pass_bar.log_dzdx, x, "backward: log_dzdx_bar");
  check_shape(grad.mu, mixture.mu, "backward: the gradient of mu");
  check_shape(grad.log_scale, mixture.log_scale, "backward: the gradient of log_scale");
  check_shape(grad.logit, mixture.logit, "backward: the gradient of logit");
  const MixtureEvaluator prepared = prepare(mixture);
  std::vector<double> scratch(backward_scratch(prepared));
  arma::mat x_bar(x.n_rows, x.n_cols, arma::fill::none);
  backward_block(prepared, {block(x), block(pass.z), block(pass.log_dzdx), block(pass_bar.z), block(pass_bar.log_dzdx)},
                 block(x_bar), {grad.mu.memptr(), grad.log_scale.memptr(), grad.logit.memptr()}, scratch.data(),
                 x.n_rows);
  return x_bar;
}

}  // namespace gaussianize
