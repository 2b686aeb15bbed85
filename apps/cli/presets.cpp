#include "cli/presets.hpp"

#include <algorithm>

namespace gaussianize {
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
          "how much time the models may take: fast is about a third of default, best three times as much",
          "NAME",
          "default",
          0,
          {"fast", "default", "best"}};
}

RbigOptions preset_rbig_options(const Arguments& arguments) {
  RbigOptions options{.seed = arguments.seed(), .threads = arguments.threads()};
  if (preset(arguments) == Preset::fast) {
    options.step = 0.5;
    options.max_layers = 80;
    options.patience = 10;
  }
  if (preset(arguments) == Preset::best) {
    options.step = 0.1;
    options.max_layers = 4000;
    options.patience = 40;
  }
  return options;
}

GfOptions preset_gf_options(const Arguments& arguments, std::size_t rows, std::size_t dimension) {
  GfOptions options;
  options.seed = arguments.seed();
  options.threads = arguments.threads();
  options = resolve(options, rows, dimension);
  // All layers, or GF would be worse than RBIG for want of them: then it takes about as long as RBIG does.
  if (preset(arguments) == Preset::fast) options.epochs = std::max<std::size_t>(3, options.epochs / 3);
  if (preset(arguments) == Preset::best) options.epochs *= 3;
  return options;
}

}  // namespace gaussianize
