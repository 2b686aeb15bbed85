"""Checks the rules of the source tree that no compiler knows: check_layout.py ROOT.

Prints one line per violation, "file:line: what", and fails if there is any. docs/CONTRIBUTING.md states the rules.
"""

import re
import sys
from pathlib import Path

# A module includes itself and the modules of any line above its own; those of one line are siblings and do not include
# each other.
LAYERS = [
    ["core"],
    ["math"],
    ["marginal", "rotation"],
    ["flow"],
    ["rbig", "gf", "io", "data"],
    ["search"],
    ["info"],
]
RANK = {module: rank for rank, modules in enumerate(LAYERS) for module in modules}

# Whose detail headers, beside its own, a module may include; every module may include those of EVERYBODYS. An entry that
# is not needed any more is a violation: the table only shrinks.
EVERYBODYS = {"core", "math"}
PRIVATE_USERS = {
    "flow": {"marginal", "rotation"},
    "gf": {"marginal", "rotation"},
    "io": {"rotation"},
    "rbig": {"marginal"},
    "search": {"gf"},
    "info": {"rbig", "rotation"},
    "apps": {"core", "io", "marginal"},
}

# What a folder of apps may include beside itself. The others are rooms of one command each, or of a few: see COMMAND.
ROOMS = {
    "cli": set(),
    "report": set(),
    "fitting": {"cli", "report"},
    "measuring": {"cli", "report"},
}
COMMAND = {"cli", "report", "fitting", "measuring"}

SOURCES = {".hpp", ".cpp", ".inc"}
TEXTS = SOURCES | {".py", ".sh", ".cmake", ".in", ".md", ".txt"}
LONGEST = 400  # lines, of a file in lib or apps

# Spelled in two halves so that this file does not break its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
OWN = re.compile(r"gaussianize/(?:(\w+)/[\w/]+\.(?:hpp|inc)|(?:version|gaussianize)\.hpp)")
DETAIL = re.compile(r"gaussianize/(\w+)/detail/")

# What the library does not do, outside comments and strings.
FORBIDDEN = [
    (re.compile(r"\bstd::(cout|cerr|clog)\b|(?<![\w:])(std::)?(f?printf|puts)\s*\("), "the library never prints"),
    (re.compile(r"\b(std::)?(abort|exit|quick_exit|terminate)\s*\("), "the library never ends the program"),
    (re.compile(r"\barma_rng\b|\barma::rand[nui]\b|\bstd::random_device\b|\bstd::\w+_distribution\b|(?<![\w.>:])(std::)?s?rand\s*\("),
     "random numbers come from RandomStream"),
    (re.compile(r"\bsetlocale\s*\("), "the library never changes the locale"),
]


def read(path):
    return path.read_text(encoding="utf-8")


def files(root, folders, suffixes):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def includes(path):
    """(line, what is included) of every include by quotes."""
    for number, line in enumerate(read(path).splitlines(), 1):
        found = INCLUDE.match(line)
        if found and found.group(1):
            yield number, found.group(1)


def code_only(text):
    """Blanks comments and literals, keeping the lines."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_include(root, module, quoted, angled):
    """What is wrong with one include of a file of `module`, or None."""
    name = quoted or angled
    if name.startswith("boost/program_options"):
        return f"<{name}>: only apps parse command lines"
    own = OWN.fullmatch(name)
    if angled:
        return f"<{name}>: the project's own headers are included by quotes" if name.startswith("gaussianize/") else None
    if not own:
        return f'"{name}": write "gaussianize/<module>/<file>.hpp"'
    target = own.group(1)
    if target is None or target == module:
        pass
    elif target not in RANK:
        return f'"{name}": there is no module {target}'
    elif RANK[target] >= RANK[module]:
        return f'"{name}": {module} may not include {target}'
    if target is not None and not (root / "lib" / name).is_file():
        return f'"{name}": there is no such file'
    return None


def check_includes(root):
    for path in files(root, ["lib/gaussianize"], SOURCES):
        if path.parent == root / "lib/gaussianize":
            continue  # gaussianize.hpp, which test_headers.py checks
        module = path.relative_to(root / "lib/gaussianize").parts[0]
        if module not in RANK:
            yield path, 1, f"{module} is no module: add it to LAYERS in tests/project/check_layout.py"
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            found = INCLUDE.match(line)
            wrong = found and check_include(root, module, *found.groups())
            if wrong:
                yield path, number, wrong


def check_private(root):
    """Detail headers are for their own module, for those that PRIVATE_USERS names, and for no public header."""
    used = set()
    lib = root / "lib/gaussianize"
    for path in files(root, ["lib/gaussianize", "apps"], SOURCES):
        user = path.relative_to(lib).parts[0] if lib in path.parents else "apps"
        public = user != "apps" and path.suffix == ".hpp" and "detail" not in path.relative_to(lib).parts
        for number, name in includes(path):
            found = DETAIL.match(name)
            if not found:
                continue
            owner = found.group(1)
            used.add((user, owner))
            if public:
                yield path, number, f'"{name}": a public header includes no detail header'
            elif owner != user and (user == "apps" or owner not in EVERYBODYS) \
                    and owner not in PRIVATE_USERS.get(user, ()):
                yield path, number, f'"{name}": {user} may not include what is private to {owner}'
    for user, owners in PRIVATE_USERS.items():
        folder = root / "apps" if user == "apps" else lib / user
        for owner in sorted(owners):
            if folder.is_dir() and (lib / owner).is_dir() and (user, owner) not in used:
                yield folder, 1, f"needs nothing private to {owner} any more: take it out of PRIVATE_USERS"


def check_own_headers(root):
    """A source of lib has a header of its name, in its folder, in detail/ or above it."""
    for path in files(root, ["lib/gaussianize"], {".cpp"}):
        header = path.stem + ".hpp"
        if not any((folder / header).is_file() for folder in (path.parent, path.parent / "detail", path.parent.parent)):
            yield path, 1, f"has no header {header}"


def check_rooms(root):
    """A folder of apps includes itself and what ROOMS or COMMAND lets it: never a command, nor another command's room."""
    for path in files(root, ["apps"], SOURCES):
        parts = path.relative_to(root / "apps").parts
        if len(parts) == 1:
            continue
        allowed = ROOMS.get(parts[0], COMMAND) | {parts[0], "gaussianize"}
        for number, name in includes(path):
            room = name.split("/")[0] if "/" in name else "a command"
            if room not in allowed:
                yield path, number, f'"{name}": apps/{parts[0]} may not include {room}'


def check_tests(root):
    for path in files(root, ["tests"], SOURCES):
        for number, line in enumerate(code_only(read(path)).splitlines(), 1):
            if re.search(r"\bApprox\s*\(", line):
                yield path, number, "Approx allows e(1 + |x|): state a relative_error or an absolute_error"
            if re.search(r"\bdoctest::skip\b", line):
                yield path, number, "CTest does not see doctest's skip: return skipped(\"why\")"


def check_forbidden(root):
    for path in files(root, ["lib/gaussianize"], SOURCES):
        for number, line in enumerate(code_only(read(path)).splitlines(), 1):
            for pattern, why in FORBIDDEN:
                found = pattern.search(line)
                if found:
                    yield path, number, f"{found.group().strip()}: {why}"
    for path in files(root, ["lib", "apps", "tests"], {".txt", ".cmake"}):
        for number, line in enumerate(read(path).splitlines(), 1):
            if re.search(r"-f(fast|associative|finite-only|unsafe)\S*-?math|-Ofast", line.split("#")[0]):
                yield path, number, "no flag may change what the arithmetic means"


def check_length(root):
    for path in files(root, ["lib", "apps"], SOURCES | {".cmake", ".sh"}):
        count = len(read(path).splitlines())
        if count > LONGEST:
            yield path, count, f"{count} lines, more than {LONGEST}: split it"


def check_sources_named(root):
    """Every .cpp is named by the CMakeLists.txt of its folder or of one above."""
    for path in files(root, ["lib", "apps", "tests"], {".cpp"}):
        folder, named = path.parent, False
        while not named and folder != root.parent:
            lists = folder / "CMakeLists.txt"
            if lists.is_file():
                words = re.findall(r"[^\s()\"]+", re.sub(r"#.*", "", read(lists)))
                named = path.relative_to(folder).as_posix() in words
            folder = folder.parent
        if not named:
            yield path, 1, "no CMakeLists.txt names it"


def check_unfinished(root):
    for path in files(root, ["lib", "apps", "tests", "docs"], TEXTS):
        for number, line in enumerate(read(path).splitlines(), 1):
            found = UNFINISHED.search(line)
            if found:
                yield path, number, f"{found.group()}: finish it or leave it out"


def check_packages(root):
    """apps/packages.txt: blank lines, comments and one package name a line, none twice, each under its purpose."""
    path = root / "apps/packages.txt"
    seen, purpose = set(), False
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.startswith("#"):
            purpose = True
        elif not line:
            purpose = False
        else:
            # Debian policy 5.6.1: lower case letters, digits, + - . and at least two of them.
            if not re.fullmatch(r"[a-z0-9][a-z0-9+.-]+", line):
                yield path, number, f"'{line}' is no package name"
            if line in seen:
                yield path, number, f"{line} is listed twice"
            if not purpose:
                yield path, number, f"no comment says what {line} is for"
            seen.add(line)
    if not seen:
        yield path, 1, "lists no package"


CHECKS = [check_includes, check_private, check_own_headers, check_rooms, check_tests, check_forbidden, check_length,
          check_sources_named, check_unfinished, check_packages]


def violations(root):
    """Every violation under `root`, as text."""
    return [f"{path.relative_to(root)}:{number}: {what}" for check in CHECKS for path, number, what in check(root)]


def main():
    found = violations(Path(sys.argv[1]).resolve())
    print("\n".join(found) if found else "the layout is as it should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
