"""The commands that documents show, as typed: test_tour.py PROGRAM DOCUMENT... [--update].

A line "    $ command" is run, all of a document in order in one empty folder. It must succeed, and where output is shown
its first line must be the real one, but for the numbers. --update puts the real output in (best on an idle machine: there
are times in it); output cut short by a line "…" is left alone.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

MARK = "    $ "


def skeleton(line):
    return re.sub(r"\s+", " ", re.sub(r"[-−]?\d[\d.e+-]*", "#", line)).strip()


def run(command, folder):
    environment = {**os.environ, "PATH": folder + "/bin" + os.pathsep + os.environ["PATH"]}
    return subprocess.run(["/bin/bash", "-c", command], cwd=folder + "/work", env=environment, text=True, timeout=1000,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def shown_output(lines, start):
    """The lines of the block after `start` up to its end or the next command, empty ones at the end left out."""
    end = start
    while end < len(lines) and not lines[end].startswith(MARK) and (lines[end].startswith("    ") or not lines[end]):
        end += 1
    while end > start and not lines[end - 1]:
        end -= 1
    return end


def tour(path, folder, update):
    """The document's complaints; with `update` also its new text."""
    lines = open(path, encoding="utf-8").read().split("\n")
    made, wrong, at, commands = [], [], 0, 0
    while at < len(lines):
        made.append(lines[at])
        at += 1
        if not made[-1].startswith(MARK):
            continue
        command = made[-1][len(MARK):].split("   #")[0]
        end = shown_output(lines, at)
        done, shown, at, commands = run(command, folder), lines[at:end], end, commands + 1
        real = ["    " + line if line else "" for line in done.stdout.rstrip("\n").split("\n")]
        if done.returncode != 0:
            wrong.append(f"{path}: $ {command}\n{done.stderr}")
        elif shown and skeleton(shown[0]) != skeleton(real[0]):
            wrong.append(f"{path}: $ {command}\n  shows {shown[0]!r}\n  real  {real[0]!r}")
        made += real if update and shown and "    …" not in shown else shown
    if commands == 0:
        wrong.append(f"{path}: shows no commands")
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(made))
    return wrong


def check_checker(folder):
    """A failing command, a changed first line and a document without commands are found."""
    document = folder + "/planted.md"
    for text, faults in (("    $ false\n    $ echo a 1\n    b 1\n", 2), ("    $ echo a 1\n    a 2\n", 0), ("words\n", 1)):
        with open(document, "w", encoding="utf-8") as file:
            file.write(text)
        if len(tour(document, folder, False)) != faults:
            sys.exit(f"the tour does not see planted mistakes in {text!r}")


def main():
    update = "--update" in sys.argv
    wrong = []
    for path in [word for word in sys.argv[2:] if word != "--update"]:
        with tempfile.TemporaryDirectory(prefix="gaussianize-") as folder:
            os.mkdir(folder + "/bin")
            os.mkdir(folder + "/work")
            shutil.copy(sys.argv[1], folder + "/bin/gaussianize")
            check_checker(folder)
            wrong += tour(path, folder, update)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
