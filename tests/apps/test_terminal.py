"""Progress, on a terminal and elsewhere: test_terminal.py PROGRAM."""

import os
import pty
import re
import select
import subprocess
import time

from program import PROGRAM, ProgramTest, main

# Long enough to be shown, whatever the machine: the test stops it when it has seen enough.
LONG = ["fit", "data.csv", "--model", "gf", "--layers", "6", "--anchors", "20", "--batch", "50", "--epochs", "3000",
        "-o", "m", "--threads", "1"]


class Progress(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate("two-spirals", 2000)

    def on_a_terminal(self, arguments, enough):
        """What the program writes to its terminal until `enough` is in it and Ctrl-C was typed; and its exit code."""
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execv(PROGRAM, [PROGRAM, *arguments])
        text, typed, end = "", False, time.monotonic() + 100
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1.0)[0]:
                continue
            try:
                text += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
            if not typed and re.search(enough, text):
                os.write(terminal, b"\x03")
                typed = True
        os.close(terminal)
        return text, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def test_a_bar_with_rate_time_left_and_validation_nll(self):
        bar = r"\rfit gf \[#*\.*\] +\d+ %  [\d.]+/s  ETA \d+:\d\d  validation NLL \d\.\d+\x1b\[K"
        text, code = self.on_a_terminal(LONG, bar)
        self.assertRegex(text, bar)
        self.assertEqual(code, 130)
        # The bar is wiped before the message.
        self.assertRegex(text, r"\r\x1b\[Kinterrupted; the checkpoint is m\.checkpoint: the same command with --resume")
        self.assertEqual(sorted(os.listdir(self.folder)), ["data.csv", "m.checkpoint"])

    def test_lines_elsewhere_and_silence_if_quiet(self):
        process = subprocess.Popen([PROGRAM, *LONG], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        process.terminate()
        _, rest = process.communicate(timeout=1000)
        self.assertRegex(line, r"^fit gf: \d+ % after \d+:\d\d; epoch \d+ of 3000, .*validation NLL")
        self.assertNotIn("\r", line + rest)
        self.assertNotIn("\x1b", line + rest)
        self.assertEqual(process.returncode, 130)
        self.out("fit", "data.csv", "--model", "rbig", "--layers", "60", "--stop", "fixed", "-o", "q")


if __name__ == "__main__":
    main()
