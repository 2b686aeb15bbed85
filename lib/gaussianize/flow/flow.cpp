#include "gaussianize/flow/flow.hpp"

#include <atomic>
#include <cmath>

#include "gaussianize/core/detail/in_context.hpp"
#include "gaussianize/core/detail/parallel.hpp"
#include "gaussianize/core/error.hpp"
#include "gaussianize/flow/detail/layer_evaluator.hpp"
#include "gaussianize/marginal/detail/check_sizes.hpp"
#include "gaussianize/math/detail/random_normal.hpp"
#include "gaussianize/math/normal.hpp"
#include "gaussianize/rotation/detail/check_sizes.hpp"

namespace gaussianize {
using namespace detail;
namespace {

struct MarginalDimension {
  std::size_t operator()(const AffineMarginal& m) const { return m.shift.n_elem; }
  std::size_t operator()(const SplineMarginal& m) const { return m.columns.size(); }
  std::size_t operator()(const LogisticMixture& m) const { return m.mu.n_cols; }
  std::size_t operator()(const LogisticToNormal& m) const { return m.dimension; }
};

void check_dimension(const Layer& layer, std::size_t expected) {
  const bool any = std::holds_alternative<Identity>(layer.rotation);
  const std::size_t rotation = any ? expected : dimension(layer.rotation);
  const std::size_t marginal = std::visit(MarginalDimension{}, layer.marginal);
  require(rotation == expected && marginal == expected, "it has a rotation of ", rotation, " and a marginal of ",
          marginal, " dimensions in a flow of ", expected);
}

/// Calls `check_layer` for every layer, the number of which then stands in the message of what it throws.
template <class Check>
void check_layers(const Flow& flow, Check check_layer) {
  require(flow.dimension > 0, "the flow has no dimension: it was not fitted or loaded");
  for (std::size_t l = 0; l < flow.layers.size(); ++l)
    in_context(
        [&] {
          check_layer(flow.layers[l]);
          check_dimension(flow.layers[l], flow.dimension);
        },
        "layer ", l);
}

/// What could be read out of bounds.
void check_sizes(const Flow& flow) {
  check_layers(flow, [](const Layer& layer) {
    detail::check_sizes(layer.rotation);
    std::visit([](const auto& m) { detail::check_sizes(m); }, layer.marginal);
  });
}

void check_data(const Flow& flow, const arma::mat& x, const char* what) {
  check_sizes(flow);
  require(x.n_cols == flow.dimension, what, ": the data have ", x.n_cols, " columns and the flow ", flow.dimension,
          "; pass the columns the flow was fitted to, in their order");
  require_finite(x, what);
}

/// Finds where a pass over one block first went wrong and reports it.
[[noreturn]] void report_failure(const Flow& flow, arma::mat block, Direction direction, std::size_t first_row) {
  const bool backwards = direction == Direction::inverse;
  arma::vec log_det(block.n_rows, arma::fill::zeros);
  LayerScratch scratch;
  for (std::size_t step = 0; step < flow.layers.size(); ++step) {
    const std::size_t l = backwards ? flow.layers.size() - 1 - step : step;
    const LayerEvaluator layer = make_evaluator(flow.layers[l], direction);
    if (backwards)
      detail::inverse(layer, block, scratch);
    else
      detail::forward(layer, block, log_det, scratch);
    for (arma::uword d = 0; d < block.n_cols; ++d)
      for (arma::uword i = 0; i < block.n_rows; ++i)
        if (!std::isfinite(block(i, d)) || !std::isfinite(log_det[i]))
          throw NumericalError(backwards ? "the inverse overflows: the Gaussian value is too far out"
                                         : "the map overflows: the row is too far from the data that were fitted",
                               {l, d, first_row + i});
  }
  throw NumericalError("a log density is not finite", {{}, {}, first_row});
}

/// A flow with an evaluator of each layer, for the blocks of one call.
class BlockMap {
 public:
  BlockMap(const Flow& flow, Direction direction, int threads) : flow_(flow), layers_(flow.layers.size()) {
    parallel_for(layers_.size(), threads,
                 [&](std::size_t l) { layers_[l] = make_evaluator(flow.layers[l], direction); });
  }

  void forward(const arma::mat& x, RowRange rows, arma::mat& block, arma::vec& log_det) const {
    block = x.rows(rows.begin, rows.end - 1);
    log_det.zeros(rows.size());
    LayerScratch scratch;
    for (const LayerEvaluator& layer : layers_) detail::forward(layer, block, log_det, scratch);
    if (!block.is_finite() || !log_det.is_finite())
      report_failure(flow_, x.rows(rows.begin, rows.end - 1), Direction::forward, rows.begin);
  }

  void inverse(arma::mat& block, std::size_t first_row) const {
    const arma::mat z = block;
    inverse_unchecked(block);
    if (!block.is_finite()) report_failure(flow_, z, Direction::inverse, first_row);
  }

  /// Rows drawn from the flow's density. What overflows is drawn again, and counted.
  arma::mat draw(std::size_t rows, RandomStream& stream, std::size_t& redrawn) const {
    arma::mat block = random_normal(flow_.dimension, rows, stream).t();
    inverse_unchecked(block);
    for (int round = 0; !block.is_finite(); ++round) {
      if (round == max_redraws)
        throw NumericalError("the inverse overflows for most Gaussian values: the flow is not usable");
      const arma::uvec lost = arma::find(arma::sum(block, 1) * 0.0 != 0.0);
      redrawn += lost.n_elem;
      arma::mat again = random_normal(flow_.dimension, lost.n_elem, stream).t();
      inverse_unchecked(again);
      block.rows(lost) = again;
    }
    return block;
  }

 private:
  static constexpr int max_redraws = 50;

  void inverse_unchecked(arma::mat& block) const {
    LayerScratch scratch;
    for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) detail::inverse(*layer, block, scratch);
  }

  const Flow& flow_;
  std::vector<LayerEvaluator> layers_;
};

}  // namespace

void check(const Flow& flow) {
  check_layers(flow, [](const Layer& layer) {
    check(layer.rotation);
    std::visit([](const auto& m) { check(m); }, layer.marginal);
  });
}

void require_finite(const arma::mat& x, const char* what) {
  if (x.is_finite()) return;
  for (arma::uword i = 0; i < x.n_rows; ++i)
    for (arma::uword d = 0; d < x.n_cols; ++d)
      require(std::isfinite(x(i, d)), what, ": row ", i, ", column ", d, " is ", x(i, d),
              "; remove or replace values that are not finite");
}

void forward(const Layer& layer, arma::mat& x, arma::vec& log_det, int threads) {
  const LayerEvaluator evaluator = make_evaluator(layer, Direction::forward);
  for_each_block(x.n_rows, {.threads = threads}, [&](RowRange rows) {
    arma::mat block = x.rows(rows.begin, rows.end - 1);
    arma::vec block_log_det = log_det.subvec(rows.begin, rows.end - 1);
    LayerScratch scratch;
    detail::forward(evaluator, block, block_log_det, scratch);
    x.rows(rows.begin, rows.end - 1) = block;
    log_det.subvec(rows.begin, rows.end - 1) = block_log_det;
  });
}

FlowPass forward(const Flow& flow, const arma::mat& x, const Execution& execution) {
  check_data(flow, x, "forward");
  const BlockMap map(flow, Direction::forward, execution.threads);
  FlowPass pass{arma::mat(x.n_rows, x.n_cols), arma::vec(x.n_rows)};
  for_each_block(x.n_rows, execution, [&](RowRange rows) {
    arma::mat block;
    arma::vec log_det;
    map.forward(x, rows, block, log_det);
    pass.z.rows(rows.begin, rows.end - 1) = block;
    pass.log_det.subvec(rows.begin, rows.end - 1) = log_det;
  });
  return pass;
}

arma::vec log_density(const Flow& flow, const arma::mat& x, const Execution& execution) {
  check_data(flow, x, "log_density");
  const BlockMap map(flow, Direction::forward, execution.threads);
  arma::vec result(x.n_rows);
  const double constant = static_cast<double>(flow.dimension) * log_normal_pdf(0.0);
  for_each_block(x.n_rows, execution, [&](RowRange rows) {
    arma::mat block;
    arma::vec log_det;
    map.forward(x, rows, block, log_det);
    const arma::vec log_p = log_det - 0.5 * arma::sum(arma::square(block), 1) + constant;
    if (!log_p.is_finite())
      throw NumericalError("the log density is below every number: the row is too far from the data that were fitted",
                           {{}, {}, rows.begin + arma::find_nonfinite(log_p).eval()[0]});
    result.subvec(rows.begin, rows.end - 1) = log_p;
  });
  return result;
}

arma::mat inverse(const Flow& flow, const arma::mat& z, const Execution& execution) {
  check_data(flow, z, "inverse");
  const BlockMap map(flow, Direction::inverse, execution.threads);
  arma::mat x(z.n_rows, z.n_cols);
  for_each_block(z.n_rows, execution, [&](RowRange rows) {
    arma::mat block = z.rows(rows.begin, rows.end - 1);
    map.inverse(block, rows.begin);
    x.rows(rows.begin, rows.end - 1) = block;
  });
  return x;
}

arma::mat sample(const Flow& flow, std::size_t rows, Seed seed, const Execution& execution, std::size_t* redrawn) {
  check_sizes(flow);
  const BlockMap map(flow, Direction::inverse, execution.threads);
  arma::mat x(rows, flow.dimension);
  std::atomic<std::size_t> again{0};
  for_each_block(rows, execution, [&](RowRange range) {
    // Drawn row by row, so that a row does not depend on how many follow it.
    RandomStream stream(seed, Purpose::sample, range.begin / rows_per_block);
    std::size_t in_block = 0;
    x.rows(range.begin, range.end - 1) = map.draw(range.size(), stream, in_block);
    again += in_block;
  });
  if (redrawn) *redrawn = again;
  return x;
}

Flow compose(const Flow& first, const Flow& second) {
  require(first.dimension == second.dimension, "compose: the flows have ", first.dimension, " and ", second.dimension,
          " dimensions; they must agree");
  Flow flow = first;
  flow.layers.insert(flow.layers.end(), second.layers.begin(), second.layers.end());
  return flow;
}

}  // namespace gaussianize
