#include "cli/interrupt.hpp"

#include <csignal>
#include <initializer_list>
#include <unistd.h>

#include "gaussianize/core/error.hpp"

#include "cli/exit_codes.hpp"

namespace gaussianize {
namespace {

volatile std::sig_atomic_t caught = 0;
volatile std::sig_atomic_t nothing_to_lose = 0;

void remember(int) {
  if (nothing_to_lose != 0) {
    constexpr char message[] = "gaussianize: interrupted\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message, sizeof message - 1);
    ::_exit(exit_interrupted);
  }
  caught = 1;
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  // A shell starts background jobs with SIGINT ignored, and so it stays.
  for (const int number : {SIGINT, SIGTERM})
    if (std::signal(number, remember) == SIG_IGN) std::signal(number, SIG_IGN);
  // A file that may not grow (ulimit -f) is then an error of write(), with a message, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
  return caught != 0;
}

EndsAtOnce::EndsAtOnce() {
  if (interrupted()) throw Cancelled();
  nothing_to_lose = 1;
}

EndsAtOnce::~EndsAtOnce() {
  nothing_to_lose = 0;
}

}  // namespace gaussianize
