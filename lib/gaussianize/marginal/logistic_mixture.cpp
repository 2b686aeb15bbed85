#include "gaussianize/marginal/logistic_mixture.hpp"

#include <utility>
#include <vector>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/marginal/detail/check_sizes.hpp"
#include "gaussianize/marginal/detail/mixture_evaluator.hpp"
#include "gaussianize/marginal/detail/mixture_inverse.hpp"

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
  check_sizes(mixture);
  require(x.n_cols == mixture.mu.n_cols, what, ": the rows have ", x.n_cols, " columns and the mixture ",
          mixture.mu.n_cols, "; they must agree");
}

void check_shape(const arma::mat& m, const arma::mat& like, const char* what) {
  require(m.n_rows == like.n_rows && m.n_cols == like.n_cols, what, " is ", m.n_rows, "×", m.n_cols, "; it must be ",
          like.n_rows, "×", like.n_cols);
}

}  // namespace

void check(const LogisticMixture& mixture) {
  check_sizes(mixture);
  for (const auto& [name, block] :
       {std::pair("mu", &mixture.mu), std::pair("log_scale", &mixture.log_scale), std::pair("logit", &mixture.logit)})
    require(block->is_finite(), "logistic mixture: ", name, " holds a number that is not finite");
  const double largest = arma::abs(mixture.log_scale).max();
  require(largest <= 300, "logistic mixture: log_scale holds ±", largest, "; it must lie between −300 and 300");
}

LogisticMixture zeros_like(const LogisticMixture& mixture) {
  return {arma::zeros(arma::size(mixture.mu)), arma::zeros(arma::size(mixture.log_scale)),
          arma::zeros(arma::size(mixture.logit)), mixture.link};
}

void forward(const LogisticMixture& mixture, arma::mat& x, arma::vec& log_det) {
  check_columns(mixture, x, "forward");
  require(log_det.n_elem == x.n_rows, "forward: log_det has ", log_det.n_elem, " elements for ", x.n_rows, " rows");
  MarginalPass pass = forward(mixture, x);
  for (arma::uword d = 0; d < x.n_cols; ++d) log_det += pass.log_dzdx.col(d);
  x = std::move(pass.z);
}

void inverse(const LogisticMixture& mixture, arma::mat& z) {
  check_columns(mixture, z, "inverse");
  const MixtureEvaluator evaluator = make_evaluator(mixture);
  const arma::mat& from = z;
  inverse_block(evaluator, make_inverse(evaluator), block(from), block(z), z.n_rows);
}

MarginalPass forward(const LogisticMixture& mixture, const arma::mat& x) {
  check_columns(mixture, x, "forward");
  MarginalPass pass{arma::mat(x.n_rows, x.n_cols, arma::fill::none), arma::mat(x.n_rows, x.n_cols, arma::fill::none)};
  forward_block(make_evaluator(mixture), block(x), block(pass.z), block(pass.log_dzdx), x.n_rows);
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
  const MixtureEvaluator evaluator = make_evaluator(mixture);
  std::vector<double> scratch(backward_scratch(evaluator));
  arma::mat x_bar(x.n_rows, x.n_cols, arma::fill::none);
  backward_block(
      evaluator, {block(x), block(pass.z), block(pass.log_dzdx), block(pass_bar.z), block(pass_bar.log_dzdx)},
      block(x_bar), {grad.mu.memptr(), grad.log_scale.memptr(), grad.logit.memptr()}, scratch.data(), x.n_rows);
  return x_bar;
}

}  // namespace gaussianize
