#include "fitting/option_table.hpp"

#include "fitting/presets.hpp"

namespace gaussianize {
using namespace detail;

template <>
const std::vector<std::pair<std::string_view, RotationKind>> choices_of<RotationKind>{
    {"auto", RotationKind::automatic}, {"pca", RotationKind::pca},       {"ica", RotationKind::ica},
    {"random", RotationKind::random},  {"sliced", RotationKind::sliced}, {"identity", RotationKind::identity}};
template <>
const std::vector<std::pair<std::string_view, BandwidthRule>> choices_of<BandwidthRule>{
    {"rule", BandwidthRule::rule_of_thumb},
    {"isj", BandwidthRule::sheather_jones},
    {"likelihood", BandwidthRule::likelihood}};
template <>
const std::vector<std::pair<std::string_view, StoppingRule>> choices_of<StoppingRule>{
    {"likelihood", StoppingRule::likelihood},
    {"information", StoppingRule::information},
    {"fixed", StoppingRule::fixed}};
template <>
const std::vector<std::pair<std::string_view, TailRule>> choices_of<TailRule>{{"fitted", TailRule::fitted},
                                                                              {"kernel", TailRule::kernel}};
template <>
const std::vector<std::pair<std::string_view, FirstMap>> choices_of<FirstMap>{
    {"auto", FirstMap::automatic}, {"false", FirstMap::columns}, {"true", FirstMap::whitening}};
template <>
const std::vector<std::pair<std::string_view, RotationLayout>> choices_of<RotationLayout>{
    {"householder", RotationLayout::householder},
    {"patch", RotationLayout::patch},
    {"alternating", RotationLayout::alternating}};
template <>
const std::vector<std::pair<std::string_view, Schedule>> choices_of<Schedule>{
    {"cosine", Schedule::cosine}, {"plateau", Schedule::plateau}, {"constant", Schedule::constant}};
template <>
const std::vector<std::pair<std::string_view, LayerMap>> choices_of<LayerMap>{{"straight", LayerMap::straight},
                                                                              {"paper", LayerMap::paper}};
// RBIG's start replaces the quantiles, so a model file records it by another way than this field.
template <>
const std::vector<std::pair<std::string_view, Initialisation>> choices_of<Initialisation>{
    {"quantile", Initialisation::quantile}, {"rows", Initialisation::rows}, {"rbig", Initialisation::quantile}};

namespace {

/// Whether the help ends in "default X". The other defaults are chosen from the data or by --preset: the help sentence
/// describes them, with {} where the number stands.
enum class Default { shown, in_sentence };
constexpr auto shown = Default::shown;
constexpr auto in_sentence = Default::in_sentence;

void put(FitOption& row, OptionField<RbigOptions> field) {
  row.rbig = std::move(field);
}
void put(FitOption& row, OptionField<GfOptions> field) {
  row.gf = std::move(field);
}
void put(FitOption& row, OptionField<GfSearchOptions> field) {
  row.search = std::move(field);
}

/// A row that takes kind, choices and default of its first field.
template <class Options, class... More>
FitOption row(FitGroup group, std::string_view name, std::string_view value, std::string help, Default standard,
              OptionField<Options> first, More... more) {
  const std::string number = first.text(Options{});
  if (const auto place = help.find("{}"); place != std::string::npos) help.replace(place, 2, number);
  FitOption result{group,
                   {name, first.kind, std::move(help), value, standard == shown ? number : "", 0, first.choices}};
  put(result, std::move(first));
  (put(result, std::move(more)), ...);
  return result;
}

template <class Options, class... More>
FitOption toggle(FitGroup group, std::string_view name, std::string help, OptionField<Options> first, More... more) {
  first.kind = OptionKind::flag;
  first.choices.clear();
  return row(group, name, "", std::move(help), in_sentence, std::move(first), std::move(more)...);
}

/// A field that no option of a fit sets by itself, but that model files record.
template <class... Fields>
FitOption recorded(std::string_view name, Fields... fields) {
  FitOption result{FitGroup::recorded, {.name = name}};
  (put(result, std::move(fields)), ...);
  return result;
}

template <class Options>
OptionField<Options> with_reader(OptionField<Options> field,
                                 void (*read)(const Arguments&, std::string_view, Options&)) {
  field.read = read;
  return field;
}

std::vector<FitOption> shared_rows() {
  using enum FitGroup;
  return {
      {both, preset_option()},
      row(both, "layers", "N",
          "RBIG: the maximum number of layers, {} if not given; GF: the number of layers, chosen from the data if not "
          "given",
          in_sentence, field<&RbigOptions::max_layers>(), field<&GfOptions::layers>()),
      row(both, "patience", "N",
          "stop after this many layers (RBIG, {} if not given) or epochs (GF, never if not given) without a better "
          "validation likelihood",
          in_sentence, field<&RbigOptions::patience>(), field<&GfOptions::patience>()),
      toggle(both, "rotate-first",
             "rotate before the first marginal layer too; if not given, RBIG chooses by the validation rows",
             with_reader(
                 field<&RbigOptions::first_map>(),
                 +[](const Arguments& arguments, std::string_view option, RbigOptions& options) {
                   if (arguments.flag(option)) options.first_map = FirstMap::whitening;
                 }),
             field<&GfOptions::rotate_first>()),
      toggle(both, "no-search",
             "fit with the given options and the defaults, without comparing candidates; for GF, --epochs implies it",
             off_switch<&RbigOptions::search>()),
      {both,
       {"validation-fraction", OptionKind::number,
        "share of the rows held out as validation rows, without --validation", "X", "0.1"}}};
}

std::vector<FitOption> rbig_rows() {
  using enum FitGroup;
  return {
      row(rbig, "rotation", "KIND", "how each rotation is found", shown, field<&RbigOptions::rotation>()),
      row(rbig, "bandwidth", "RULE",
          "how kernel bandwidths are chosen: by a rule of thumb, by the improved Sheather-Jones method (isj) or by "
          "likelihood; if not given, likelihood in the first layer and rule in the others",
          in_sentence,
          with_reader(
              field<&RbigOptions::bandwidth>(),
              +[](const Arguments& arguments, std::string_view option, RbigOptions& options) {
                options.bandwidth = typed_value<BandwidthRule>(arguments, option);
                options.first_bandwidth = options.bandwidth;
              })),
      row(rbig, "stop", "RULE", "when to stop adding layers", shown, field<&RbigOptions::stop>()),
      row(rbig, "step", "X",
          "step size, in (0, 1]: the share of the way to normal that each layer after the first takes; {} if not given",
          in_sentence, field<&RbigOptions::step_fraction>()),
      toggle(rbig, "no-shrink", "do not shrink the marginal maps towards linear ones by the validation rows",
             off_switch<&RbigOptions::shrink>()),
      row(rbig, "tails", "RULE",
          "how marginal maps continue beyond the data: fitted to the outermost rows (linear after the first layer), or "
          "with the tails of the kernel",
          shown, field<&RbigOptions::tails>()),
      row(rbig, "kde-rows", "N", "fit each marginal density to at most N rows; 0: all", shown,
          field<&RbigOptions::kde_rows>())};
}

std::vector<FitOption> gf_architecture_rows() {
  using enum FitGroup;
  return {
      row(gf, "layer", "KIND",
          "how trained marginal maps continue beyond the data: in a straight line, or as in the paper, where some "
          "samples lie far away from all data",
          shown, field<&GfOptions::layer>()),
      row(gf, "anchors", "N", "number of kernels of each marginal map", in_sentence, field<&GfOptions::anchors>()),
      row(gf, "first-anchors", "N",
          "number of kernels in the first layer; if not given 50, or as many as in the other layers", in_sentence,
          field<&GfOptions::first_anchors>()),
      row(gf, "reflections", "N", "Householder reflections of each rotation; if not given one per column", in_sentence,
          field<&GfOptions::reflections>()),
      row(gf, "rotations", "KIND", "kind of the trained rotations", shown, field<&GfOptions::rotations>()),
      row(gf, "patch", "N", "side of an image patch, {} if not given; without --rotations it implies patch rotations",
          in_sentence,
          with_reader(
              field<&GfOptions::patch>(),
              +[](const Arguments& arguments, std::string_view option, GfOptions& options) {
                options.patch = arguments.count(option);
                if (!arguments.given("rotations")) options.rotations = RotationLayout::patch;
              })),
      toggle(gf, "equal-weights", "fix the kernel weights at 1/K, as in the paper, instead of training them",
             off_switch<&GfOptions::train_weights>()),
      row(gf, "marginals", "N", "marginal layers between two rotations", shown,
          field<&GfOptions::marginals_per_rotation>()),
      toggle(gf, "no-kde-front",
             "leave out the fixed marginal layer (kernel density estimates) before the trained ones",
             off_switch<&GfOptions::marginal_layer>(), off_switch<&GfSearchOptions::marginal_layer>()),
      toggle(gf, "whiten", "put a fixed whitening of the columns before the trained layers",
             field<&GfOptions::whitening_layer>(), field<&GfSearchOptions::whitening_layer>()),
      row(gf, "init", "KIND",
          "where training starts: kernels at quantiles, at random rows as in the paper, or from the layers of an RBIG "
          "fit",
          shown,
          with_reader(
              field<&GfOptions::init>(),
              +[](const Arguments& arguments, std::string_view option, GfOptions& options) {
                options.init = typed_value<Initialisation>(arguments, option);
                // RBIG's own first layer replaces the fixed marginal layer.
                if (arguments.text(option) == "rbig") options.marginal_layer = false;
              }),
          with_reader(
              OptionField<GfSearchOptions>{},
              +[](const Arguments& arguments, std::string_view option, GfSearchOptions& search) {
                search.from_rbig = arguments.text(option) == "rbig";
              })),
      row(gf, "init-rows", "N", "rows from which the first kernels are placed", shown, field<&GfOptions::init_rows>())};
}

std::vector<FitOption> gf_training_rows() {
  using enum FitGroup;
  return {
      row(gf, "batch", "N", "rows per training step", in_sentence, field<&GfOptions::batch>()),
      row(gf, "epochs", "N", "passes over the training rows", in_sentence, field<&GfOptions::epochs>()),
      row(gf, "learning-rate", "X", "peak learning rate", in_sentence,
          field<&GfOptions::schedule, &ScheduleOptions::learning_rate>()),
      row(gf, "schedule", "KIND", "how the learning rate decreases", shown,
          field<&GfOptions::schedule, &ScheduleOptions::kind>()),
      row(gf, "warm-up", "N", "steps over which the learning rate first increases", shown,
          field<&GfOptions::schedule, &ScheduleOptions::warm_up_steps>()),
      row(gf, "average", "X",
          "decay per step of the exponential average of the parameters, which is evaluated and saved, in [0, 1); 0: no "
          "average",
          shown, field<&GfOptions::average_decay>()),
      row(gf, "clip", "X", "maximum norm of a gradient; 0: no limit", shown, field<&GfOptions::clip_norm>()),
      toggle(gf, "amsgrad", "use AMSGrad, the variant of Adam whose step sizes never increase",
             field<&GfOptions::adam, &AdamOptions::amsgrad>()),
      {gf,
       {"resume", OptionKind::flag,
        "continue from the checkpoint; the model has the same bytes as without the interruption"}},
      {gf, {"checkpoint", OptionKind::written, "where checkpoints are written; if not given MODEL.checkpoint", "FILE"}},
      {gf,
       {"checkpoint-seconds", OptionKind::number, "seconds between checkpoints; 0: only when interrupted", "S", "60"}},
      {gf, {"checkpoint-epochs", OptionKind::count, "also write a checkpoint every N epochs; 0: do not", "N", "0"}}};
}

}  // namespace

const std::vector<FitOption>& fit_option_table() {
  static const std::vector<FitOption> table = [] {
    std::vector<FitOption> rows;
    for (const auto& part : {shared_rows(), rbig_rows(), gf_architecture_rows(), gf_training_rows()})
      rows.insert(rows.end(), part.begin(), part.end());
    rows.push_back(recorded("first-bandwidth", field<&RbigOptions::first_bandwidth>()));
    rows.push_back(
        recorded("seed", field<&RbigOptions::seed, &Seed::value>(), field<&GfOptions::seed, &Seed::value>()));
    return rows;
  }();
  return table;
}

}  // namespace gaussianize
