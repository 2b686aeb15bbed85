#pragma once

namespace gaussianize {

/// From now on the first SIGINT or SIGTERM is only remembered, for interrupted() to tell; the second ends the program
/// at once.
void catch_interrupts();

bool interrupted();

}  // namespace gaussianize
