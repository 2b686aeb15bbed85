#include "gaussianize/io/checkpoint_file.hpp"

#include "io/small_checkpoint.hpp"
#include "io/small_model.hpp"

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  gaussianize::save_model(gaussianize::testing::small_model(3), argv[1]);
  gaussianize::save_model(gaussianize::testing::trained_model(), argv[2]);
  gaussianize::save_model(gaussianize::testing::straight_model(), argv[3]);
  gaussianize::save_checkpoint(gaussianize::testing::small_checkpoint(), argv[4]);
  return 0;
}
