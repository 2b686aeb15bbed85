#include "gaussianize/info/kl_trace.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/info/measure.hpp"
#include "gaussianize/math/normal.hpp"

namespace gaussianize {
using namespace detail;
namespace {

arma::vec half_square_norm(const arma::mat& x) {
  return 0.5 * arma::sum(arma::square(x), 1);
}

/// The leading layers that only shift and scale.
std::size_t standardising_layers(const Flow& flow) {
  std::size_t count = 0;
  while (count < flow.layers.size() && std::holds_alternative<Identity>(flow.layers[count].rotation) &&
         std::holds_alternative<AffineMarginal>(flow.layers[count].marginal))
    ++count;
  return count;
}

/// I(z) by the estimator that the caller chose, or by the library's own.
Estimate remaining_dependence(const arma::mat& z, const KlTraceOptions& options) {
  if (options.total_correlation) return options.total_correlation(z);
  return estimate_of(total_correlation(z, {.permutations = 0, .seed = options.seed, .threads = options.threads}));
}

/// Adds an independent error.
Estimate widened(Estimate estimate, double standard_error) {
  estimate.standard_error = std::hypot(estimate.standard_error, standard_error);
  return estimate;
}

/// Rows on their way through the flow. `excess` is what remains at the end less the exact changes still to come, which
/// is each row's part of J.
class Tracer {
 public:
  Tracer(const Flow& flow, const arma::mat& x, const KlTraceOptions& options)
      : flow_(flow), options_(options), x_(x), log_det_(x.n_rows, arma::fill::zeros) {
    trace_.rows = x.n_rows;
    const FlowPass pass = forward(flow, x, {.threads = options.threads});
    end_j_m_ = j_m(pass.z, "at the end");
    const arma::vec normal = pass.log_det - half_square_norm(pass.z);
    if (options.reference) {
      rest_error_ = options.reference->standard_error;
      // Less the constant of N(0, I), which half_square_norm leaves out too.
      end_ = options.reference->log_density - static_cast<double>(x.n_cols) * log_normal_pdf(0.0);
      end_i_ = end_ - normal - end_j_m_;
    } else {
      const Estimate rest = remaining_dependence(pass.z, options);
      rest_error_ = rest.standard_error;
      end_i_ = arma::vec(x.n_rows).fill(rest.value);
      end_ = end_j_m_ + end_i_ + normal;
    }
    trace_.end = stage(end_j_m_ + end_i_, end_j_m_);
  }

  KlTrace run() {
    trace_.raw_j = widened(mean_estimate(excess()), rest_error_);
    trace_.raw_j_m = mean_estimate(j_m(x_, "raw data"));
    const std::optional<Start> given = given_start();
    std::size_t first = standardising_layers(flow_);
    if (given && first > 0 && first == flow_.layers.size()) --first;
    for (std::size_t l = 0; l < first; ++l) forward(flow_.layers[l], x_, log_det_, options_.threads);

    arma::vec moved(x_.n_rows, arma::fill::zeros);
    arma::vec now = first < flow_.layers.size() ? j_m(x_, "standardised data") : end_j_m_;
    const Start start = given.value_or(Start{excess(), now});
    for (std::size_t l = first; l < flow_.layers.size(); ++l)
      trace_.layers.push_back(follow(l, now, moved, l == first ? &start : nullptr));
    trace_.identity = {widened(mean_estimate(start.j), rest_error_),
                       widened(mean_estimate(moved + end_i_), rest_error_), mean_estimate(start.j_m),
                       mean_estimate(start.j - moved - end_i_ - start.j_m)};
    return std::move(trace_);
  }

 private:
  /// The rows' parts of J and J_m where the trace starts.
  struct Start {
    arma::vec j, j_m;
  };

  arma::vec excess() const { return end_ + half_square_norm(x_) - log_det_; }

  arma::vec j_m(const arma::mat& x, const std::string& where) const {
    try {
      return marginal_negentropy_values(x, {.method = options_.method, .threads = options_.threads});
    } catch (const DataError& error) {
      throw DataError(concat("kl_trace, ", where, ": ", error.what()));
    }
  }

  TraceStage stage(const arma::vec& j, const arma::vec& j_m) const {
    const Estimate whole = widened(mean_estimate(j), rest_error_);
    // One column depends on nothing: what a reference sees in it is its distance from normal.
    if (options_.reference && x_.n_cols == 1) return {whole, whole, {0.0, 0.0}};
    return {whole, mean_estimate(j_m), widened(mean_estimate(j - j_m), rest_error_)};
  }

  /// Rows as the reference standardises them.
  std::optional<Start> given_start() const {
    if (!options_.reference || !options_.reference->standardisation) return std::nullopt;
    arma::mat y = x_;
    arma::vec log_det(x_.n_rows, arma::fill::zeros);
    forward(*options_.reference->standardisation, y, log_det);
    return Start{end_ + half_square_norm(y) - log_det, j_m(y, "standardised data")};
  }

  /// Takes the rows through layer l. `now` is their J_m, `moved` the sum over rotations; `start` is that of the trace,
  /// where l is its first layer.
  TraceLayer follow(std::size_t l, arma::vec& now, arma::vec& moved, const Start* start) {
    const Layer& layer = flow_.layers[l];
    TraceLayer report;
    report.layer = l;
    const arma::vec j = excess();
    report.before = start ? stage(start->j, start->j_m) : stage(j, now);
    report.rotated = report.before;
    arma::vec rotated = now;
    if (!std::holds_alternative<Identity>(layer.rotation)) {
      x_ = forward(layer.rotation, std::move(x_), options_.threads);
      rotated = j_m(x_, concat("layer ", l, " after its rotation"));
      report.rotated = stage(j, rotated);
    }
    report.moved = mean_estimate(rotated - now);
    moved += rotated - now;

    forward({Identity{}, layer.marginal}, x_, log_det_, options_.threads);
    const arma::vec j_after = excess();
    now = l + 1 == flow_.layers.size() ? end_j_m_ : j_m(x_, concat("behind layer ", l));
    report.after = stage(j_after, now);
    report.j_change = mean_estimate(j_after - (start ? start->j : j));
    report.gap = mean_estimate((j_after - j) - (now - rotated));
    return report;
  }

  const Flow& flow_;
  const KlTraceOptions& options_;
  arma::mat x_;
  arma::vec log_det_;
  arma::vec end_, end_j_m_, end_i_;
  double rest_error_ = 0;
  KlTrace trace_;
};

}  // namespace

KlTrace kl_trace(const Flow& flow, const arma::mat& x, const KlTraceOptions& options) {
  if (options.reference) {
    const arma::uword known = options.reference->log_density.n_elem;
    require(known == x.n_rows, "kl_trace: a reference of ", known, " log densities for ", x.n_rows, " rows");
    if (const auto& standardisation = options.reference->standardisation)
      require(standardisation->shift.n_elem == x.n_cols && standardisation->scale.n_elem == x.n_cols,
              "kl_trace: a standardisation of ", standardisation->shift.n_elem, " columns for ", x.n_cols);
  }
  const BlasGuard blas;
  return Tracer(flow, x, options).run();
}

}  // namespace gaussianize
