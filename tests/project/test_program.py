"""The frame of the program, from outside: test_program.py PROGRAM VERSION."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAM, VERSION = sys.argv[1:3]


def run(*arguments, **options):
    return subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, text=True, timeout=1000,
                          **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


class Frame(unittest.TestCase):
    def test_help_goes_to_standard_output(self):
        for arguments in (["--help"], ["-h"], ["help"]):
            done = run(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("usage: gaussianize COMMAND", done.stdout)
            self.assertRegex(done.stdout, r"(?m)^  compare +\S")

    def test_version_is_the_projects(self):
        done = run("--version")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"gaussianize {VERSION}\n", ""))

    def test_an_unknown_command_is_refused_with_a_guess(self):
        done = run("comapre")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("did you mean 'compare'?", done.stderr)

    def test_no_guess_where_nothing_is_near(self):
        done = run("frobnicate")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("'frobnicate'", done.stderr)
        self.assertIn("--help", done.stderr)
        self.assertNotIn("did you mean", done.stderr)

    def test_no_command_is_a_mistake(self):
        done = run()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("usage:", done.stderr)

    def test_an_unknown_option_of_a_command_is_a_mistake(self):
        done = run("compare", "--no-such-option")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertNotEqual(done.stderr, "")

    def test_what_all_commands_share_includes_nothing_of_a_command(self):
        for path in sorted((Path(__file__).parents[2] / "apps/cli").iterdir()):
            for include in re.findall(r'(?m)^#include "(.*)"', path.read_text(encoding="utf-8")):
                self.assertIn(include.split("/")[0], ("cli", "gaussianize"), f"{path.name} includes {include}")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_is_not_success(self):
        with open("/dev/full", "w") as full:
            done = run("--help", stdout=full)
        self.assertEqual(done.returncode, 4)
        self.assertIn("standard output", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
