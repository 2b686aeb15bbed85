"""What the tests of the program share: running it, in a folder of the test's own."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "gaussianize"


def main(skipped_code=0):
    """The exit code is 1 if a test failed, and `skipped_code` (CTest's is 77) if none failed but some were skipped."""
    result = unittest.main(argv=sys.argv[:1], verbosity=2, exit=False).result
    for test, reason in result.skipped:
        print(f"[skipped] {test.id()}: {reason}")
    sys.exit(1 if not result.wasSuccessful() else skipped_code if result.skipped else 0)


class ProgramTest(unittest.TestCase):
    """Each test has an empty folder, in which the program runs."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gaussianize-")
        self.addCleanup(shutil.rmtree, self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_program(self, *arguments, code=0, binary=False, **options):
        """Runs it and checks the exit code; a failure says something on standard error and nothing else."""
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, timeout=1000, text=not binary,
                              **{"stdin": None if "input" in options else subprocess.DEVNULL, "stdout": subprocess.PIPE,
                                 "stderr": subprocess.PIPE, **options})
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        if code not in (0, 130):
            self.assertTrue(done.stderr)
            self.assertFalse(done.stdout)
        return done

    def out(self, *arguments, **options):
        """Standard output of a run that must succeed and, with --quiet, say nothing."""
        done = self.run_program(*arguments, "--quiet", **options)
        self.assertFalse(done.stderr)
        return done.stdout

    def json(self, *arguments, **options):
        """The JSON on standard output, with what every command's result has."""
        result = json.loads(self.out(*arguments, "--json", "-", **options))
        self.assertEqual(result["command"], arguments[0])
        self.assertIn("version", result)
        self.assertEqual(result["versions"]["gaussianize"], result["version"])
        self.assertIn("seed", result)
        return result

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def generate(self, name, rows, file="data.csv", *more):
        self.out("generate", name, "-n", rows, "-o", file, *more)
        return file

    def fit(self, data, model="m.model", kind="gaussian", *more):
        self.out("fit", data, "--model", kind, "-o", model, *more)
        return model


def rows(text):
    """The numbers of a CSV with a header."""
    return [[float(cell) for cell in line.split(",")] for line in text.splitlines()[1:]]
