#include "gaussianize/gf/detail/engine.hpp"

#include <algorithm>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize::detail {
namespace {

Block block_of(arma::mat& m) {
  return {m.memptr(), m.n_rows};
}

ConstBlock const_block_of(const arma::mat& m) {
  return {m.memptr(), m.n_rows};
}

void add_mixture(LogisticMixture& into, const LogisticMixture& from) {
  into.mu += from.mu;
  into.log_scale += from.log_scale;
  into.logit += from.logit;
}

/// tree_sum in place over the blocks of one layer; the sum ends in the first.
template <class Get, class Add>
void add_in_tree(std::size_t blocks, Get get, Add add) {
  for (std::size_t stride = 1; stride < blocks; stride *= 2)
    for (std::size_t i = 0; i + stride < blocks; i += 2 * stride) add(get(i), get(i + stride));
}

}  // namespace

std::size_t training_block_rows(std::size_t batch_rows) {
  const std::size_t quarter = (batch_rows + 3) / 4;
  return std::clamp<std::size_t>((quarter + 7) / 8 * 8, 32, rows_per_block);
}

GfEngine::GfEngine(std::size_t batch_rows, int threads)
    : block_rows_(training_block_rows(batch_rows)), threads_(threads), work_(block_count(batch_rows, block_rows_)) {}

void GfEngine::update_layers(const GfParameters& parameters) {
  logistic_base_ = has_logistic_base(parameters);
  layers_.resize(parameters.layers.size());
  parallel_for(layers_.size(), threads_, [&](std::size_t l) {
    update(layers_[l].marginal, parameters.layers[l].marginal);
    layers_[l].rotation = make_evaluator(parameters.layers[l].rotation);
  });
}

double GfEngine::loss_and_gradient(const GfParameters& parameters, const arma::mat& x,
                                   std::span<const std::size_t> rows, GfParameters& gradient) {
  const BlasGuard blas;
  update_layers(parameters);
  const std::size_t blocks = block_count(rows.size(), block_rows_);
  if (work_.size() < blocks) work_.resize(blocks);
  const double share = 1 / static_cast<double>(rows.size());
  parallel_for(blocks, threads_, [&](std::size_t b) {
    const RowRange range = block_range(b, rows.size(), block_rows_);
    run_block(x, rows.subspan(range.begin, range.size()), share, work_[b]);
  });
  if (gradient.layers.size() != parameters.layers.size()) gradient = zeros_like(parameters);
  parallel_for(layers_.size(), threads_, [&](std::size_t l) { set_gradient(l, blocks, gradient); });

  std::vector<double> losses(blocks);
  for (std::size_t b = 0; b < blocks; ++b) losses[b] = work_[b].loss;
  return tree_sum(std::move(losses), [](double& a, double b) { a += b; }) -
         static_cast<double>(x.n_cols) * log_normal_pdf(0.0);
}

void GfEngine::run_block(const arma::mat& x, std::span<const std::size_t> rows, double share, BlockWork& work) const {
  work.passes.resize(layers_.size());
  work.gradients.resize(layers_.size());
  work.gradient_sums.resize(layers_.size());
  forward(x, rows, share, work);
  backward(share, work);
}

void GfEngine::forward(const arma::mat& x, std::span<const std::size_t> rows, double share, BlockWork& work) const {
  work.x.set_size(rows.size(), x.n_cols);
  for (arma::uword d = 0; d < x.n_cols; ++d) {
    const double* from = x.colptr(d);
    double* to = work.x.colptr(d);
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
  const arma::mat* input = &work.x;
  double log_det = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    LayerPass& pass = work.passes[l];
    detail::forward(layers_[l].rotation, *input, pass.y, work.rotation_scratch);
    pass.z.set_size(pass.y.n_rows, pass.y.n_cols);
    pass.log_dzdx.set_size(pass.y.n_rows, pass.y.n_cols);
    forward_block(layers_[l].marginal, const_block_of(pass.y), block_of(pass.z), block_of(pass.log_dzdx),
                  pass.y.n_rows);
    log_det += arma::accu(pass.log_dzdx);
    input = &pass.z;
  }
  // Cotangents of the loss, ½‖z‖² − Σ log dz/dx a row: z and −1, or those of the logistic base, times the row's share.
  if (logistic_base_) {
    work.loss = share * (logistic_base_loss(*input, work.z_bar) - log_det);
    work.z_bar *= share;
  } else {
    work.loss = share * (0.5 * arma::accu(arma::square(*input)) - log_det);
    work.z_bar = share * *input;
  }
}

void GfEngine::backward(double share, BlockWork& work) const {
  const std::size_t n = work.x.n_rows;
  const std::size_t dimension = work.x.n_cols;
  work.log_bar.set_size(n, dimension);
  work.log_bar.fill(-share);
  work.y_bar.set_size(n, dimension);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const MixtureEvaluator& mixture = layers_[l].marginal;
    const LayerPass& pass = work.passes[l];
    LogisticMixture& gradient = work.gradients[l];
    gradient.mu.zeros(mixture.kernels(), dimension);
    gradient.log_scale.zeros(mixture.kernels(), dimension);
    if (mixture.trains_weight) gradient.logit.zeros(mixture.kernels(), dimension);
    work.scratch.resize(std::max(work.scratch.size(), backward_scratch(mixture)));
    backward_block(
        mixture,
        {const_block_of(pass.y), const_block_of(pass.z), const_block_of(pass.log_dzdx), const_block_of(work.z_bar),
         const_block_of(work.log_bar)},
        block_of(work.y_bar),
        {gradient.mu.memptr(), gradient.log_scale.memptr(), mixture.trains_weight ? gradient.logit.memptr() : nullptr},
        work.scratch.data(), n);
    reset_gradient_sums(layers_[l].rotation, work.gradient_sums[l]);
    detail::backward(layers_[l].rotation, pass.y, work.y_bar, work.z_bar, work.gradient_sums[l], work.rotation_scratch);
  }
}

void GfEngine::set_gradient(std::size_t l, std::size_t blocks, GfParameters& gradient) {
  add_in_tree(
      blocks, [&](std::size_t b) -> LogisticMixture& { return work_[b].gradients[l]; }, add_mixture);
  gradient.layers[l].marginal = work_[0].gradients[l];
  add_in_tree(
      blocks, [&](std::size_t b) -> arma::mat& { return work_[b].gradient_sums[l]; },
      [](arma::mat& into, const arma::mat& from) { into += from; });
  set_zero(gradient.layers[l].rotation);
  add_gradient(layers_[l].rotation, work_[0].gradient_sums[l], gradient.layers[l].rotation);
}

}  // namespace gaussianize::detail
