"""Fits that are cut short, by signals and by disks: test_interrupted_fits.py PROGRAM [KILLS].

Whatever happens, the files that were there before are intact, and --resume leads to the model that an uninterrupted fit
writes, byte by byte."""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "apps"))
from program import PROGRAM, ProgramTest, main  # noqa: E402

KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
FIT = ["fit", "data.csv", "--model", "gf", "--layers", "4", "--anchors", "20", "--batch", "100", "--epochs", "30",
       "--seed", "5", "--threads", "1"]
OFTEN = ["--checkpoint-seconds", "0.001"]
OWN_MOUNTS = "GAUSSIANIZE_TEST_OWN_MOUNTS"


def with_mounts_of_its_own():
    """Root starts the test again where its mounts are seen by nobody else and end with it, if the system lets it."""
    if os.geteuid() == 0 and OWN_MOUNTS not in os.environ and shutil.which("unshare"):
        if subprocess.run(["unshare", "--mount", "true"], stderr=subprocess.DEVNULL).returncode == 0:
            os.environ[OWN_MOUNTS] = "1"
            os.execvp("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv])


class InterruptedFits(ProgramTest):
    def setUp(self):
        super().setUp()
        self.generate("two-spirals", 1000)
        self.out(*FIT, "-o", "whole")
        self.whole = self.read("whole")
        # An earlier model under the name of the next.
        self.fit("data.csv", "earlier", "gaussian")
        self.earlier = self.read("earlier")
        shutil.copy(self.path("earlier"), self.path("m"))

    def start(self, *arguments, **options):
        return subprocess.Popen([PROGRAM, *FIT, "-o", "m", *arguments], cwd=self.folder, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def stop(self, number):
        """Sends the signal to a fit that has written a checkpoint; returns what it said. On a busy machine the fit may be
        over before the test is given its turn: it is then begun again."""
        for _ in range(30):
            process = self.start(*OFTEN)
            while process.poll() is None and not os.path.exists(self.path("m.checkpoint")):
                time.sleep(0.001)
            process.send_signal(number)
            out, words = process.communicate(timeout=1000)
            if process.returncode != 0:
                self.assertEqual((process.returncode, out), (130, ""), words)
                return words
            shutil.copy(self.path("earlier"), self.path("m"))
        self.fail("every fit was over before it could be interrupted")

    def temporary_files(self):
        return [name for name in os.listdir(self.folder) if name.startswith(".gaussianize-")]

    def check_resumed(self):
        done = self.run_program(*FIT, "-o", "m", "--resume")
        self.assertIn("continuing from m.checkpoint", done.stderr)
        self.assertEqual(self.read("m"), self.whole)
        self.assertFalse(os.path.exists(self.path("m.checkpoint")))

    def checkpoint_identity(self):
        """Another for every checkpoint that is written, None where there is none."""
        try:
            status = os.stat(self.path("m.checkpoint"))
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def wait_for_saves(self, process, saves):
        """Until the fit has written so many checkpoints, or is over."""
        seen = self.checkpoint_identity()
        while saves > 0 and process.poll() is None:
            identity = self.checkpoint_identity()
            if identity not in (None, seen):
                seen = identity
                saves -= 1

    def test_killed_at_random_moments(self):
        """Moments are chosen by the clock, from the start of the program on, by the fit's own progress, and by the sight
        of a save under way, in turn: on a machine of any speed some kills find a checkpoint, and some half of one."""
        started = time.monotonic()
        self.run_program(*FIT, "-o", "timed", *OFTEN)
        duration = time.monotonic() - started
        moments = random.Random(11)
        kills = with_checkpoint = during_a_save = finished = 0
        while kills < KILLS:
            process = self.start("--resume", *OFTEN)
            if kills % 3 == 0:
                time.sleep(moments.uniform(0, duration / 2))
            else:
                self.wait_for_saves(process, moments.randint(1, 8))
                if kills % 3 == 2:
                    while process.poll() is None and not self.temporary_files():
                        pass
                else:
                    time.sleep(moments.uniform(0, 0.001))
            process.kill()
            _, words = process.communicate()
            if process.returncode != -signal.SIGKILL:  # it was over just before
                self.assertEqual(process.returncode, 0, words)
                self.assertEqual(self.read("m"), self.whole, f"after {kills} kills")
                self.assertFalse(os.path.exists(self.path("m.checkpoint")))
                shutil.copy(self.path("earlier"), self.path("m"))
                finished += 1
                self.assertLess(finished, 20 * KILLS, "nearly every fit was over before it could be killed")
                continue
            kills += 1
            self.assertIn(self.read("m"), (self.earlier, self.whole))
            if os.path.exists(self.path("m.checkpoint")):
                with_checkpoint += 1
                self.assertEqual(self.json("inspect", "m.checkpoint")["kind"], "checkpoint")
            left = self.temporary_files()
            during_a_save += bool(left)
            for name in left:
                os.remove(self.path(name))
        self.run_program(*FIT, "-o", "m", "--resume")
        self.assertEqual(self.read("m"), self.whole)
        print(f"\n{kills} kills by SIGKILL, {with_checkpoint} with a checkpoint, {during_a_save} during a save; "
              f"{finished + 1} resumed fits finished, every model identical")
        self.assertGreater(with_checkpoint, 0)

    def test_asked_to_stop(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            words = self.stop(number)
            self.assertIn("interrupted; the checkpoint is m.checkpoint: the same command with --resume continues from it",
                          words)
            self.assertEqual(self.read("m"), self.earlier)
            self.assertEqual(self.temporary_files(), [])
            self.check_resumed()
            shutil.copy(self.path("earlier"), self.path("m"))

    def make_checkpoint(self):
        self.stop(signal.SIGINT)
        return self.read("m.checkpoint")

    def check_unharmed(self, checkpoint, process, *reasons):
        out, words = process.communicate(timeout=1000)
        self.assertEqual(process.returncode, 4, words)
        self.assertEqual(out, "")
        for reason in reasons:
            self.assertIn(reason, words)
        self.assertEqual(self.read("m"), self.earlier)
        self.assertEqual(self.read("m.checkpoint"), checkpoint)
        self.assertEqual(self.temporary_files(), [])

    def test_files_that_may_not_grow(self):
        checkpoint = self.make_checkpoint()
        limit = len(checkpoint) // 2
        process = self.start("--resume", *OFTEN,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.check_unharmed(checkpoint, process, "m.checkpoint: cannot be written: File too large")
        self.check_resumed()

    def move_to_mount(self, *command):
        """The test's folder on a file system of its own."""
        if OWN_MOUNTS not in os.environ:
            self.skipTest("takes root and mounts")
        kept = {name: self.read(name) for name in os.listdir(self.folder)}
        if subprocess.run([*command, self.folder], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("takes root and mounts")
        self.addCleanup(subprocess.run, ["umount", self.folder], check=True)
        for name, content in kept.items():
            with open(self.path(name), "wb") as file:
                file.write(content)

    def test_a_full_disk(self):
        self.move_to_mount("mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs")
        checkpoint = self.make_checkpoint()
        with open(self.path("filler"), "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
            file.truncate(os.path.getsize(file.name) - 8192)  # room for a part
        self.check_unharmed(checkpoint, self.start("--resume", *OFTEN), "m.checkpoint: ",
                            "No space left on device")
        os.remove(self.path("filler"))
        self.check_resumed()

    def test_a_full_disk_at_the_end(self):
        """The model cannot be written: the checkpoint stays, and with room the fit is finished from it."""
        checkpoint = self.make_checkpoint()
        limit = len(self.whole) // 2
        process = self.start("--resume", "--checkpoint-seconds", "1e9",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        _, words = process.communicate(timeout=1000)
        self.assertEqual(process.returncode, 4, words)
        self.assertIn("m: cannot be written: File too large", words)
        self.assertEqual((self.read("m"), self.read("m.checkpoint")), (self.earlier, checkpoint))
        self.check_resumed()

    def test_a_read_only_folder(self):
        if os.geteuid() == 0:
            self.move_to_mount("mount", "-t", "tmpfs", "tmpfs")
            checkpoint = self.make_checkpoint()
            subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
            self.check_unharmed(checkpoint, self.start("--resume", *OFTEN), "its folder may not be written to")
            subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
        else:
            checkpoint = self.make_checkpoint()
            os.chmod(self.folder, 0o555)
            self.addCleanup(os.chmod, self.folder, 0o755)
            self.check_unharmed(checkpoint, self.start("--resume", *OFTEN), "its folder may not be written to")
            os.chmod(self.folder, 0o755)
        self.check_resumed()


if __name__ == "__main__":
    with_mounts_of_its_own()
    main()
