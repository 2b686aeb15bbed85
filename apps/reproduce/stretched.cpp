#include "gaussianize/data/transform.hpp"

#include "reproduce/run.hpp"
#include "reproduce/settings.hpp"

namespace gaussianize::reproduce {
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

Cell train_stretched(const Run& run, const std::string& key, const PaperSet& set, const SetRows& rows,
                     const Stretch& stretch) {
  const Transformed training = forward(stretch.transforms, rows.training);
  const Transformed validation = forward(stretch.transforms, rows.validation);
  const Transformed test = forward(stretch.transforms, rows.test);
  GfOptions options = paper_gf(run, set, rows);
  options.epochs = run.epochs(papers_epochs);
  options.kde_front = true;
  const Trained trained = run.train(key, training.values, validation.values, options);
  const arma::vec log_p = log_density(trained.fit.flow, test.values, {.threads = run.threads()});
  const StretchedResult paper = paper_of(set.name, stretch.name);
  Cell cell;
  cell.records = {
      {rows.name, "GF", stretch.name, "test NLL, stretched space", mean_estimate(-log_p), paper.loss.value_or(unknown)},
      {rows.name, "GF", stretch.name, "test NLL, original space", mean_estimate(-log_p - test.log_det),
       paper.original_loss.value_or(unknown)}};
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
    for (const Stretch& stretch : stretches()) {
      const std::string key = concat(name, ' ', stretch.name);
      run.cell(key, [&] { return train_stretched(run, key, set, *rows, stretch); });
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

}  // namespace gaussianize::reproduce
