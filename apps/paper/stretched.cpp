#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/data/transform.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr std::size_t papers_epochs = 100;

/// A way to stretch a table.
struct Stretch {
  std::string name;
  std::vector<Transform> transforms;
};

std::vector<Stretch> stretches() {
  return {{"unstretched", {}}, {"cube", {Cube{}}}, {"affine", {Affine{}}}};
}

/// GF's entry of the paper's table 2, empty where it has none.
StretchedResult paper_of(std::string_view set, std::string_view stretch) {
  for (const StretchedResult& result : stretched_results())
    if (result.method == "GF" && result.set == set && result.transform == stretch) return result;
  return {};
}

/// A flow to train on every stretched table.
struct Design {
  std::string name;  ///< "GF", or "GF, defaults"
  GfOptions options;
  bool of_paper = false;
};

/// The paper's architecture behind the fixed marginal layer, and what this library would choose, which suits sets that
/// are smaller than the paper's.
std::vector<Design> designs(const Run& run, const PaperSet& set, const SetRows& rows) {
  GfOptions paper = paper_gf(run, set, rows);
  paper.epochs = run.epochs(papers_epochs);
  paper.marginal_layer = true;
  return {{"GF", paper, true}, {"GF, defaults", {}, false}};
}

Cell train_stretched(const Run& run, const std::string& key, const SetRows& rows, const Stretch& stretch,
                     const Design& design, const StretchedResult& paper) {
  const Transformed training = forward(stretch.transforms, rows.training);
  const Transformed validation = forward(stretch.transforms, rows.validation);
  const Transformed test = forward(stretch.transforms, rows.test);
  const Trained trained = run.train(key, training.values, validation.values, design.options);
  const arma::vec log_p = log_density(trained.fit.flow, test.values, {.threads = run.threads()});
  Cell cell;
  cell.records = {{rows.name, design.name, stretch.name, "test NLL, stretched space", mean_estimate(-log_p),
                   paper.loss.value_or(unknown)},
                  {rows.name, design.name, stretch.name, "test NLL, original space",
                   mean_estimate(-log_p - test.log_det), paper.original_loss.value_or(unknown)}};
  cell.curves = training_curves(trained.fit);
  cell.notes = rows.notes;
  cell.complete = trained.complete;
  return cell;
}

void run_stretched(Run& run) {
  for (const std::string_view name : {"power", "miniboone", "gas"}) {
    const PaperSet& set = find_paper_set(name);
    const std::optional<SetRows> rows = run.load_share(set, papers_epochs);
    if (!rows) continue;
    for (const Design& design : designs(run, set, *rows))
      for (const Stretch& stretch : stretches()) {
        const std::string key = concat(name, design.of_paper ? " " : " defaults ", stretch.name);
        const StretchedResult paper = design.of_paper ? paper_of(set.name, stretch.name) : StretchedResult{};
        run.cell(key, [&] { return train_stretched(run, key, *rows, stretch, design, paper); });
      }
  }
}

std::vector<report::Section> present_stretched(const Run& run) {
  return {training_section(run)};
}

}  // namespace

Experiment stretched_experiment() {
  return {"stretched", "GF on tables stretched by x³ and by 1000x + 51 (table 2)", run_stretched, present_stretched};
}

}  // namespace gaussianize::paper
