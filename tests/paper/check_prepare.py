"""Checks the preparation of the paper's data sets against NumPy: check_prepare.py PREPARE_RAW.

Writes small raw files in the publishers' formats, has them prepared by our code, and does the same steps in NumPy.
Exit code 77 (skipped) where NumPy is not installed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

PROGRAM = sys.argv[1]


def prepared(*arguments):
    """The three parts that our code makes."""
    lines = iter(subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True, text=True).stdout.splitlines())
    parts = []
    for line in lines:
        _, rows, columns = line.split()
        cells = [[float.fromhex(cell) for cell in next(lines).split()] for _ in range(int(rows))]
        parts.append(np.array(cells).reshape(int(rows), int(columns)))
    return parts


def tail_split(x):
    test = int(0.1 * len(x))
    x, test_part = x[:-test], x[-test:]
    validation = int(0.1 * len(x))
    return x[:-validation], x[-validation:], test_part


def standardised(parts):
    both = np.vstack(parts[:2])
    return [(part - both.mean(axis=0)) / both.std(axis=0) for part in parts]


def piled(x):
    """Whether the smallest value of each column occurs more than five times."""
    return np.array([(column == column.min()).sum() > 5 for column in x.T])


def compare(name, ours, theirs):
    for part, a, b in zip(("train", "validation", "test"), ours, theirs):
        b = b.astype(np.float32).astype(float)
        assert a.shape == b.shape, f"{name} {part}: {a.shape}, NumPy has {b.shape}"
        # The sums behind mean and spread are taken in another order: a value may round to the next float.
        assert np.all(np.abs(a - b) <= 1.3e-7 * np.abs(b) + 1e-14), f"{name} {part}: {np.abs(a - b).max()} apart"
        assert np.mean(a == b) > 0.99, f"{name} {part}: {np.mean(a != b):.3%} differ"
    print(f"{name}: {' / '.join(str(len(part)) for part in ours)} × {ours[0].shape[1]} as NumPy has them")


def check_generator():
    for seed, n in ((42, 1000), (7, 1), (123456789, 4097)):
        out = subprocess.run([PROGRAM, "numpy", str(seed), str(n)], check=True, capture_output=True, text=True).stdout
        order, draws = out.splitlines()
        random = np.random.RandomState(seed)
        rows = np.arange(n)
        random.shuffle(rows)
        assert list(map(int, order.split())) == rows.tolist(), f"shuffle of {n} by {seed}"
        assert [float.fromhex(u) for u in draws.split()] == random.rand(5).tolist(), f"rand after a shuffle by {seed}"
    print("RandomState: the same bits")


def check_power(folder, random):
    n = 1500
    raw = np.column_stack([random.randint(80, 9000, n) / 1000, random.randint(0, 1000, n) / 1000,
                           random.randint(22300, 25400, n) / 100, random.randint(2, 400, n) / 10,
                           random.randint(0, 80, (n, 3)), np.arange(n) * 7 % 1440])
    with open(folder / "power.txt", "w") as out:
        out.write("Date;Time;Global_active_power;Global_reactive_power;Voltage;Global_intensity;"
                  "Sub_metering_1;Sub_metering_2;Sub_metering_3\r\n")
        for i, row in enumerate(raw):
            time = f"{int(row[7]) // 60:02}:{int(row[7]) % 60:02}:00"
            out.write(f"16/12/2006;{time};" + ";".join(f"{v:.3f}" for v in row[:7]) + "\r\n")
            if i % 100 == 3:
                out.write(f"16/12/2006;{time};?;?;?;?;?;?;\r\n")
    state = np.random.RandomState(42)
    x = raw.copy()
    state.shuffle(x)
    x = np.delete(np.delete(x, 3, axis=1), 1, axis=1)
    voltage = 0.01 * state.rand(n, 1)
    active = 0.001 * state.rand(n, 1)
    meters = state.rand(n, 3)
    x = x + np.hstack([active, voltage, meters, np.zeros((n, 1))])
    compare("power", prepared("power", folder / "power.txt"), standardised(tail_split(x)))


def check_miniboone(folder, random):
    signal, background = 400, 150
    raw = random.normal(size=(signal + background, 50)).round(6)
    raw[:signal:97, 0] = -999
    raw[:signal, 7] = np.maximum(raw[:signal, 7], -1)     # piled up at its smallest value: goes
    raw[:signal, 9] = np.minimum(raw[:signal, 9], 1)      # piled up at its largest: stays
    raw[signal:, 20] = -5                                 # piled up in the background alone: stays
    with open(folder / "miniboone.txt", "w") as out:
        out.write(f" {signal}  {background}\n")
        for row in raw:
            out.write("  " + "  ".join(f"{v:.6E}" for v in row) + "\n")
    x = np.array([[float(f"{v:.6E}") for v in row] for row in raw[:signal]])
    x = x[x[:, 0] >= -100]
    x = x[:, ~piled(x)]
    assert x.shape[1] == 49
    compare("miniboone", prepared("miniboone", folder / "miniboone.txt"), standardised(tail_split(x)))


def check_gas(folder, random):
    n = 500
    base = random.normal(size=(n, 16))
    base[:, 3] = base[:, 1] + 0.01 * base[:, 3]
    base[:, 5] = base[:, 1] + 0.01 * base[:, 5]
    base[:, 9] = -base[:, 2]                              # correlated, but below zero: both stay
    raw = np.column_stack([np.arange(n) / 100, random.rand(n, 2), base]).round(5)
    with open(folder / "gas.txt", "w") as out:
        out.write("Time (seconds), CO conc (ppm), Ethylene conc (ppm), sensor readings (16 channels)\n")
        for row in raw:
            out.write(" ".join(f"{v:.5f}" for v in row) + " \n")
    x = raw[:, 3:]
    while True:
        twins = (np.corrcoef(x.T) > 0.98).sum(axis=1) > 1
        if not twins.any():
            break
        x = np.delete(x, np.where(twins)[0][0], axis=1)
    assert x.shape[1] == 14
    x = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    compare("gas", prepared("gas", folder / "gas.txt"), tail_split(x))


def check_hepmass(folder, random):
    def write(path, x, names):
        with open(path, "w") as out:
            out.write(",".join(names) + "\n")
            for row in x:
                out.write(",".join(f"{v:.18e}" for v in row) + "\n")

    names = ["# label"] + [f"f{i}" for i in range(27)]
    train, test = (np.column_stack([random.randint(0, 2, n), random.normal(size=(n, 27))]) for n in (600, 200))
    train[:, 5] = np.maximum(train[:, 5], -0.5)
    train[:, 11] = random.randint(0, 3, 600)
    write(folder / "train.csv", train, names)
    write(folder / "test.csv", np.column_stack([test, np.full(200, 1000)]), names + ["mass"])
    x, y = (part[part[:, 0] == 1, 1:] for part in (train, test))
    mean, spread = x.mean(axis=0), x.std(axis=0, ddof=1)
    x, y = (x - mean) / spread, (y - mean) / spread
    kept = ~piled(x)
    assert kept.sum() == 25
    x, y = x[:, kept], y[:, kept]
    validation = int(0.1 * len(x))
    compare("hepmass", prepared("hepmass", folder / "train.csv", folder / "test.csv"), (x[:-validation], x[-validation:], y))


def main():
    random = np.random.RandomState(1)
    check_generator()
    with tempfile.TemporaryDirectory() as name:
        for check in (check_power, check_miniboone, check_gas, check_hepmass):
            check(Path(name), random)
    return 0


if __name__ == "__main__":
    sys.exit(main())
