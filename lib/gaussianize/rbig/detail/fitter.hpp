#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <armadillo>

#include "gaussianize/marginal/detail/pareto_tail.hpp"
#include "gaussianize/rbig/rbig.hpp"

namespace gaussianize::detail {

/// Rows after the layers so far.
struct Rows {
  arma::mat x;
  arma::vec log_det;

  explicit Rows(const arma::mat& data) : x(data), log_det(data.n_rows, arma::fill::zeros) {}
  bool empty() const { return x.n_rows == 0; }
  double nll() const;  ///< NaN without rows
};

/// The greedy fit, one layer at a time, which can be interrupted between layers and continued.
class RbigFitter {
 public:
  /// Called after every layer with the fit so far; returning false cancels it.
  using LayerCallback = std::function<bool(const RbigFit&)>;

  /// `options` must outlive the fitter. `first` is the first map; automatic means columns.
  RbigFitter(const arma::mat& training, const arma::mat& validation, const RbigOptions& options, FirstMap first,
             LayerCallback after_layer);

  /// Adds at most `layers` layers, fewer if the fit ends before. Returns whether it has ended.
  bool advance(std::size_t layers);

  /// The fit so far. Its flow may hold layers beyond `layers_kept`.
  const RbigFit& fit() const { return fit_; }

  /// The fit so far, its flow cut after the kept layers. The fitter must not be used afterwards.
  RbigFit take();

 private:
  void append(Layer layer);
  RbigLayerReport fit_layer(std::size_t index);
  void find_rotation(std::size_t index, Layer& layer, RbigLayerReport& report);
  SplineMarginal fit_marginal(std::size_t index, RbigLayerReport& report);
  arma::vec fitted_rows(const arma::vec& column) const;
  MonotoneSpline fit_column(std::size_t index, const arma::vec& rows) const;
  std::optional<TailFit> tail_fit(std::size_t index, const arma::vec& rows) const;
  MonotoneSpline estimate_column(std::size_t index, const arma::vec& rows) const;
  void shrink_column(std::size_t index, const arma::vec& column, MonotoneSpline& spline) const;
  Estimate j_m() const;
  void keep_all();
  bool made_progress() const;
  bool update_and_stop();
  bool stop(StopReason reason);

  const RbigOptions& options_;
  bool rotate_first_;
  LayerCallback after_layer_;
  Rows training_, validation_;
  RbigFit fit_;
  bool ended_ = false;
};

}  // namespace gaussianize::detail
