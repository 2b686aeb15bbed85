#include "gaussianize/marginal/detail/mixture_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/marginal/detail/mixture_log_domain.hpp"

namespace gaussianize::detail {
namespace {

void softmax(const double* logit, double* weight, double* log_weight, std::size_t kernels) {
  const double largest = *std::max_element(logit, logit + kernels);
  double total = 0.0;
  for (std::size_t j = 0; j < kernels; ++j) total += weight[j] = std::exp(logit[j] - largest);
  const double log_total = std::log(total);
  for (std::size_t j = 0; j < kernels; ++j) {
    weight[j] /= total;
    log_weight[j] = (logit[j] - largest) - log_total;
  }
}

/// Turns the vector loop's sums into those of tail_backward, which already hold w and 1/h.
void weigh(const MixtureView& mixture, const MixtureSums& sums) {
  for (std::size_t j = 0; j < mixture.kernels; ++j) {
    sums.mu[j] = mixture.weight[j] * (mixture.inverse_scale[j] * sums.mu[j]);
    sums.scale[j] *= mixture.weight[j];
    if (sums.weight != nullptr) sums.weight[j] *= mixture.weight[j];
  }
}

/// (M6)–(M8): the gradients of dimension d from the weighed sums over rows.
void add_gradient(const MixtureView& mixture, const MixtureSums& sums, std::size_t d, const MixtureGradient& gradient) {
  const std::size_t kernels = mixture.kernels;
  double total = 0.0;
  for (std::size_t j = 0; j < kernels; ++j) {
    gradient.mu[d * kernels + j] -= sums.mu[j];
    gradient.log_scale[d * kernels + j] -= sums.scale[j];
    if (sums.weight != nullptr) total += sums.weight[j];
  }
  if (sums.weight == nullptr) return;
  for (std::size_t j = 0; j < kernels; ++j)
    gradient.logit[d * kernels + j] += sums.weight[j] - mixture.weight[j] * total;
}

}  // namespace

void update(MixtureEvaluator& evaluator, const LogisticMixture& mixture) {
  const std::size_t kernels = mixture.mu.n_rows;
  evaluator.mu = mixture.mu;
  evaluator.log_scale = mixture.log_scale;
  evaluator.inverse_scale = -mixture.log_scale;
  simd().exp(evaluator.inverse_scale.memptr(), evaluator.inverse_scale.memptr(), evaluator.inverse_scale.n_elem);
  evaluator.trains_weight = !mixture.logit.is_empty();
  evaluator.link = mixture.link;
  evaluator.weight.set_size(kernels, mixture.mu.n_cols);
  evaluator.log_weight.set_size(kernels, mixture.mu.n_cols);
  if (evaluator.trains_weight) {
    for (arma::uword d = 0; d < mixture.mu.n_cols; ++d)
      softmax(mixture.logit.colptr(d), evaluator.weight.colptr(d), evaluator.log_weight.colptr(d), kernels);
  } else {
    evaluator.weight.fill(1.0 / static_cast<double>(kernels));
    evaluator.log_weight.fill(-std::log(static_cast<double>(kernels)));
  }
}

MixtureEvaluator make_evaluator(const LogisticMixture& mixture) {
  MixtureEvaluator evaluator;
  update(evaluator, mixture);
  return evaluator;
}

void forward_column(const MixtureEvaluator& mixture, std::size_t d, const double* x, double* z, double* log_dzdx,
                    std::size_t n) {
  simd().mixture_forward(mixture.view(d), x, z, log_dzdx, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isnan(z[i])) continue;
    const TailPoint p = tail_point(mixture, d, x[i]);
    z[i] = p.z;
    log_dzdx[i] = p.log_dzdx;
  }
}

void forward_block(const MixtureEvaluator& mixture, ConstBlock x, Block z, Block log_dzdx, std::size_t n) {
  for (std::size_t d = 0; d < mixture.dimension(); ++d)
    forward_column(mixture, d, x.column(d), z.column(d), log_dzdx.column(d), n);
}

void backward_block(const MixtureEvaluator& mixture, const BackwardInput& input, Block x_bar,
                    const MixtureGradient& gradient, double* scratch, std::size_t n) {
  const std::size_t kernels = mixture.kernels();
  const MixtureSums sums{scratch, scratch + kernels, mixture.trains_weight ? scratch + 2 * kernels : nullptr};
  for (std::size_t d = 0; d < mixture.dimension(); ++d) {
    const MixtureView view = mixture.view(d);
    const MixtureRows rows{input.x.column(d), input.z.column(d), input.log_dzdx.column(d), input.z_bar.column(d),
                           input.log_dzdx_bar.column(d)};
    double* to = x_bar.column(d);
    std::fill(scratch, scratch + backward_scratch(mixture), 0.0);
    simd().mixture_backward(view, rows, to, sums, n);
    weigh(view, sums);
    for (std::size_t i = 0; i < n; ++i)
      if (std::isnan(to[i])) to[i] = tail_backward(mixture, d, rows.x[i], rows.z_bar[i], rows.log_dzdx_bar[i], sums);
    add_gradient(view, sums, d, gradient);
  }
}

}  // namespace gaussianize::detail
