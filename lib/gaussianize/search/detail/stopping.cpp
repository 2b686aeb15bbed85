#include "gaussianize/search/detail/stopping.hpp"

#include <algorithm>

namespace gaussianize::detail {
namespace {

/// Held-out loss before training and after every epoch.
arma::vec loss_curve(const GfSearchSlot& slot) {
  arma::vec curve(slot.epochs.size() + 1);
  curve[0] = slot.initial_nll;
  for (std::size_t e = 0; e < slot.epochs.size(); ++e) curve[e + 1] = slot.epochs[e].validation_nll;
  return curve;
}

}  // namespace

std::vector<double> stopping_optimism(std::span<const GfSearchSlot> folds) {
  std::vector<double> optimism(folds.size(), 0.0);
  if (folds.size() < 2) return optimism;
  std::vector<arma::vec> curves;
  arma::vec sum(folds.front().epochs.size() + 1, arma::fill::zeros);
  for (const GfSearchSlot& slot : folds) {
    curves.push_back(loss_curve(slot));
    if (curves.back().n_elem != sum.n_elem) return optimism;
    sum += static_cast<double>(slot.log_density.n_elem) * curves.back();
  }
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const arma::vec others = sum - static_cast<double>(folds[f].log_density.n_elem) * curves[f];
    optimism[f] = curves[f][others.index_min()] - curves[f].min();
  }
  return optimism;
}

std::size_t stopping_epoch(std::span<const GfSearchSlot> folds, std::size_t round) {
  std::vector<std::size_t> best;
  for (const GfSearchSlot& slot : folds) {
    if (round >= slot.round_ends.size()) continue;
    const std::size_t begin = round == 0 ? 0 : slot.round_ends[round - 1];
    const arma::vec curve = loss_curve(slot);
    // A round begins where the lowest loss before it was.
    double lowest = curve.head(begin + 1).min();
    std::size_t epoch = 0;
    for (std::size_t e = begin + 1; e <= slot.round_ends[round]; ++e)
      if (curve[e] < lowest) {
        lowest = curve[e];
        epoch = e - begin;
      }
    best.push_back(epoch);
  }
  if (best.empty()) return 0;
  std::sort(best.begin(), best.end());
  return best[best.size() / 2];
}

}  // namespace gaussianize::detail
