#include "gaussianize/search/detail/gf_search_state.hpp"

#include <algorithm>
#include <cmath>

#include "gaussianize/core/detail/require.hpp"
#include "gaussianize/gf/detail/initialise.hpp"
#include "gaussianize/math/detail/random_normal.hpp"

namespace gaussianize::detail {
namespace {

constexpr std::string_view kind = "gf-search-checkpoint";
constexpr std::string_view run_prefix = "run: ";
constexpr arma::uword epoch_columns = 5;

std::string slot_name(std::size_t candidate, std::size_t fold, std::string_view what) {
  return concat("candidate ", candidate, " fold ", fold, ": ", what);
}

arma::mat to_matrix(const std::vector<GfEpochReport>& epochs) {
  arma::mat matrix(epochs.size(), epoch_columns);
  for (std::size_t e = 0; e < epochs.size(); ++e)
    matrix.row(e) = arma::rowvec{epochs[e].training_loss, epochs[e].validation_nll, epochs[e].learning_rate,
                                 epochs[e].seconds, static_cast<double>(epochs[e].undone_steps)};
  return matrix;
}

const arma::mat& tensor(const Checkpoint& checkpoint, const std::string& name) {
  const auto found = checkpoint.tensors.find(name);
  require(found != checkpoint.tensors.end(), "resume: the checkpoint lacks '", name, "': start the fit again");
  return found->second;
}

std::size_t counter(double number, std::size_t below) {
  require(number >= 0 && number < static_cast<double>(below) && number == std::floor(number),
          "resume: a counter of the checkpoint is ", number, "; it must be a whole number below ", below,
          ": start the fit again");
  return static_cast<std::size_t>(number);
}

/// Layers of the candidate's kinds, for a start of so many; the numbers in them mean nothing.
GfParameters shape_of(const GfCandidate& candidate, std::size_t dimension, std::size_t layers) {
  GfOptions options = candidate.options;
  options.layers = layers / options.marginals_per_rotation;
  RandomStream stream(options.seed, Purpose::anchors);
  return initialise(random_normal(100, dimension, stream), options);
}

void restore(const Checkpoint& checkpoint, const std::string& prefix, GfParameters& trained) {
  // What RBIG found may take another number of reflections than asked for.
  for (std::size_t l = 0; l < trained.layers.size(); ++l) {
    auto* householder = std::get_if<Householder>(&trained.layers[l].rotation);
    if (householder == nullptr) continue;
    const arma::mat& v = tensor(checkpoint, concat(prefix, "layer ", l, " v"));
    require(v.n_rows == householder->v.n_rows && v.n_cols > 0, "resume: the rotation of layer ", l,
            " is damaged: start the fit again");
    householder->v = v;
  }
  for (const ParameterBlock& block : parameter_blocks(trained)) {
    const arma::mat& saved = tensor(checkpoint, prefix + block.name);
    require(saved.n_elem == block.count, "resume: '", prefix, block.name, "' has another size: start the fit again");
    std::copy(saved.begin(), saved.end(), block.values);
  }
}

GfSearchSlot unpack_slot(const Checkpoint& checkpoint, const GfCandidate& candidate, std::size_t c, std::size_t f,
                         std::size_t dimension) {
  GfSearchSlot slot;
  const auto found = checkpoint.tensors.find(slot_name(c, f, "log density"));
  if (found == checkpoint.tensors.end()) return slot;
  slot.log_density = arma::vectorise(found->second);
  if (!candidate.trained) return slot;
  const arma::mat& epochs = tensor(checkpoint, slot_name(c, f, "epochs"));
  require(epochs.n_cols == epoch_columns, "resume: the history of the checkpoint is damaged: start the fit again");
  for (arma::uword e = 0; e < epochs.n_rows; ++e)
    slot.epochs.push_back(
        {epochs(e, 0), epochs(e, 1), epochs(e, 2), epochs(e, 3), counter(epochs(e, 4), std::size_t{1} << 53)});
  const arma::mat& layers = tensor(checkpoint, slot_name(c, f, "layers"));
  require(layers.n_elem == 2, "resume: the number of layers is damaged: start the fit again");
  slot.initial_nll = layers[1];
  for (const double end : tensor(checkpoint, slot_name(c, f, "rounds")))
    slot.round_ends.push_back(counter(end, slot.epochs.size() + 1));
  slot.trained = shape_of(candidate, dimension, counter(layers[0], 1000000));
  restore(checkpoint, slot_name(c, f, ""), slot.trained);
  return slot;
}

/// What stands under a prefix.
Checkpoint unpack_run(const Checkpoint& checkpoint, const std::string& prefix) {
  Checkpoint run;
  for (auto i = checkpoint.tensors.lower_bound(prefix); i != checkpoint.tensors.end() && i->first.starts_with(prefix);
       ++i)
    run.tensors[i->first.substr(prefix.size())] = i->second;
  for (auto i = checkpoint.metadata.lower_bound(prefix); i != checkpoint.metadata.end() && i->first.starts_with(prefix);
       ++i)
    run.metadata[i->first.substr(prefix.size())] = i->second;
  return run;
}

}  // namespace

Checkpoint pack(GfSearchState& state, const std::string& fingerprint) {
  Checkpoint checkpoint;
  for (const auto& [key, run] : state.runs) {
    const std::string prefix = slot_name(key.first, key.second, run_prefix);
    for (const auto& [name, values] : run.tensors) checkpoint.tensors[prefix + name] = values;
    for (const auto& [name, text] : run.metadata) checkpoint.metadata[prefix + name] = text;
  }
  checkpoint.metadata["kind"] = kind;
  checkpoint.metadata["fingerprint"] = fingerprint;
  for (std::size_t c = 0; c < state.slots.size(); ++c)
    for (std::size_t f = 0; f < state.slots[c].size(); ++f) {
      GfSearchSlot& slot = state.slots[c][f];
      if (slot.log_density.is_empty()) continue;
      checkpoint.tensors[slot_name(c, f, "log density")] = slot.log_density;
      if (slot.trained.layers.empty()) continue;
      checkpoint.tensors[slot_name(c, f, "epochs")] = to_matrix(slot.epochs);
      checkpoint.tensors[slot_name(c, f, "rounds")] = arma::conv_to<arma::rowvec>::from(slot.round_ends);
      checkpoint.tensors[slot_name(c, f, "layers")] =
          arma::rowvec{static_cast<double>(slot.trained.layers.size()), slot.initial_nll};
      for (const ParameterBlock& block : parameter_blocks(slot.trained))
        checkpoint.tensors[slot_name(c, f, block.name)] = arma::mat(block.values, block.rows, block.count / block.rows);
    }
  checkpoint.tensors["alive"] = arma::conv_to<arma::rowvec>::from(state.alive);
  checkpoint.tensors["position"] = arma::rowvec{static_cast<double>(state.round), static_cast<double>(state.next),
                                                state.last_nll, static_cast<double>(state.phase)};
  return checkpoint;
}

GfSearchState unpack(const Checkpoint& checkpoint, const std::string& fingerprint,
                     const std::vector<GfCandidate>& candidates, std::size_t dimension, std::size_t slots) {
  require(is_search_checkpoint(checkpoint), "resume: this is not a checkpoint of a search");
  const auto found = checkpoint.metadata.find("fingerprint");
  const std::string made_with = found == checkpoint.metadata.end() ? std::string() : found->second;
  require(made_with == fingerprint, "resume: the checkpoint belongs to another fit: it was made with\n  ", made_with,
          "\nand this fit is\n  ", fingerprint, "\nresume with the same data, options and seed");
  GfSearchState state;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    state.slots.emplace_back();
    for (std::size_t f = 0; f < slots; ++f)
      state.slots.back().push_back(unpack_slot(checkpoint, candidates[c], c, f, dimension));
  }
  for (const double number : tensor(checkpoint, "alive")) state.alive.push_back(counter(number, candidates.size()));
  const arma::mat& position = tensor(checkpoint, "position");
  require(position.n_elem == 4 && !state.alive.empty(), "resume: the checkpoint is damaged: start the fit again");
  state.round = counter(position[0], 64);
  state.next = counter(position[1], 64);
  state.last_nll = position[2];
  state.phase = static_cast<SearchPhase>(counter(position[3], 3));
  for (std::size_t c = 0; c < candidates.size(); ++c)
    for (std::size_t f = 0; f < slots; ++f)
      if (Checkpoint run = unpack_run(checkpoint, slot_name(c, f, run_prefix)); !run.tensors.empty())
        state.runs[{c, f}] = std::move(run);
  return state;
}

}  // namespace gaussianize::detail

bool gaussianize::is_search_checkpoint(const Checkpoint& checkpoint) {
  const auto found = checkpoint.metadata.find("kind");
  return found != checkpoint.metadata.end() && found->second == detail::kind;
}
