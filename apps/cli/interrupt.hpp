#pragma once

namespace gaussianize {

/// From now on the first SIGINT or SIGTERM is only remembered, for interrupted() to tell; the second ends the program
/// at once. Writing beyond the limit on a file's size is an error of the write, not a signal.
void catch_interrupts();

bool interrupted();

/// While an object of this class lives, a signal ends the program at once, with the exit code of an interruption: for
/// reading input, which may block without limit, and for work without a progress callback. If the signal came before,
/// the constructor throws Cancelled. Do not use it around code that has files to clean up, nor two at a time.
class EndsAtOnce {
 public:
  EndsAtOnce();
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

}  // namespace gaussianize
