"""Tables through NumPy's eyes: check_table_files.py TOOL. Arrays that NumPy writes are read and written again by TOOL,
as NPY and as CSV, and must come back equal to the last bit. Status 77, "skipped", where NumPy is not installed."""

import gzip
import io
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("[skipped] NumPy is not installed")
    sys.exit(77)


def convert(source, target, *columns):
    return subprocess.run([sys.argv[1], source, target, *columns], capture_output=True, text=True)


def same(array, expected):
    return array.dtype == np.float64 and array.shape == expected.shape and array.tobytes() == expected.tobytes()


def arrays():
    random = np.random.default_rng(1)
    whole = random.integers(0, 100, size=(7, 3))
    for code in ["f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]:
        for byte_order in "<>":
            for order in "CF":
                yield np.array(whole, dtype=byte_order + code, order=order)
    yield random.integers(0, 2, size=(5, 2)).astype(bool)
    yield random.normal(size=11)
    yield np.asfortranarray(random.normal(size=(4, 3, 2)))
    yield random.normal(size=(4, 3, 2))
    bits = random.integers(0, 2**64, size=(500, 4), dtype=np.uint64).view(np.float64)
    yield np.where(np.isfinite(bits), bits, -0.0)


def check_arrays(folder):
    count = 0
    for array in arrays():
        expected = np.ascontiguousarray(array.reshape(array.shape[0], -1).astype(np.float64))
        source = os.path.join(folder, "in.npy")
        for version in [(1, 0), (2, 0), (3, 0)]:
            with open(source, "wb") as file:
                np.lib.format.write_array(file, array, version=version)
            for target in ["out.npy", "out.csv", "out.tsv.gz", "out.npy.gz"]:
                path = os.path.join(folder, target)
                done = convert(source, path)
                assert done.returncode == 0, done.stderr
                opener = gzip.open if target.endswith("gz") else open
                with opener(path, "rb") as file:
                    content = file.read()
                if ".npy" in target:
                    back = np.ascontiguousarray(np.load(io.BytesIO(content), allow_pickle=False))
                else:
                    separator = "," if ".csv" in target else "\t"
                    lines = content.decode("ascii").splitlines()
                    back = np.array([[float(cell) for cell in line.split(separator)] for line in lines])
                assert same(back, expected), (array.dtype, array.shape, version, target)
                count += 1
    return count


def check_refusals(folder):
    source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "never.npy")
    bad = [np.array([1, "a"], dtype=object), np.array([1 + 2j]), np.array(["a"]), np.array(1.0), np.zeros((0, 3)),
           np.zeros(3, dtype=[("a", "f8")]), np.array([2**53 + 1]), np.array([1.0, np.nan]), np.array([1], dtype="f2"),
           np.array(["2020-01-01"], dtype="M8[D]")]
    for array in bad:
        np.save(source, array, allow_pickle=True)
        done = convert(source, target)
        assert done.returncode == 1 and done.stderr.startswith(source + ": "), (array.dtype, done)
        assert not os.path.exists(target)
    return len(bad)


def check_selection(folder):
    source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
    array = np.arange(12.0).reshape(3, 4)
    np.save(source, array)
    assert convert(source, target, "3,0-1").returncode == 0
    assert np.load(target).tolist() == array[:, [3, 0, 1]].tolist()


def main():
    with tempfile.TemporaryDirectory() as folder:
        print(check_arrays(folder), "conversions equal,", check_refusals(folder), "refusals")
        check_selection(folder)


main()
