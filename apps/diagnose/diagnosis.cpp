#include "diagnose/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gaussianize/core/detail/require.hpp"

#include "cli/text_table.hpp"
#include "measuring/pairs.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t max_shown = 10;         // columns and pairs
constexpr std::size_t max_layers_shown = 24;  // rows of the table of layers

using Rows = std::vector<std::vector<std::string>>;

std::string interval(const Measure& m) {
  return fixed(m.interval.low, 4) + " to " + fixed(m.interval.high, 4);
}

std::string decomposition_text(const KlDecomposition& d) {
  Rows rows{{"standardised data", "nats", "95 % interval", ""}};
  for (const auto& [name, m] :
       {std::pair("J    distance from N(0, I)", &d.joint), std::pair("I    dependence between columns", &d.dependence),
        std::pair("J_m  marginal non-normality", &d.marginal), std::pair("J − (I + J_m)", &d.discrepancy)})
    rows.push_back({name, with_error(estimate_of(*m), 4), interval(*m), m->suspect ? "suspect" : ""});
  const std::string note = disagreement(d);
  return text_table(rows) + (note.empty() ? "" : "\n" + note + "\n");
}

std::string columns_text(const Diagnosis& d) {
  Rows rows{{"contributions to J_m", "nats", "ties"}};
  const auto ranked = ranked_columns(d);
  for (std::size_t k = 0; k < std::min(max_shown, ranked.size()); ++k) {
    const ColumnInformation& column = d.marginals[ranked[k]];
    rows.push_back({d.columns[ranked[k]], with_error(column.shape_negentropy, 4), std::to_string(column.ties)});
  }
  return text_table(rows);
}

std::string pairs_text(const Diagnosis& d) {
  Rows rows{{"contributions to I", "nats", "p", ""}};
  const auto ranked = ranked_pairs(d.pairs);
  for (std::size_t k = 0; k < std::min(max_shown, ranked.size()); ++k) {
    const auto [i, j] = ranked[k];
    rows.push_back({d.columns[i] + ", " + d.columns[j],
                    with_error({d.pairs.value(i, j), d.pairs.standard_error(i, j)}, 4), p_text(d.pairs.p_value(i, j)),
                    d.pairs.suspect(i, j) != 0 ? "suspect" : ""});
  }
  return rows.size() > 1 ? text_table(rows) + "\n" : "";
}

/// I and J_m before the first layer and after each, the models side by side.
std::string layers_text(const Diagnosis& d) {
  Rows rows{{"after layer"}};
  std::size_t longest = 0;
  for (const ModelDiagnosis& model : d.models) {
    for (const char* part : {" I", " J_m"}) rows[0].push_back(model.name + part);
    longest = std::max(longest, model.trace.layers.size());
  }
  const std::size_t stride = longest / max_layers_shown + 1;
  for (std::size_t l = 0; l <= longest; ++l) {
    const bool last = std::any_of(d.models.begin(), d.models.end(),
                                  [&](const ModelDiagnosis& m) { return m.trace.layers.size() == l; });
    if (l % stride != 0 && !last) continue;
    std::vector<std::string> row{l == 0 ? "(standardised)" : std::to_string(l)};
    for (const ModelDiagnosis& model : d.models) {
      const auto& layers = model.trace.layers;
      const TraceStage* stage = nullptr;
      if (l == 0)
        stage = layers.empty() ? &model.trace.end : &layers.front().before;
      else if (l <= layers.size())
        stage = &layers[l - 1].after;
      row.push_back(stage ? with_error(stage->i, 4) : "");
      row.push_back(stage ? with_error(stage->j_m, 4) : "");
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows);
}

/// The model that accounts for the largest part of J. All are given the same rows, so the difference of the mean log
/// densities is a lower bound on what another model leaves, even where the estimators do not find it.
const ModelDiagnosis& best_model(const Diagnosis& d) {
  return *std::max_element(d.models.begin(), d.models.end(), [](const ModelDiagnosis& a, const ModelDiagnosis& b) {
    return a.trace.identity.j.value < b.trace.identity.j.value;
  });
}

double remainder_bound(const ModelDiagnosis& model, const ModelDiagnosis& best) {
  return model.trace.end.j.value + best.trace.identity.j.value - model.trace.identity.j.value;
}

std::string remains_text(const Diagnosis& d) {
  std::string text;
  for (const ModelDiagnosis& model : d.models) {
    const ModelDiagnosis& best = best_model(d);
    text += concat(model.name, " leaves J = ", with_error(model.trace.end.j, 4), " nats of ",
                   with_error(model.trace.identity.j, 4), "; test of the Gaussianized rows against N(0, I): p-value ",
                   p_text(model.remains.p_value), "\n");
    const double bound = remainder_bound(model, best);
    if (bound > model.trace.end.j.value + 3 * model.trace.end.j.standard_error)
      text +=
          concat("  ", best.name, " accounts for more, so ", model.name, " leaves at least ", fixed(bound, 4), "\n");
    if (model.training) text += concat("  on its training rows it leaves ", with_error(model.training->end.j, 4), "\n");
  }
  return text;
}

Json as_json(const Measure& m) {
  return {{"value", m.value},
          {"standard_error", m.standard_error},
          {"interval", {m.interval.low, m.interval.high}},
          {"suspect", m.suspect},
          {"warnings", m.warnings}};
}

Json as_json(const TraceStage& stage) {
  return {{"j", as_json(stage.j)}, {"i", as_json(stage.i)}, {"j_m", as_json(stage.j_m)}};
}

Json as_json(const KlTrace& trace) {
  Json json{{"rows", trace.rows}, {"layers", Json::array()}};
  for (const TraceLayer& layer : trace.layers)
    json["layers"].push_back({{"layer", layer.layer},
                              {"before", as_json(layer.before)},
                              {"rotated", as_json(layer.rotated)},
                              {"after", as_json(layer.after)},
                              {"moved", as_json(layer.moved)},
                              {"j_change", as_json(layer.j_change)},
                              {"gap", as_json(layer.gap)}});
  json["remains"] = as_json(trace.end);
  return json;
}

Json as_json(const ModelDiagnosis& model) {
  Json json = as_json(model.trace);
  json["name"] = model.name;
  json["normality_p_value"] = model.remains.p_value;
  json["normality"] = {{"columns", model.remains.adjusted_p_values},
                       {"norms", model.remains.norms.p_value},
                       {"correlations", model.remains.correlations.p_value},
                       {"magnitude_correlations", model.remains.magnitude_correlations.p_value}};
  if (model.training) json["training"] = as_json(*model.training);
  return json;
}

}  // namespace

std::vector<std::size_t> ranked_columns(const Diagnosis& d) {
  std::vector<std::size_t> order(d.marginals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return d.marginals[a].shape_negentropy.value > d.marginals[b].shape_negentropy.value;
  });
  return order;
}

std::string disagreement(const KlDecomposition& d) {
  const double gap = d.discrepancy.value;
  if (!(std::abs(gap) > 3 * d.discrepancy.standard_error)) return {};
  const std::string apart =
      concat("J and I + J_m are the same number, but their estimates are ", fixed(std::abs(gap), 4), " nats apart. ");
  if (gap < 0)
    return apart + concat(
                       "J is that of a fitted density, and so too low where the density fits badly; the better value "
                       "is I + J_m = ",
                       fixed(d.dependence.value + d.marginal.value, 4), ".");
  return apart +
         "Repeated or rounded values, heavy tails or few rows cause this: none of the three is more accurate than "
         "that.";
}

std::string diagnosis_text(const Diagnosis& d) {
  return decomposition_text(d.decomposition) + "\n" + columns_text(d) + "\n" + pairs_text(d) + layers_text(d) + "\n" +
         remains_text(d);
}

void fill_json(const Diagnosis& d, Json& json) {
  json["units"] = "nats";
  json["j"] = as_json(d.decomposition.joint);
  json["i"] = as_json(d.decomposition.dependence);
  json["j_m"] = as_json(d.decomposition.marginal);
  json["discrepancy"] = as_json(d.decomposition.discrepancy);
  if (const std::string note = disagreement(d.decomposition); !note.empty()) json["note"] = note;
  json["columns"] = Json::array();
  for (const std::size_t c : ranked_columns(d))
    json["columns"].push_back({{"column", d.columns[c]},
                               {"j_m", as_json(d.marginals[c].shape_negentropy)},
                               {"entropy", as_json(d.marginals[c].entropy)},
                               {"ties", d.marginals[c].ties}});
  json["pairs"] = Json::array();
  for (const auto& [i, j] : ranked_pairs(d.pairs))
    json["pairs"].push_back(
        {{"columns", {d.columns[i], d.columns[j]}},
         {"mutual_information", as_json(Estimate{d.pairs.value(i, j), d.pairs.standard_error(i, j)})},
         {"p_value", d.pairs.p_value(i, j)},
         {"suspect", d.pairs.suspect(i, j) != 0}});
  json["models"] = Json::array();
  for (const ModelDiagnosis& model : d.models) {
    json["models"].push_back(as_json(model));
    json["models"].back()["remains_at_least"] = remainder_bound(model, best_model(d));
  }
}

}  // namespace gaussianize
