#include <cmath>

#include "gaussianize/core/detail/require.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

Cell test_cell(const Run& run, const SetRows& rows, const std::string& model, const std::string& variant,
               const Flow& flow, double paper) {
  Cell cell;
  cell.records = {{rows.name, model, variant, "test NLL", test_nll(flow, rows.test, run.threads()), paper}};
  cell.notes = rows.notes;
  return cell;
}

void run_set(Run& run, const PaperSet& set) {
  const std::optional<SetRows> rows = run.load_share(set, set.architecture.epochs);
  if (!rows) return;
  const std::string name(set.name);
  run.cell(name + " RBIG, the paper's", [&] {
    const RbigFit fit = run.fit(name + " RBIG", rows->training, rows->validation, paper_rbig(set));
    return test_cell(run, *rows, "RBIG", "5 layers, PCA", fit.flow, paper_result(set, "RBIG"));
  });
  run.cell(name + " RBIG", [&] {
    const RbigFit fit = run.fit(name + " RBIG", rows->training, rows->validation, {});
    return test_cell(run, *rows, "RBIG", concat("defaults: ", fit.layers_kept, " layers"), fit.flow, unknown);
  });
  const auto train_cell = [&](const std::string& key, const GfOptions& options, double paper) {
    run.cell(key, [&] {
      const Trained trained = run.train(key, rows->training, rows->validation, options);
      const std::string variant = concat(std::isnan(paper) ? "defaults: " : "", trained.fit.options.layers, " layers, ",
                                         trained.fit.epochs.size(), " epochs");
      Cell cell = test_cell(run, *rows, "GF", variant, trained.fit.flow, paper);
      cell.curves = training_curves(trained.fit);
      cell.complete = trained.complete;
      return cell;
    });
  };
  train_cell(name + " GF", paper_gf(run, set, *rows), paper_result(set, "GF"));
  train_cell(name + " GF, defaults", {}, unknown);
}

void run_tabular(Run& run) {
  for (const PaperSet& set : paper_sets())
    if (!is_image(set)) run_set(run, set);
}

/// Table 1 of the paper, for the sets that were run.
std::vector<report::Section> present_tabular(const Run& run) {
  return {paper_table(run, false), training_section(run)};
}

}  // namespace

Experiment tabular_experiment() {
  return {"tabular", "RBIG and GF with the paper's architectures on its five tables (table 1)", run_tabular,
          present_tabular};
}

}  // namespace gaussianize::paper
