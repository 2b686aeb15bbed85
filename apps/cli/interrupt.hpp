#pragma once

namespace gaussianize {

/// From now on the first SIGINT or SIGTERM is only remembered, for interrupted() to tell; the second ends the program
/// at once. Writing beyond the limit on a file's size is an error of the write, not a signal.
void catch_interrupts();

bool interrupted();

}  // namespace gaussianize
