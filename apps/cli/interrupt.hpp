#pragma once

namespace gaussianize {

/// From now on the first SIGINT or SIGTERM is only remembered, for interrupted() to tell; the second ends the program
/// at once. Writing beyond the limit on a file's size is an error of the write, not a signal.
void catch_interrupts();

bool interrupted();

/// While one lives, the program reads its input, for which it may have to wait for ever, or computes what nobody asks
/// it to stop, and has nothing to lose: a signal ends it at once, with the exit code of an interruption. Where the
/// signal came before, the constructor throws Cancelled. Never around what has files to clean up, and never two at a
/// time.
class EndsAtOnce {
 public:
  EndsAtOnce();
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

}  // namespace gaussianize
