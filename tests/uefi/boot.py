#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Boot the firmware image in QEMU, in one situation, and hold what it says against what it must say.

boot.py FIRMWARE_RUN ARCH IMAGE SCHEMA TICKFLOOR SITUATION

TICKFLOOR is the command, "" where it cannot run here.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

COLUMNS = 79
PARTITION = "@@1M"
UEFI = {"amd64": "/usr/share/OVMF/OVMF_CODE_4M.fd", "arm64": "/usr/share/AAVMF/AAVMF_CODE.fd"}
QEMU = {"amd64": "qemu-system-x86_64", "arm64": "qemu-system-aarch64"}
U_BOOT = "/usr/lib/u-boot/qemu_arm64/u-boot.bin"
PACKAGES = {"amd64": "qemu-system-x86 ovmf", "arm64": "qemu-system-arm qemu-efi-aarch64"}


def skip(reason):
    print("skipped: " + reason, file=sys.stderr)
    sys.exit(77)


def fail(reason):
    sys.exit(reason)


class Boot:
    """One run of firmware-run: its status, its text, the profile it saved."""

    def __init__(self, test, *options, config="then = poweroff\n", image=None, saves=True):
        profile = os.path.join(test.folder, "profile.json")
        settings = os.path.join(test.folder, "tickfloor.cfg")
        with open(settings, "wb") as file:
            file.write(config if isinstance(config, bytes) else config.encode())
        saving = ["--json", profile] if saves else []
        run = subprocess.run(
            [test.firmware_run, test.arch, "--image", image or test.image, *saving,
             "--config", settings, *options],
            stdout=subprocess.PIPE, universal_newlines=True, check=False)
        self.status, self.text, self.path = run.returncode, run.stdout, profile
        self.profile = None
        if os.path.exists(profile):
            with open(profile, encoding="utf-8") as file:
                self.profile = json.load(file)

    def must_say(self, *texts):
        for text in texts:
            if text not in self.text:
                fail(f"does not say '{text}':\n{self.text}")

    def must_end_with(self, status):
        if self.status != status:
            fail(f"ended with {self.status}, not {status}:\n{self.text}")


class Test:
    def __init__(self, folder, firmware_run, arch, image, schema, tickfloor):
        self.folder, self.firmware_run, self.arch, self.image = folder, firmware_run, arch, image
        self.tickfloor = tickfloor
        with open(schema, encoding="utf-8") as file:
            self.schema = json.load(file)

    def check_profile(self, boot, cpus=1):
        """What holds in every situation that ends with a profile."""
        boot.must_end_with(0)
        profile = boot.profile
        if profile is None:
            fail(f"no profile:\n{boot.text}")
        for error in jsonschema.Draft202012Validator(self.schema).iter_errors(profile):
            fail(f"the profile is not as its schema says: {error.json_path}: {error.message}")
        machine = profile["machine"]
        wanted = {"os": "uefi", "arch": self.arch, "emulated": True, "emulator": "QEMU TCG", "cpus": cpus}
        for key, value in wanted.items():
            if machine[key] != value:
                fail(f"machine.{key} is {machine[key]}, not {value}")
        if len(profile["cpus"]) != cpus:
            fail(f"{len(profile['cpus'])} processors are measured, not {cpus}")
        if not all(cpu["pinned"] for cpu in profile["cpus"]):
            fail("a processor is called unbound")
        if profile["readiness"][0]["code"] != "gaps-masked":
            fail("the gaps are not among the checks")
        if not re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$", profile["created"]):
            fail(f"created is '{profile['created']}'")
        boot.must_say("machine ", "EMULATED by QEMU TCG", "counter ", "CPU 0 ", "empty loop", "loops ",
                      "costs ", "gaps ", "suspect ", "tickfloor: exit 0")
        wide = [line for line in boot.text.splitlines() if len(line) > COLUMNS]
        if wide:
            fail(f"wider than {COLUMNS} columns: {wide[0]}")
        if self.tickfloor:
            shown = subprocess.run([self.tickfloor, "show", boot.path], stdout=subprocess.PIPE,
                                   universal_newlines=True, check=False)
            if shown.returncode != 0 or "uefi UEFI " not in shown.stdout:
                fail(f"tickfloor show ends with {shown.returncode}:\n{shown.stdout}")


def plain(test):
    boot = Boot(test)
    test.check_profile(boot)
    boot.must_say("saved as tickfloor.json")
    check_clock(boot, {"amd64": "ACPI PM timer", "arm64": "rtc"}[test.arch])


def check_clock(boot, clock):
    """The rate is held against that clock; unless the machine is too busy for the edges of the real-time clock."""
    rates = [rate["name"] for rate in boot.profile["counter"]["hz_sources"]]
    blurred = clock == "rtc" and any("could not be seen sharply" in warning["text"] for warning in boot.profile["warnings"])
    if not blurred and not {clock + " window 1", clock + " window 2"} <= set(rates):
        fail(f"the rate is not held against {clock}, but {rates}")


def processors(test):
    """The others are measured where the firmware can start them: ArmVirt cannot."""
    boot = Boot(test, "--cpus", "2")
    test.check_profile(boot, cpus=2 if test.arch == "amd64" else 1)


def boot_cpu_only(test):
    boot = Boot(test, "--cpus", "2", config="cpus = boot\nseconds = 2\nthen = exit\n")
    boot.must_end_with(0)
    if len(boot.profile["cpus"]) != 1:
        fail("cpus = boot measured others")
    boot.must_say("interrupts masked for 2")


def u_boot(test):
    """What boots an Apple Silicon Mac to UEFI: it masks no interrupts by level, and starts no other processor."""
    if not os.path.exists(U_BOOT):
        skip(f"needs {U_BOOT}: install u-boot-qemu")
    boot = Boot(test, "--bios", U_BOOT, "--cpus", "2")
    test.check_profile(boot)
    boot.must_say("Das U-Boot", "saved as tickfloor.json")
    check_clock(boot, "rtc")


def no_volume(test):
    boot = Boot(test, "--network")
    test.check_profile(boot)
    boot.must_say("the image was started from no volume: the profile is not saved")


def read_only(test):
    boot = Boot(test, "--read-only")
    test.check_profile(boot)
    boot.must_say("the volume is read-only: the profile is not saved")


def full(test):
    image = os.path.join(test.folder, "full.img")
    shutil.copy(test.image, image)
    environment = dict(os.environ, MTOOLS_SKIP_CHECK="1")
    listing = subprocess.run(["mdir", "-i", image + PARTITION, "::"], env=environment, check=True,
                             stdout=subprocess.PIPE, universal_newlines=True).stdout
    free = int(re.sub(r"\D", "", re.search(r"([\d ,]+) bytes free", listing)[1]))
    filler = os.path.join(test.folder, "filler")
    with open(filler, "wb") as file:
        file.write(bytes(free - 2048))  # room for the settings, none for a profile
    subprocess.run(["mcopy", "-i", image + PARTITION, filler, "::/filler"], env=environment, check=True)
    boot = Boot(test, image=image)
    test.check_profile(boot)
    boot.must_say("the volume is full: the profile is not saved")


def nonsense(test):
    boot = Boot(test, config=b"then = poweroff\n\xff\xfe\x00cpus = seven\n= =\n")
    boot.must_end_with(2)
    boot.must_say("tickfloor: tickfloor.cfg:2: ", " is no setting; ")
    if boot.profile is not None:
        fail("nonsense is measured all the same")


def no_clock(test):
    boot = Boot(test, config="clock = none\nthen = poweroff\n")
    test.check_profile(boot)
    if test.arch == "arm64":
        boot.must_say("declared, not verified")
    else:  # the TSC of QEMU's CPU declares no rate
        boot.must_say("of unknown rate", "cycle unknown ns", "unknown in ns: below ", " % of the time lost")
        if boot.profile["suspect_below_ns"] is not None or boot.profile["cpus"][0]["floor"]["cycles"] is None:
            fail("without a rate times are unknown, and cycles are known")
    if boot.profile["counter"]["trust"] != "declared":
        fail(f"the rate is called {boot.profile['counter']['trust']}")


def other_clock(test):
    clock = {"amd64": "HPET", "arm64": "rtc"}[test.arch]
    boot = Boot(test, config=f"clock = {clock.lower()}\nthen = reboot\n")
    test.check_profile(boot)
    check_clock(boot, clock)


def unit_tests(test):
    """Another image: it runs the tests of core/measure."""
    boot = Boot(test, saves=False)
    boot.must_end_with(0)
    for group in ("stats", "gaps", "counter", "floor"):
        if not re.search(rf"^{group}: [1-9][0-9]* passed, 0 failed, ", boot.text, re.MULTILINE):
            fail(f"{group}: not all of its tests passed:\n{boot.text}")
    print(boot.text)


SITUATIONS = {test.__name__: test for test in (
    plain, u_boot, processors, boot_cpu_only, no_volume, read_only, full, nonsense, no_clock, other_clock,
    unit_tests)}

if __name__ == "__main__":
    firmware_run, arch, image, schema, tickfloor, situation = sys.argv[1:]
    if not shutil.which(QEMU[arch]) or not os.path.exists(UEFI[arch]):
        skip(f"needs {QEMU[arch]} and {UEFI[arch]}: install {PACKAGES[arch]}")
    try:
        import jsonschema
    except ImportError:
        skip("no python3-jsonschema here")
    with tempfile.TemporaryDirectory() as folder:
        SITUATIONS[situation](Test(folder, firmware_run, arch, image, schema, tickfloor))
