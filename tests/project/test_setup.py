"""apps/setup.sh against machines that are made up: test_setup.py ROOT.

Each has its own PATH, of stand-ins for dpkg-query, apt-get, sudo and id that write down how they were called.
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve()
REAL = ["bash", "sed", "cat", "dirname", "env"]
DPKG = """case " $INSTALLED " in *" ${!#} "*) printf installed;; *) exit 1;; esac"""
APT = """echo "$DEBIAN_FRONTEND apt-get $*" >>"$LOG"; exit ${APT_STATUS:-0}"""
COMPILER = """text="$(cat)"; case "$text" in *"<$NO_HEADER>"*) exit 1;; esac"""
PACKAGES = [line for line in (ROOT / "apps/packages.txt").read_text().split("\n") if line and not line.startswith("#")]


class Machine:
    """A folder of programs and what was written down by them."""

    def __init__(self, folder, stand_ins):
        self.folder = Path(folder)
        self.programs = self.folder / "bin"
        self.programs.mkdir()
        for name in REAL:
            (self.programs / name).symlink_to(shutil.which(name))
        for name, body in stand_ins.items():
            path = self.programs / name
            path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
            path.chmod(0o755)

    def ensure_packages(self, **variables):
        log = self.folder / "log"
        log.write_text("")
        # A copy at a path with a space, to be sourced from elsewhere.
        apps = self.folder / "the project" / "apps"
        apps.mkdir(parents=True)
        for name in ("setup.sh", "packages.txt"):
            shutil.copy(ROOT / "apps" / name, apps)
        done = subprocess.run(
            [shutil.which("bash"), "-c", 'set -euo pipefail; source "$1"; ensure_packages; echo goes on', "-",
             str(apps / "setup.sh")],
            env={"PATH": str(self.programs), "LOG": str(log), "NO_HEADER": "none", **variables}, cwd="/",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=1000)
        self.calls = log.read_text().splitlines()
        return done


DEBIAN = {"dpkg-query": DPKG, "apt-get": APT, "id": "echo 0", "cmake": "", "python3": "", "c++": COMPILER}


def without(machine, *names):
    return {name: body for name, body in machine.items() if name not in names}


class Setup(unittest.TestCase):
    def on(self, stand_ins, **variables):
        with tempfile.TemporaryDirectory() as folder:
            machine = Machine(folder, stand_ins)
            done = machine.ensure_packages(**variables)
            return done, machine.calls

    def test_it_is_silent_when_nothing_is_missing(self):
        done, calls = self.on(DEBIAN, INSTALLED=" ".join(PACKAGES))
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "goes on\n", "", []))

    def test_root_installs_exactly_what_is_missing(self):
        done, calls = self.on(DEBIAN, INSTALLED=" ".join(PACKAGES[2:]))
        self.assertEqual((done.returncode, done.stdout), (0, "goes on\n"))
        self.assertEqual(calls, ["noninteractive apt-get update -q", "noninteractive apt-get install -q -y "
                                 f"--no-install-recommends {PACKAGES[0]} {PACKAGES[1]}"])
        self.assertIn(f"{PACKAGES[0]} {PACKAGES[1]}", done.stderr)

    def test_others_use_sudo(self):
        sudo = """echo "sudo $*" >>"$LOG"; [[ $1 == -n ]] || "$@" """
        done, calls = self.on({**DEBIAN, "id": "echo 1000", "sudo": sudo}, INSTALLED="")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(calls[-1], "noninteractive apt-get install -q -y --no-install-recommends " + " ".join(PACKAGES))
        self.assertIn("sudo env DEBIAN_FRONTEND=noninteractive apt-get update -q", calls)

    def test_without_a_terminal_sudo_does_not_ask(self):
        sudo = """echo "sudo $*" >>"$LOG"; exit 1"""
        done, calls = self.on({**DEBIAN, "id": "echo 1000", "sudo": sudo}, INSTALLED="", NO_HEADER="armadillo")
        self.assertEqual((done.returncode, calls), (1, ["sudo -n true"]))
        self.assertIn("apt-get install --no-install-recommends " + " ".join(PACKAGES), done.stderr)

    def test_a_failed_installation_goes_on_if_the_parts_are_there(self):
        done, calls = self.on(DEBIAN, INSTALLED="", APT_STATUS="100")
        self.assertEqual((done.returncode, done.stdout), (0, "goes on\n"))
        self.assertEqual(calls, ["noninteractive apt-get update -q"])
        self.assertIn("could not install", done.stderr)

    def test_without_apt_it_goes_on_if_the_parts_are_there(self):
        done, calls = self.on(without(DEBIAN, "apt-get", "dpkg-query"))
        self.assertEqual((done.returncode, done.stdout, done.stderr, calls), (0, "goes on\n", "", []))

    def test_without_apt_it_names_a_missing_header(self):
        done, _ = self.on(without(DEBIAN, "apt-get"), NO_HEADER="armadillo")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("the header <armadillo>", done.stderr)
        self.assertNotIn("zlib.h", done.stderr)
        for package in PACKAGES:
            self.assertIn(package, done.stderr)

    def test_without_apt_it_names_missing_tools(self):
        done, _ = self.on(without(DEBIAN, "apt-get", "c++", "cmake"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("cmake", done.stderr)
        self.assertIn("a C++20 compiler", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
