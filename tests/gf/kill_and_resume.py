"""Kills a training process with SIGKILL at many random moments, resumes it each time, and compares the final model, byte
by byte, with that of an uninterrupted run."""

import pathlib
import random
import subprocess
import sys
import tempfile
import time

KILLS = 24


def main() -> int:
    program = sys.argv[1]
    moments = random.Random(7)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = folder / "whole.safetensors"
        started = time.monotonic()
        subprocess.run([program, folder / "unused.checkpoint", whole], check=True)
        duration = time.monotonic() - started

        checkpoint, model = folder / "checkpoint", folder / "model.safetensors"
        kills = during_a_save = finished = 0
        while kills < KILLS:
            process = subprocess.Popen([program, checkpoint, model])
            try:
                # Mostly soon, so that one run is killed many times before it is done.
                process.wait(timeout=moments.uniform(0, 2 * duration / KILLS))
                finished += 1
                if process.returncode != 0:
                    print(f"a resumed run failed with {process.returncode} after {kills} kills")
                    return 1
                if model.read_bytes() != whole.read_bytes():
                    print(f"the model differs after {kills} kills")
                    return 1
                checkpoint.unlink(missing_ok=True)
                model.unlink()
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                kills += 1
                # A save that was cut short leaves its temporary file behind, and the checkpoint before it intact.
                left_over = [p for p in folder.iterdir() if p.name not in
                             {"checkpoint", "model.safetensors", "whole.safetensors", "unused.checkpoint"}]
                during_a_save += bool(left_over)
                for path in left_over:
                    path.unlink()
        subprocess.run([program, checkpoint, model], check=True)
        if model.read_bytes() != whole.read_bytes():
            print(f"the model differs after {kills} kills")
            return 1
        print(f"{kills} kills, {during_a_save} of them during a save, {finished + 1} finished runs: every model identical")
    return 0


if __name__ == "__main__":
    sys.exit(main())
