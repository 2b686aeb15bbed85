#include "cli/fit_options.hpp"

#include <charconv>
#include <utility>

#include "cli/presets.hpp"

namespace gaussianize {
using namespace detail;
namespace {

template <class Value>
using Words = std::vector<std::pair<std::string_view, Value>>;

const Words<RotationKind> rbig_rotations{{"auto", RotationKind::automatic}, {"pca", RotationKind::pca},
                                         {"ica", RotationKind::ica},        {"random", RotationKind::random},
                                         {"sliced", RotationKind::sliced},  {"identity", RotationKind::identity}};
const Words<BandwidthRule> bandwidths{{"rule", BandwidthRule::rule_of_thumb},
                                      {"isj", BandwidthRule::sheather_jones},
                                      {"likelihood", BandwidthRule::likelihood}};
const Words<StoppingRule> stops{{"likelihood", StoppingRule::likelihood},
                                {"information", StoppingRule::information},
                                {"fixed", StoppingRule::fixed}};
const Words<TailRule> tails{{"fitted", TailRule::fitted}, {"kernel", TailRule::kernel}};
const Words<FirstMap> first_maps{
    {"auto", FirstMap::automatic}, {"false", FirstMap::columns}, {"true", FirstMap::whitening}};
const Words<RotationLayout> layouts{{"householder", RotationLayout::householder},
                                    {"patch", RotationLayout::patch},
                                    {"alternating", RotationLayout::alternating}};
const Words<Schedule> schedules{
    {"cosine", Schedule::cosine}, {"plateau", Schedule::plateau}, {"constant", Schedule::constant}};
const Words<LayerMap> layer_maps{{"straight", LayerMap::straight}, {"paper", LayerMap::paper}};
const Words<Initialisation> starts{{"quantile", Initialisation::quantile}, {"rows", Initialisation::rows}};

template <class Value>
std::vector<std::string_view> words(const Words<Value>& list) {
  std::vector<std::string_view> result;
  for (const auto& entry : list) result.push_back(entry.first);
  return result;
}

template <class Value>
std::string word(const Words<Value>& list, Value value) {
  for (const auto& [name, meaning] : list)
    if (meaning == value) return std::string(name);
  return "unknown";
}

/// Sets `target` to what the option says, if it was given.
template <class Value>
void take(const Arguments& arguments, std::string_view option, const Words<Value>& list, Value& target) {
  if (!arguments.given(option)) return;
  for (const auto& [name, meaning] : list)
    if (arguments.text(option) == name) target = meaning;
}
void take(const Arguments& arguments, std::string_view option, std::size_t& target) {
  if (arguments.given(option)) target = arguments.count(option);
}
void take(const Arguments& arguments, std::string_view option, double& target) {
  if (arguments.given(option)) target = arguments.number(option);
}

constexpr auto count = OptionKind::count;
constexpr auto number = OptionKind::number;
constexpr auto choice = OptionKind::choice;

OptionGroup shared_group() {
  return {"RBIG and GF",
          {preset_option(),
           {"layers", count, "RBIG: the most layers, 1000 if not given; GF: layers, chosen from the data if not given",
            "N"},
           {"patience", count,
            "stop after so many layers (RBIG, 20 if not given) or epochs (GF, all if not given) "
            "without a better held-out likelihood",
            "N"},
           {"rotate-first", OptionKind::flag,
            "mix the columns before the first marginal layer too; if not given, RBIG chooses by validation rows"},
           {"no-search", OptionKind::flag,
            "fit as the options say, without choosing by held-out rows; GF: also with --epochs"},
           {"validation-fraction", number, "share of the rows held out, if no --validation is given", "X", "0.1"}}};
}

OptionGroup rbig_group() {
  return {"RBIG",
          {{"rotation", choice, "how each rotation is found", "KIND", "auto", 0, words(rbig_rotations)},
           {"bandwidth", choice, "of the kernels; if not given: likelihood in the first layer, rule in the others",
            "RULE", "", 0, words(bandwidths)},
           {"stop", choice, "when to stop adding layers", "RULE", "likelihood", 0, words(stops)},
           {"step", number,
            "share of the way to normal that each layer after the first goes, in (0, 1]; 0.3 if not given", "X"},
           {"no-shrink", OptionKind::flag, "do not shrink marginal maps by what held-out rows ask for"},
           {"tails", choice,
            "of marginal maps beyond the data: fitted to the outermost rows, straight after the first layer, or the "
            "kernel's own",
            "RULE", "fitted", 0, words(tails)},
           {"kde-rows", count, "fit each marginal to at most N rows; 0: all", "N", "0"}}};
}

OptionGroup gf_group() {
  return {
      "GF, chosen from the data where no default is given",
      {{"layer", choice,
        "how trained maps go on beyond the rows: straight, or as in the paper, with draws that explode", "KIND",
        "straight", 0, words(layer_maps)},
       {"anchors", count, "kernels of each marginal map", "N"},
       {"first-anchors", count, "kernels of the first layer's maps; if not given 50, or as many as the others", "N"},
       {"reflections", count, "Householder reflections of each rotation; if not given one per column", "N"},
       {"rotations", choice, "what mixes the columns", "KIND", "householder", 0, words(layouts)},
       {"patch", count, "side of an image patch, 4 if not given; without --rotations it asks for patch rotations", "N"},
       {"equal-weights", OptionKind::flag, "keep the kernels' weights at 1/K, as in the paper; else they are trained"},
       {"marginals", count, "marginal layers between two rotations", "N", "1"},
       {"no-kde-front", OptionKind::flag, "no fixed kernel map of every column in front of the trained layers"},
       {"whiten", OptionKind::flag, "a fixed whitening of the columns in front of the trained layers"},
       {"init",
        choice,
        "where training starts: anchors at quantiles, at random rows as in the paper, or where RBIG stops",
        "KIND",
        "quantile",
        0,
        {"quantile", "rows", "rbig"}},
       {"init-rows", count, "rows that the anchors are placed by", "N", "20000"},
       {"batch", count, "rows of a training step", "N"},
       {"epochs", count, "passes over the training rows", "N"},
       {"learning-rate", number, "the largest", "X"},
       {"schedule", choice, "how the learning rate falls", "KIND", "cosine", 0, words(schedules)},
       {"warm-up", count, "steps over which the learning rate rises first", "N", "0"},
       {"average", number,
        "judge and keep an average of the parameters that forgets by this factor a step, in "
        "[0, 1); 0: no average",
        "X", "0.99"},
       {"clip", number, "shorten gradients to this norm; 0: never", "X", "0"},
       {"amsgrad", OptionKind::flag, "Adam's variant whose steps never grow again"},
       {"resume", OptionKind::flag, "go on from the checkpoint, to the same bytes as without interruption"},
       {"checkpoint", OptionKind::written, "where checkpoints go; if not given MODEL.checkpoint", "FILE"},
       {"checkpoint-seconds", number, "time between checkpoints; 0: only when interrupted", "S", "60"},
       {"checkpoint-epochs", count, "a checkpoint after every so many epochs as well; 0: none", "N", "0"}}};
}

void refuse_group(const Arguments& arguments, const OptionGroup& group, const std::string& model) {
  for (const Option& option : group.options)
    if (arguments.given(option.name))
      arguments.refuse("--", option.name, " does not belong to --model ", model, "; leave it out");
}

}  // namespace

std::vector<OptionGroup> fit_option_groups() {
  return {shared_group(), rbig_group(), gf_group()};
}

void check_fit_options(const Arguments& arguments, const std::string& model) {
  if (model != "rbig") refuse_group(arguments, rbig_group(), model);
  if (model != "gf") refuse_group(arguments, gf_group(), model);
  if (model != "rbig" && model != "gf") refuse_group(arguments, shared_group(), model);
  if (arguments.given("patch") && arguments.given("rotations") && arguments.text("rotations") == "householder")
    arguments.refuse("--patch is for patch and alternating rotations; leave it out, or --rotations householder");
}

RbigOptions rbig_options(const Arguments& arguments) {
  RbigOptions o = preset_rbig_options(arguments);
  take(arguments, "layers", o.max_layers);
  take(arguments, "patience", o.patience);
  take(arguments, "rotation", rbig_rotations, o.rotation);
  take(arguments, "bandwidth", bandwidths, o.first_bandwidth);
  take(arguments, "bandwidth", bandwidths, o.bandwidth);
  take(arguments, "stop", stops, o.stop);
  take(arguments, "step", o.step_fraction);
  take(arguments, "tails", tails, o.tails);
  take(arguments, "kde-rows", o.kde_rows);
  o.shrink = !arguments.flag("no-shrink");
  o.search = !arguments.flag("no-search");
  if (arguments.flag("rotate-first")) o.first_map = FirstMap::whitening;
  return o;
}

GfOptions gf_options(const Arguments& arguments) {
  GfOptions o = preset_gf_options(arguments);
  for (const auto& [option, target] :
       {std::pair("layers", &o.layers), std::pair("patience", &o.patience), std::pair("anchors", &o.anchors),
        std::pair("first-anchors", &o.first_anchors), std::pair("reflections", &o.reflections),
        std::pair("patch", &o.patch), std::pair("marginals", &o.marginals_per_rotation),
        std::pair("init-rows", &o.init_rows), std::pair("batch", &o.batch), std::pair("epochs", &o.epochs),
        std::pair("warm-up", &o.schedule.warm_up_steps)})
    take(arguments, option, *target);
  take(arguments, "learning-rate", o.schedule.learning_rate);
  take(arguments, "average", o.average_decay);
  take(arguments, "clip", o.clip_norm);
  if (arguments.given("patch")) o.rotations = RotationLayout::patch;
  take(arguments, "rotations", layouts, o.rotations);
  take(arguments, "schedule", schedules, o.schedule.kind);
  take(arguments, "init", starts, o.init);
  take(arguments, "layer", layer_maps, o.layer);
  o.adam.amsgrad = arguments.flag("amsgrad");
  o.train_weights = !arguments.flag("equal-weights");
  // RBIG's own first layer takes the place of the kernel maps.
  o.marginal_layer = !arguments.flag("no-kde-front") && arguments.text("init") != "rbig";
  o.whitening_layer = arguments.flag("whiten");
  o.rotate_first = arguments.flag("rotate-first");
  return o;
}

std::optional<GfSearchOptions> gf_search_options(const Arguments& arguments) {
  if (arguments.flag("no-search") || arguments.given("epochs")) return std::nullopt;
  GfSearchOptions search{.effort = preset_effort(arguments)};
  if (arguments.flag("no-kde-front")) search.marginal_layer = false;
  if (arguments.flag("whiten")) search.whitening_layer = true;
  if (arguments.given("init")) search.from_rbig = arguments.text("init") == "rbig";
  return search;
}

std::map<std::string, std::string> option_words(const RbigOptions& o) {
  return {{"layers", std::to_string(o.max_layers)},
          {"patience", std::to_string(o.patience)},
          {"rotation", word(rbig_rotations, o.rotation)},
          {"rotate-first", word(first_maps, o.first_map)},
          {"no-search", o.search ? "false" : "true"},
          {"first-bandwidth", word(bandwidths, o.first_bandwidth)},
          {"bandwidth", word(bandwidths, o.bandwidth)},
          {"stop", word(stops, o.stop)},
          {"step", number_text(o.step_fraction)},
          {"no-shrink", o.shrink ? "false" : "true"},
          {"tails", word(tails, o.tails)},
          {"kde-rows", std::to_string(o.kde_rows)},
          {"seed", std::to_string(o.seed.value)}};
}

std::map<std::string, std::string> option_words(const GfOptions& o) {
  return {{"layer", word(layer_maps, o.layer)},
          {"layers", std::to_string(o.layers)},
          {"patience", std::to_string(o.patience)},
          {"anchors", std::to_string(o.anchors)},
          {"first-anchors", std::to_string(o.first_anchors)},
          {"reflections", std::to_string(o.reflections)},
          {"rotations", word(layouts, o.rotations)},
          {"patch", std::to_string(o.patch)},
          {"rotate-first", o.rotate_first ? "true" : "false"},
          {"equal-weights", o.train_weights ? "false" : "true"},
          {"marginals", std::to_string(o.marginals_per_rotation)},
          {"no-kde-front", o.marginal_layer ? "false" : "true"},
          {"whiten", o.whitening_layer ? "true" : "false"},
          {"init", word(starts, o.init)},
          {"init-rows", std::to_string(o.init_rows)},
          {"batch", std::to_string(o.batch)},
          {"epochs", std::to_string(o.epochs)},
          {"learning-rate", number_text(o.schedule.learning_rate)},
          {"schedule", word(schedules, o.schedule.kind)},
          {"warm-up", std::to_string(o.schedule.warm_up_steps)},
          {"average", number_text(o.average_decay)},
          {"clip", number_text(o.clip_norm)},
          {"amsgrad", o.adam.amsgrad ? "true" : "false"},
          {"seed", std::to_string(o.seed.value)}};
}

std::string number_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

}  // namespace gaussianize
