#include "gaussianize/info/detail/rbig_information.hpp"

#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

arma::vec rbig_information(const Scores& scores, const MeasureOptions& options) {
  RbigOptions rbig;
  rbig.rotation = RotationKind::automatic;
  rbig.first_map = FirstMap::whitening;
  rbig.search = false;
  rbig.step_fraction = 1;
  rbig.first_bandwidth = BandwidthRule::rule_of_thumb;
  rbig.stop = StoppingRule::information;
  rbig.patience = 3;
  rbig.max_layers = 100;
  rbig.report_rows = scores.rows();  // all of them: the standard error is that of all
  rbig.seed = options.seed;
  rbig.threads = options.threads;
  const RbigFit fit = fit_rbig(scores.z, rbig);
  // A kernel map leaves some J_m behind, which the next layer meets again; and what is left when nothing more is found
  // is what a leave-one-out estimate says of normal columns.
  const double normal = fit.layers.back().j_m_after.value;
  double information = 0;
  for (std::size_t l = 0; l < fit.layers_kept; ++l)
    information +=
        fit.layers[l].j_m_before.value - fit.layers[l].j_m_after.value - (fit.null_negentropy.value - normal);
  const arma::vec log_ratio = log_density(fit.flow, scores.z, {.threads = options.threads}) - log_normal_rows(scores.z);
  return log_ratio + (information - arma::mean(log_ratio));
}

}  // namespace gaussianize::detail
