#include <algorithm>

#include "gaussianize/core/detail/require.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr std::size_t max_layers = 100;
constexpr std::size_t papers_choice = 5;

/// Test NLL after every layer: the test rows take the place of the validation rows, and no layer is left out.
Cell study(Run& run, const std::string& key, const PaperSet& set, const SetRows& rows, RotationKind rotation) {
  RbigOptions options = paper_rbig(set);
  options.rotation = rotation;
  options.stop = StoppingRule::fixed;
  options.max_layers = max_layers;
  options.report_rows = 0;
  const RbigFit fit = run.fit(key, rows.training, rows.test, options);
  Cell cell;
  cell.notes = rows.notes;
  for (std::size_t l = 0; l < fit.layers.size(); ++l) {
    cell.curves["layers"].push_back(static_cast<double>(l + 1));
    cell.curves["test"].push_back(fit.layers[l].validation_nll);
    cell.curves["training"].push_back(fit.layers[l].training_nll);
  }
  const std::vector<double>& test = cell.curves["test"];
  const auto best = std::min_element(test.begin(), test.end());
  const std::string variant(name(rotation));
  cell.records.push_back({rows.name,
                          "RBIG",
                          variant,
                          "layers of the lowest test NLL",
                          {static_cast<double>(best - test.begin() + 1), unknown},
                          papers_choice});
  cell.records.push_back({rows.name, "RBIG", variant, "lowest test NLL", {*best, unknown}});
  if (test.size() >= papers_choice)
    cell.records.push_back({rows.name,
                            "RBIG",
                            variant,
                            "test NLL after 5 layers",
                            {test[papers_choice - 1], unknown},
                            rotation == RotationKind::pca ? paper_result(set, "RBIG") : unknown});
  return cell;
}

void run_study(Run& run) {
  for (const PaperSet& set : paper_sets()) {
    if (is_image(set) || run.stopped()) continue;
    const std::optional<SetRows> rows = run.load_share(set, set.architecture.epochs);
    if (!rows) continue;
    for (const RotationKind rotation : {RotationKind::pca, RotationKind::ica, RotationKind::random}) {
      const std::string key = concat(set.name, ' ', name(rotation));
      run.cell(key, [&] { return study(run, key, set, *rows, rotation); });
    }
  }
}

std::vector<report::Section> present_study(const Run& run) {
  report::Section section{.heading = "Test NLL against the number of layers"};
  for (const PaperSet& set : paper_sets()) {
    std::vector<CurveSeries> series;
    for (const auto& [key, cell] : run.ledger().cells())
      if (key.starts_with(concat(set.name, ' ')))
        series.push_back({key.substr(set.name.size() + 1), cell.curves.at("layers"), cell.curves.at("test")});
    if (!series.empty())
      section.figures.push_back(
          {.pictures = {curves_picture(std::string(set.name), "layers", "test NLL, nats", series)},
           .caption = concat(set.name, ": RBIG with the paper's marginals, by rotation")});
  }
  return {section};
}

}  // namespace

Experiment rbig_experiment() {
  return {"rbig", "RBIG's rotations, PCA, ICA and random, over 1 to 100 layers (appendix)", run_study, present_study};
}

}  // namespace gaussianize::paper
