#include "fitting/presets.hpp"

namespace gaussianize {
using namespace detail;
namespace {

enum class Preset { fast, standard, best };

Preset preset(const Arguments& arguments) {
  return arguments.pick<Preset>("preset",
                                {{"fast", Preset::fast}, {"default", Preset::standard}, {"best", Preset::best}});
}

}  // namespace

Option preset_option() {
  return {"preset",
          OptionKind::choice,
          "time spent on fitting: fast takes about a quarter of the time of default, best up to four times as long",
          "NAME",
          "default",
          0,
          {"fast", "default", "best"}};
}

RbigOptions preset_rbig_options(const Arguments& arguments) {
  RbigOptions options{.seed = arguments.seed(), .threads = arguments.threads()};
  if (preset(arguments) == Preset::fast) {
    options.step_fraction = 0.5;
    options.max_layers = 80;
    options.patience = 10;
  }
  if (preset(arguments) == Preset::best) {
    options.step_fraction = 0.1;
    options.max_layers = 4000;
    options.patience = 40;
  }
  return options;
}

GfOptions preset_gf_options(const Arguments& arguments) {
  return {.seed = arguments.seed(), .threads = arguments.threads()};
}

double preset_effort(const Arguments& arguments) {
  switch (preset(arguments)) {
    case Preset::fast:
      return 0.25;
    case Preset::best:
      return 4.0;
    default:
      return 1.0;
  }
}

}  // namespace gaussianize
