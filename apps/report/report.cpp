#include "report/report.hpp"

#include <span>

#include "gaussianize/io/detail/files.hpp"

namespace gaussianize::report {
using namespace detail;

Curve training_curve(const RbigFit& fit) {
  Curve curve{.step = "layer", .kept = fit.layers_kept};
  for (const RbigLayerReport& layer : fit.layers) {
    curve.training.push_back(layer.training_nll);
    curve.validation.push_back(layer.validation_nll);
  }
  return curve;
}

Curve training_curve(const GfFit& fit) {
  Curve curve{.step = "epoch", .kept = fit.best_epoch};
  for (const GfEpochReport& epoch : fit.epochs) {
    curve.training.push_back(epoch.training_loss);
    curve.validation.push_back(epoch.validation_nll);
  }
  return curve;
}

void write_report(const Report& report, const std::filesystem::path& path) {
  write_file_atomically(path, std::as_bytes(std::span(report.html)));
}

}  // namespace gaussianize::report
