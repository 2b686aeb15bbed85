#include "cli/progress.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "gaussianize/core/detail/require.hpp"

#include "cli/interrupt.hpp"
#include "cli/text_table.hpp"

namespace gaussianize {
using namespace detail;
namespace {

/// Operations that take less time are not shown.
constexpr double min_seconds = 0.5;

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string rate_text(double rate) {
  std::ostringstream text;
  text << std::setprecision(rate < 100 ? 2 : 0) << std::fixed << rate << "/s";
  return text.str();
}

}  // namespace

std::string clock_text(double seconds) {
  const long long whole = std::llround(std::max(0.0, seconds));
  std::ostringstream text;
  text << std::setfill('0');
  if (whole >= 3600) text << whole / 3600 << ':' << std::setw(2);
  text << whole / 60 % 60 << ':' << std::setw(2) << whole % 60;
  return text.str();
}

std::string progress_text(const Progress& progress) {
  std::string text = progress.stage.empty() ? "" : concat("; ", progress.stage);
  if (progress.loss) text += concat(", training NLL ", *progress.loss);
  if (progress.validation_loss) text += concat(", validation NLL ", *progress.validation_loss);
  if (progress.seconds_left) text += concat(", ", std::llround(*progress.seconds_left), " s left");
  return text;
}

ProgressBar::ProgressBar(std::string label, bool quiet)
    : label_(std::move(label)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::cerr << "\r\033[K" << std::flush;
}

ProgressCallback ProgressBar::callback() {
  return [this](const Progress& progress) { return report(progress); };
}

bool ProgressBar::report(const Progress& progress) {
  if (!std::exchange(started_, true)) first_done_ = progress.done > 0 ? progress.done - 1 : 0;
  if (!quiet_ && progress.total > 0) {
    if (terminal_)
      draw(progress);
    else
      write_line(progress);
  }
  return !interrupted();
}

void ProgressBar::draw(const Progress& progress) {
  const double now = watch_.seconds();
  if (now < min_seconds || (drawn_ && now - last_shown_ < 0.1)) return;
  last_shown_ = now;
  drawn_ = true;
  const double share = std::min(1.0, static_cast<double>(progress.done) / static_cast<double>(progress.total));
  // A resumed operation is timed by what it did itself.
  const double rate = static_cast<double>(progress.done - first_done_) / std::max(now, 1e-3);
  constexpr std::size_t cells = 24;
  const auto full = static_cast<std::size_t>(share * cells);
  const double left = progress.seconds_left.value_or(static_cast<double>(progress.total - progress.done) / rate);
  std::string line = concat(label_, " [", std::string(full, '#'), std::string(cells - full, '.'), "] ",
                            std::lround(100 * share), " %  ", rate_text(rate), "  ETA ", clock_text(left));
  if (progress.validation_loss) line += "  validation NLL " + fixed(*progress.validation_loss, 3);
  std::cerr << '\r' << line.substr(0, terminal_width() - 1) << "\033[K" << std::flush;
}

void ProgressBar::write_line(const Progress& progress) {
  const double now = watch_.seconds();
  const std::size_t part = 10 * progress.done / progress.total;
  if (now < min_seconds || (part == last_part_ && now - last_shown_ < 10)) return;
  last_part_ = part;
  last_shown_ = now;
  std::cerr << concat(label_, ": ",
                      std::lround(100.0 * static_cast<double>(progress.done) / static_cast<double>(progress.total)),
                      " % after ", clock_text(now), progress_text(progress), "\n")
            << std::flush;
}

}  // namespace gaussianize
