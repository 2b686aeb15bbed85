#pragma once

namespace gaussianize {

/// From now on the first SIGINT or SIGTERM is only remembered, for interrupted() to tell; the second ends the program
/// at once. Writing beyond the limit on a file's size is an error of the write, not a signal.
void catch_interrupts();

bool interrupted();

/// While one lives, the program does nothing but read its input, for which it may have to wait for ever, and has nothing
/// to lose: a signal ends it at once, with the exit code of an interruption.
class ReadingInput {
 public:
  ReadingInput();
  ~ReadingInput();
  ReadingInput(const ReadingInput&) = delete;
  ReadingInput& operator=(const ReadingInput&) = delete;
};

}  // namespace gaussianize
