#include "diagnose/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gaussianize/core/detail/require.hpp"

#include "cli/text_table.hpp"
#include "measuring/account.hpp"
#include "measuring/pairs.hpp"

namespace gaussianize {
using namespace detail;
namespace {

constexpr std::size_t max_shown = 10;         // columns and pairs
constexpr std::size_t max_layers_shown = 24;  // rows of the table of layers

using Rows = std::vector<std::vector<std::string>>;

double low(const Estimate& e) {
  return e.value - normal_975 * e.standard_error;
}

double high(const Estimate& e) {
  return e.value + normal_975 * e.standard_error;
}

/// A bound has no upper end.
std::string interval(const Estimate& e, bool bound) {
  if (!std::isfinite(e.standard_error)) return "–";
  return bound ? fixed(low(e), 4) + " or more" : fixed(low(e), 4) + " to " + fixed(high(e), 4);
}

std::string decomposition_text(const KlAccount& account) {
  Rows rows{{"standardised rows", "nats", "95 % interval", ""}};
  const auto add = [&](const char* name, const Estimate& e, bool bound) {
    rows.push_back({name, bounded(e, bound, 4), interval(e, bound), bound && account.suspect ? "suspect" : ""});
  };
  add("J    distance from N(0, I)", account.j, account.bound);
  add("I    dependence between columns", account.i, account.bound);
  add("J_m  marginal non-normality", account.j_m, false);
  return text_table(rows);
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
  const bool bound = d.account.bound;
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
      row.push_back(stage ? bounded(stage->i, bound, 4) : "");
      row.push_back(stage ? with_error(stage->j_m, 4) : "");
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows);
}

/// What a model leaves, and what it learned by heart.
std::string remains_sentence(const Diagnosis& d, std::size_t m) {
  const ModelDiagnosis& model = d.models[m];
  const KlRemainder& left = d.account.left[m];
  const bool bound = d.account.bound;
  std::string text = concat(model.name, " leaves J ", bound ? "" : "= ", bounded(left.j, bound, 4), " nats");
  if (!std::isnan(left.i.value) && d.columns.size() > 1)
    text += concat(": I ", bound ? "" : "= ", bounded(left.i, bound, 4), ", J_m = ", with_error(left.j_m, 4));
  text += concat("; test of the Gaussianized rows against N(0, I): p-value ", p_text(model.remains.p_value));
  if (model.learned) text += concat("; learned from chance: ", with_error(*model.learned, 4));
  return text + ".";
}

/// J or a part of it.
Json part_json(const Estimate& e, bool bound) {
  Json json = as_json(e);
  json["bound"] = bound;
  json["interval"] = {low(e), bound ? std::numeric_limits<double>::quiet_NaN() : high(e)};
  return json;
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
  if (model.learned) json["learned_from_chance"] = as_json(*model.learned);
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

std::vector<std::string> Diagnosis::names() const {
  std::vector<std::string> result;
  for (const ModelDiagnosis& model : models) result.push_back(model.name);
  return result;
}

std::vector<std::string> findings(const Diagnosis& d) {
  // Rows are held out where the models were fitted to others.
  const bool held_out = !d.models.empty() && d.models.front().learned;
  std::vector<std::string> sentences = account_sentences(d.account, held_out ? "held-out rows" : "rows", d.names());
  if (!held_out && d.account.source == JSource::model)
    sentences.push_back(
        "If the model was fitted to these rows, J includes what it learned from chance, and is no bound.");
  for (std::size_t m = 0; m < d.models.size(); ++m) sentences.push_back(remains_sentence(d, m));
  if (!d.ties.empty()) sentences.push_back(d.ties);
  for (const std::string& warning : d.pairs.warnings)
    if (std::find(d.account.warnings.begin(), d.account.warnings.end(), warning) == d.account.warnings.end())
      sentences.push_back("note, pairs of columns: " + warning);
  return sentences;
}

std::string diagnosis_text(const Diagnosis& d) {
  std::string text = decomposition_text(d.account) + "\n" + columns_text(d) + "\n" + pairs_text(d) + layers_text(d);
  text += "\n";
  for (const std::string& sentence : findings(d)) text += sentence + "\n";
  return text;
}

void fill_json(const Diagnosis& d, Json& json) {
  json["units"] = "nats";
  json["j"] = j_json(d.account, d.names());
  json["j"]["interval"] = part_json(d.account.j, d.account.bound)["interval"];
  json["i"] = part_json(d.account.i, d.account.bound);
  json["j_m"] = part_json(d.account.j_m, false);
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
  for (std::size_t m = 0; m < d.models.size(); ++m) {
    json["models"].push_back(as_json(d.models[m]));
    json["models"].back()["left"] = left_json(d.account, m);
  }
}

}  // namespace gaussianize
