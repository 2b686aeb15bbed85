#include <algorithm>
#include <array>

#include "gaussianize/core/detail/permutation.hpp"
#include "gaussianize/core/detail/require.hpp"

#include "paper/run.hpp"
#include "paper/settings.hpp"

namespace gaussianize::paper {
using namespace detail;
namespace {

constexpr std::size_t held_out_rows = 10000;
constexpr std::array<std::size_t, 5> sizes{500, 1500, 2500, 3500, 4500};

/// All rows shuffled together, as the paper does; validation and test rows are cut off its end. Sets without a training
/// file keep their test rows apart.
SetRows pooled(const Run& run, SetRows rows) {
  if (!rows.training_file) return rows;
  const arma::mat pool = arma::join_cols(rows.training, rows.validation, rows.test);
  RandomStream stream(run.seed(), Purpose::split);
  const std::vector<std::size_t> order = permutation(pool.n_rows, stream);
  const std::size_t held = std::min<std::size_t>(held_out_rows, pool.n_rows / 3);
  const auto part = [&](std::size_t begin, std::size_t end) {
    arma::uvec index(end - begin);
    std::copy(order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end),
              index.begin());
    return arma::mat(pool.rows(index));
  };
  rows.test = part(0, held);
  rows.validation = part(held, 2 * held);
  rows.training = part(2 * held, pool.n_rows);
  return rows;
}

void run_size(Run& run, const PaperSet& set, const SetRows& rows, std::size_t size) {
  const arma::mat training = head_rows(rows.training, size);
  const std::string variant = concat(training.n_rows, " rows");
  const auto record = [&](const char* model, const Flow& flow) {
    Cell cell;
    cell.records = {{rows.name, model, variant, "test NLL", test_nll(flow, rows.test, run.threads())}};
    cell.notes = rows.notes;
    return cell;
  };
  const auto train = [&](const std::string& key, const char* model, const GfOptions& options) {
    const Trained trained = run.train(key, training, rows.validation, options);
    Cell cell = record(model, trained.fit.flow);
    cell.complete = trained.complete;
    return cell;
  };
  const auto key = [&](const char* model) { return concat(set.name, ' ', variant, ' ', model); };
  run.cell(key("RBIG"), [&] { return record("RBIG", run.fit(key("RBIG"), training, rows.validation, {}).flow); });
  run.cell(key("GF"), [&] { return train(key("GF"), "GF, defaults", {}); });
  run.cell(key("GF of the paper"), [&] {
    GfOptions options = paper_gf(run, set, {.training = training});
    options.patience = 20;
    return train(key("GF of the paper"), "GF, the paper's architecture", options);
  });
}

void run_small(Run& run) {
  for (const PaperSet& set : paper_sets()) {
    if (is_image(set) || run.stopped()) continue;
    const std::optional<SetRows> loaded = run.load(set);
    if (!loaded) continue;
    const SetRows rows = pooled(run, *loaded);
    const std::size_t max_rows =
        std::min<std::size_t>(run.rows(sizes.back(), set.architecture.epochs), rows.training.n_rows);
    for (const std::size_t size : sizes)
      if (size <= max_rows) run_size(run, set, rows, size);
    // The last size is all there is, where that is fewer than the paper's.
    if (max_rows < sizes.back() && std::find(sizes.begin(), sizes.end(), max_rows) == sizes.end())
      run_size(run, set, rows, max_rows);
  }
}

std::vector<report::Section> present_small(const Run& run) {
  report::Section section{.heading = "Test NLL against the number of training rows"};
  for (const PaperSet& set : paper_sets()) {
    std::map<std::string, CurveSeries> by_model;
    for (const auto& [key, cell] : run.ledger().cells())
      for (const Record& r : cell.records)
        if (r.set == set.name) {
          CurveSeries& series = by_model[r.model];
          series.name = r.model;
          series.x.push_back(std::stod(r.variant));
          series.y.push_back(r.value.value);
        }
    std::vector<CurveSeries> series;
    for (auto& [model, curve] : by_model) series.push_back(std::move(curve));
    if (!series.empty())
      section.figures.push_back(
          {.pictures = {curves_picture(std::string(set.name), "training rows", "test NLL, nats", series)},
           .caption = concat(set.name, ": small training sets")});
  }
  return {section};
}

}  // namespace

Experiment small_experiment() {
  return {"small", "training sets of 500 to 4500 rows (figure 4)", run_small, present_small};
}

}  // namespace gaussianize::paper
