#include "gaussianize/gf/detail/trainer_state.hpp"

#include <cmath>

#include "gaussianize/core/detail/require.hpp"

namespace gaussianize::detail {
namespace {

/// Calls visit(name, set) for every parameter set of a state.
template <class Visit>
void for_each_set(TrainerState& state, Visit visit) {
  visit("parameters", state.parameters);
  visit("best", state.best);
  visit("average", state.average);
  visit("adam mean", state.adam.mean);
  visit("adam square", state.adam.square);
  visit("adam largest", state.adam.largest);
  visit("previous", state.previous);
  visit("previous adam mean", state.previous_adam.mean);
  visit("previous adam square", state.previous_adam.square);
  visit("previous adam largest", state.previous_adam.largest);
}

/// A counter as a checkpoint holds it. Any other double would not fit one.
template <class Count>
Count checked_count(double number) {
  constexpr double most = 9007199254740992.0;
  require(number >= 0 && number <= most && number == std::floor(number), "resume: a counter of the checkpoint is ",
          number, "; it must be a whole number: start the fit again");
  return static_cast<Count>(number);
}

/// Calls visit(number) for every scalar, in a fixed order. Counters are exact in a double up to 2⁵³.
template <class Visit>
void for_each_number(TrainerState& state, Visit visit) {
  const auto whole = [&](auto& count) {
    auto number = static_cast<double>(count);
    visit(number);
    count = checked_count<std::remove_reference_t<decltype(count)>>(number);
  };
  whole(state.adam.steps);
  whole(state.previous_adam.steps);
  visit(state.schedule.factor);
  visit(state.schedule.best_loss);
  whole(state.schedule.epochs_since_best);
  whole(state.epoch);
  whole(state.batch);
  visit(state.epoch_loss);
  whole(state.epoch_rows);
  whole(state.undone_steps);
  visit(state.rate_factor);
  visit(state.best_loss);
  whole(state.best_epoch);
  visit(state.initial_nll);
  visit(state.seconds);
}

constexpr arma::uword report_columns = 5;

}  // namespace

Checkpoint pack(TrainerState& state, const std::string& fingerprint) {
  Checkpoint checkpoint;
  checkpoint.metadata["kind"] = "gf-checkpoint";
  checkpoint.metadata["fingerprint"] = fingerprint;
  for_each_set(state, [&](const std::string& name, GfParameters& set) {
    for (const ParameterBlock& block : parameter_blocks(set))
      checkpoint.tensors[concat(name, ": ", block.name)] =
          arma::mat(block.values, block.rows, block.count / block.rows);
  });
  std::vector<double> numbers;
  for_each_number(state, [&](double& number) { numbers.push_back(number); });
  checkpoint.tensors["numbers"] = arma::mat(arma::rowvec(numbers));
  arma::mat reports(state.reports.size(), report_columns);
  for (std::size_t e = 0; e < state.reports.size(); ++e) {
    const GfEpochReport& r = state.reports[e];
    reports.row(e) = arma::rowvec{r.training_loss, r.validation_nll, r.learning_rate, r.seconds,
                                  static_cast<double>(r.undone_steps)};
  }
  checkpoint.tensors["reports"] = reports;
  return checkpoint;
}

TrainerState unpack(const Checkpoint& checkpoint, const std::string& fingerprint, TrainerState state) {
  const auto word = [&](const char* key) {
    const auto found = checkpoint.metadata.find(key);
    return found == checkpoint.metadata.end() ? std::string() : found->second;
  };
  require(word("kind") == "gf-checkpoint", "resume: this is not a checkpoint of a GF fit");
  require(word("fingerprint") == fingerprint, "resume: the checkpoint belongs to another fit: it was made with\n  ",
          word("fingerprint"), "\nand this fit is\n  ", fingerprint, "\nresume with the same data, options and seed");
  const auto tensor = [&](const std::string& name, arma::uword rows, arma::uword columns) -> const arma::mat& {
    const auto found = checkpoint.tensors.find(name);
    require(found != checkpoint.tensors.end(), "resume: the checkpoint lacks '", name, "'");
    require((rows == 0 || found->second.n_rows == rows) && found->second.n_cols == columns, "resume: '", name, "' is ",
            found->second.n_rows, "×", found->second.n_cols, " in the checkpoint");
    return found->second;
  };
  for_each_set(state, [&](const std::string& name, GfParameters& set) {
    for (const ParameterBlock& block : parameter_blocks(set)) {
      const arma::mat& saved = tensor(concat(name, ": ", block.name), block.rows, block.count / block.rows);
      std::copy(saved.begin(), saved.end(), block.values);
    }
  });
  std::size_t count = 0;
  for_each_number(state, [&](double&) { ++count; });
  const arma::mat& numbers = tensor("numbers", 1, count);
  std::size_t next = 0;
  for_each_number(state, [&](double& number) { number = numbers[next++]; });
  const arma::mat& reports = tensor("reports", 0, report_columns);
  state.reports.clear();
  for (arma::uword e = 0; e < reports.n_rows; ++e)
    state.reports.push_back(
        {reports(e, 0), reports(e, 1), reports(e, 2), reports(e, 3), checked_count<std::size_t>(reports(e, 4))});
  require(state.reports.size() == state.epoch && state.best_epoch <= state.epoch,
          "resume: the checkpoint contradicts itself on how many epochs are done: start the fit again");
  return state;
}

}  // namespace gaussianize::detail
