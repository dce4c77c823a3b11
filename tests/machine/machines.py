# SPDX-License-Identifier: MIT
"""Machines that are not here, as the files below /proc and /sys that tell of them.

Each is written down from public documentation: what the vendor says of the CPU, what the kernel's documentation says of
the files. No file of any machine was copied. A machine is {path: text}; write() makes a folder of it.
"""
import pathlib

CPU = "sys/devices/system/cpu"
PMU = "sys/bus/event_source/devices"


def cpulist(cpus):
    """[0, 1, 2, 5] as "0-2,5"."""
    spans = []
    for cpu in sorted(cpus):
        if spans and spans[-1][1] == cpu - 1:
            spans[-1][1] = cpu
        else:
            spans.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in spans)


def cpumask(cpus):
    """The same as the kernel prints a mask: words of 32 bits, the highest first."""
    mask = sum(1 << cpu for cpu in cpus)
    words = []
    while mask or not words:
        words.insert(0, f"{mask & 0xffffffff:08x}")
        mask >>= 32
    return ",".join(words)


def topology(cores, packages=None):
    """cores: for each core its CPUs; packages: for each package its cores' indices (one package without)."""
    files = {}
    everyone = [cpu for core in cores for cpu in core]
    packages = packages or [range(len(cores))]
    for number, members in enumerate(packages):
        siblings = [cpu for index in members for cpu in cores[index]]
        for index in members:
            for cpu in cores[index]:
                folder = f"{CPU}/cpu{cpu}/topology"
                files |= {
                    f"{folder}/physical_package_id": str(number),
                    f"{folder}/core_id": str(index),
                    f"{folder}/core_cpus": cpumask(cores[index]),
                    f"{folder}/core_cpus_list": cpulist(cores[index]),
                    f"{folder}/thread_siblings": cpumask(cores[index]),
                    f"{folder}/thread_siblings_list": cpulist(cores[index]),
                    f"{folder}/package_cpus": cpumask(siblings),
                    f"{folder}/core_siblings": cpumask(siblings),
                }
    for name in ("online", "possible", "present"):
        files[f"{CPU}/{name}"] = cpulist(everyone)
    files[f"{CPU}/isolated"] = ""
    return files


def x86_cpuinfo(cpus, vendor, family, model, name, stepping, microcode, flags):
    return {"proc/cpuinfo": "\n".join(
        f"processor\t: {cpu}\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n"
        f"model name\t: {name}\nstepping\t: {stepping}\nmicrocode\t: {microcode}\nflags\t\t: {flags}\n"
        for cpu in cpus)}


def arm_cpuinfo(midrs):
    """midrs: for each CPU its MIDR_EL1, also below its folder as Linux has it since 4.7."""
    files = {"proc/cpuinfo": "\n".join(
        f"processor\t: {cpu}\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd evtstrm aes crc32 atomics cpuid\n"
        f"CPU implementer\t: {midr >> 24:#x}\nCPU architecture: 8\nCPU variant\t: {midr >> 20 & 15:#x}\n"
        f"CPU part\t: {midr >> 4 & 0xfff:#x}\nCPU revision\t: {midr & 15}\n"
        for cpu, midr in enumerate(midrs))}
    for cpu, midr in enumerate(midrs):
        files[f"{CPU}/cpu{cpu}/regs/identification/midr_el1"] = f"{midr:#018x}"
    return files


def pmu(name, kind, cpus=None):
    files = {f"{PMU}/{name}/type": str(kind)}
    if cpus is not None:
        files[f"{PMU}/{name}/cpus"] = cpulist(cpus)
    return files


def cpufreq(cpus, driver, governor, lowest_mhz, highest_mhz, base_mhz=None, epp=None):
    files = {}
    for cpu in cpus:
        folder = f"{CPU}/cpu{cpu}/cpufreq"
        files |= {
            f"{folder}/scaling_driver": driver,
            f"{folder}/scaling_governor": governor,
            f"{folder}/scaling_min_freq": str(lowest_mhz * 1000),
            f"{folder}/scaling_max_freq": str(highest_mhz * 1000),
            f"{folder}/cpuinfo_min_freq": str(lowest_mhz * 1000),
            f"{folder}/cpuinfo_max_freq": str(highest_mhz * 1000),
        }
        if base_mhz:
            files[f"{folder}/base_frequency"] = str(base_mhz * 1000)
        if epp:
            files[f"{folder}/energy_performance_preference"] = epp
    return files


def kernel(release, arch, paranoid=2):
    return {
        "proc/sys/kernel/osrelease": release,
        "proc/sys/kernel/arch": arch,
        "proc/version": f"Linux version {release} (build@host) #1 SMP",
        "proc/sys/kernel/perf_event_paranoid": str(paranoid),
        "proc/sys/kernel/randomize_va_space": "2",
        "proc/loadavg": "0.02 0.05 0.01 1/210 4321",
        "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0",
    }


def process(cpus, seccomp=0):
    """/proc/self/status, as far as it is read."""
    return {"proc/self/status": f"Name:\ttickfloor\nSeccomp:\t{seccomp}\nSeccomp_filters:\t{seccomp // 2}\n"
                                f"Cpus_allowed:\t{cpumask(cpus)}\nCpus_allowed_list:\t{cpulist(cpus)}\n"}


def clocksource(current, *others):
    folder = "sys/devices/system/clocksource/clocksource0"
    return {f"{folder}/current_clocksource": current,
            f"{folder}/available_clocksource": " ".join((current, *others))}


def numa(nodes):
    files = {"sys/devices/system/node/online": cpulist(range(len(nodes)))}
    for node, cpus in enumerate(nodes):
        folder = f"sys/devices/system/node/node{node}"
        files |= {
            f"{folder}/cpumap": cpumask(cpus),
            f"{folder}/cpulist": cpulist(cpus),
            f"{folder}/meminfo": f"Node {node} MemTotal: 67108864 kB",
            f"{folder}/distance": " ".join("10" if other == node else "21" for other in range(len(nodes))),
        }
    return files


def cgroup_v2(group, limits):
    """limits: for each level from the root its cpu.max, None where that level has none."""
    files = {
        "proc/self/cgroup": f"0::{group}",
        "proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
        "proc/mounts": "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0",
        "sys/fs/cgroup/cgroup.controllers": "cpuset cpu",
    }
    path = "sys/fs/cgroup"
    for part, limit in zip(group.split("/"), limits):
        path += f"/{part}" if part else ""
        files[f"{path}/cgroup.procs"] = ""
        if part:
            files[f"{path}/cgroup.type"] = "domain"
        if limit:
            files[f"{path}/cpu.max"] = limit
            files[f"{path}/cpu.stat"] = "usage_usec 900\nnr_periods 1000\nnr_throttled 12\nthrottled_usec 34"
    return files


def dmi(vendor, product):
    return {"sys/class/dmi/id/sys_vendor": vendor, "sys/class/dmi/id/product_name": product}


def alder_lake():
    """A notebook of 6 P cores with two threads and 8 E cores in two clusters, as an i7-12700H is sold."""
    p_cores = [[2 * core, 2 * core + 1] for core in range(6)]
    e_cores = [[cpu] for cpu in range(12, 20)]
    p_cpus, e_cpus = range(12), range(12, 20)
    files = topology(p_cores + e_cores)
    for cpu in e_cpus:
        cluster = range(12, 16) if cpu < 16 else range(16, 20)
        files |= {f"{CPU}/cpu{cpu}/topology/cluster_id": str(8 * (cpu // 4)),
                  f"{CPU}/cpu{cpu}/topology/cluster_cpus": cpumask(cluster)}
    return (files
            | x86_cpuinfo(range(20), "GenuineIntel", 6, 154, "12th Gen Intel(R) Core(TM) i7-12700H", 3, "0x434",
                          "fpu tsc constant_tsc nonstop_tsc rdtscp")
            | kernel("6.8.0-45-generic", "x86_64", paranoid=4)
            | process(range(20))
            # The P cores' driver has the number of raw events, for programs that know of one kind only.
            | pmu("cpu_core", 4, p_cpus) | pmu("cpu_atom", 10, e_cpus)
            # Two of the P cores are let go a little faster; they are no kind of their own.
            | cpufreq(range(4), "intel_pstate", "powersave", 400, 4700, 2300, "balance_performance")
            | cpufreq(range(4, 12), "intel_pstate", "powersave", 400, 4600, 2300, "balance_performance")
            | cpufreq(e_cpus, "intel_pstate", "powersave", 400, 3500, 1700, "balance_performance")
            | {f"{CPU}/intel_pstate/no_turbo": "0", f"{CPU}/smt/active": "1", f"{CPU}/smt/control": "on"}
            | clocksource("tsc", "hpet", "acpi_pm") | cgroup_v2("/", [None])
            | dmi("LENOVO", "82RB")
            | {"sys/class/power_supply/ADP0/type": "Mains", "sys/class/power_supply/ADP0/online": "0",
               "sys/class/power_supply/BAT0/type": "Battery", "sys/class/power_supply/BAT0/status": "Discharging"})


def rk3588():
    """A board with four Cortex-A55 and four Cortex-A76; the two pairs of the latter are of one speed."""
    a55, a76 = range(4), range(4, 8)
    files = topology([[cpu] for cpu in range(8)])
    for cpu in range(8):
        files[f"{CPU}/cpu{cpu}/cpu_capacity"] = "530" if cpu in a55 else "1024"
    return (files
            | arm_cpuinfo([0x412fd050] * 4 + [0x414fd0b0] * 4)
            | kernel("6.1.75-vendor-rk35xx", "aarch64") | process(range(8))
            | pmu("armv8_cortex_a55", 8, a55) | pmu("armv8_cortex_a76", 9, a76)
            | cpufreq(a55, "cpufreq-dt", "ondemand", 408, 1800) | cpufreq(a76, "cpufreq-dt", "ondemand", 408, 2304)
            | clocksource("arch_sys_counter")
            | {"sys/firmware/devicetree/base/compatible": "radxa,rock-5b\0rockchip,rk3588\0"})


def unranked():
    """Kinds that only the CPUs' own numbers tell: a kernel without capacities and frequencies, as under ACPI."""
    return (topology([[cpu] for cpu in range(4)])
            | arm_cpuinfo([0x411fd461, 0x411fd461, 0x411fd471, 0x410fdff0])
            | kernel("6.6.9", "aarch64") | process(range(4)) | pmu("armv8_pmuv3_0", 8, range(4)))


def two_sockets():
    """A server of two packages with 16 cores of two threads each, numbered as Linux does: first all first threads."""
    cores = [[core, core + 32] for core in range(32)]
    socket = [range(16), range(16, 32)]
    nodes = [[cpu for core in half for cpu in cores[core]] for half in socket]
    return (topology(cores, socket) | numa(nodes)
            | x86_cpuinfo(range(64), "AuthenticAMD", 25, 1, "AMD EPYC 7313 16-Core Processor", 1, "0xa0011d5",
                          "fpu tsc constant_tsc nonstop_tsc rdtscp rdpru lfence_rdtsc")
            | kernel("6.1.0-26-amd64", "x86_64", paranoid=3) | process(range(64))
            | pmu("cpu", 4)
            | cpufreq(range(64), "acpi-cpufreq", "performance", 1500, 3000)
            | {f"{CPU}/cpufreq/boost": "1", f"{CPU}/smt/active": "1", f"{CPU}/smt/control": "on",
               "proc/sys/kernel/nmi_watchdog": "1"}
            | clocksource("tsc", "hpet", "acpi_pm") | cgroup_v2("/user.slice", [None, "max 100000"]))


def container():
    """Docker on a machine of eight CPUs, kept to two of them, its default filter, and half a CPU by an ancestor."""
    return (topology([[2 * core, 2 * core + 1] for core in range(4)])
            | x86_cpuinfo(range(8), "GenuineIntel", 6, 85, "Intel(R) Xeon(R) Silver 4215 CPU @ 2.50GHz", 7,
                          "0x5003604", "fpu tsc constant_tsc nonstop_tsc rdtscp")
            | kernel("5.15.0-122-generic", "x86_64", paranoid=2) | process([2, 3], seccomp=2)
            | pmu("cpu", 4) | clocksource("tsc", "hpet", "acpi_pm")
            | cgroup_v2("/jobs/docker-77", [None, "50000 100000", "max 100000"])
            | {".dockerenv": ""})


def container_v1():
    """The same under cgroups of version 1, by Kubernetes, whose pod holds the limit."""
    files = container()
    for path in [path for path in files if "cgroup" in path or path == "proc/mounts"]:
        del files[path]
    top = "sys/fs/cgroup/cpu,cpuacct"
    files |= {
        "proc/self/cgroup": "4:cpu,cpuacct:/kubepods/pod9/c1\n3:cpuset:/kubepods/pod9/c1",
        "proc/self/mountinfo": "33 25 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct",
        f"{top}/release_agent": "",
        "var/run/secrets/kubernetes.io/serviceaccount/namespace": "default",
    }
    for group, quota in (("", -1), ("/kubepods", -1), ("/kubepods/pod9", 150000), ("/kubepods/pod9/c1", -1)):
        files |= {f"{top}{group}/cgroup.procs": "", f"{top}{group}/cpu.cfs_quota_us": str(quota),
                  f"{top}{group}/cpu.cfs_period_us": "100000",
                  f"{top}{group}/cpu.stat": "nr_periods 50\nnr_throttled 0\nthrottled_time 0"}
    return files


def graviton():
    """An instance of EC2 on Graviton3: Neoverse V1 under Nitro, which offers the guest a PMU."""
    return (topology([[cpu] for cpu in range(4)])
            | arm_cpuinfo([0x411fd401] * 4)
            | kernel("6.1.112-122.189.amzn2023.aarch64", "aarch64") | process(range(4))
            | pmu("armv8_pmuv3_0", 8, range(4)) | clocksource("arch_sys_counter")
            | dmi("Amazon EC2", "c7g.xlarge") | cgroup_v2("/user.slice", [None, None]))


def firecracker():
    """A microVM: one CPU of KVM's, no DMI, no driver of hardware events, tables signed by the monitor."""
    return (topology([[0]])
            | x86_cpuinfo([0], "GenuineIntel", 6, 106, "Intel(R) Xeon(R) Processor @ 2.90GHz", 6, "0x1",
                          "fpu tsc constant_tsc nonstop_tsc rdtscp hypervisor")
            | kernel("6.1.102", "x86_64") | process([0]) | clocksource("kvm-clock", "tsc")
            | {"sys/firmware/acpi/tables/DSDT": "DSDT\x53\x0f\0\0\x02wFIRECKFCVMDSDT"})


def xen():
    """A guest of Xen after a migration: the kernel gave the TSC up."""
    return (topology([[0], [1]])
            | x86_cpuinfo(range(2), "GenuineIntel", 6, 63, "Intel(R) Xeon(R) CPU E5-2676 v3 @ 2.40GHz", 2, "0x49",
                          "fpu tsc rdtscp hypervisor")
            | kernel("5.10.0-32-amd64", "x86_64") | process(range(2)) | clocksource("xen", "hpet")
            | {"sys/hypervisor/type": "xen"} | dmi("Xen", "HVM domU"))


def gvisor():
    """A container whose system calls gVisor answers: it shows few files, and a kernel's version that never changes."""
    files = x86_cpuinfo(range(2), "GenuineIntel", 6, 106, "unknown", 6, "0x1", "fpu tsc rdtscp")
    return files | {
        "proc/sys/kernel/osrelease": "4.4.0",
        "proc/version": "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016",
        f"{CPU}/online": "0-1", f"{CPU}/possible": "0-1",
        "proc/loadavg": "0.00 0.00 0.00 1/10 9",
    } | process(range(2))


MACHINES = {
    "alder-lake": alder_lake,
    "container": container,
    "container-v1": container_v1,
    "firecracker": firecracker,
    "graviton": graviton,
    "gvisor": gvisor,
    "rk3588": rk3588,
    "two-sockets": two_sockets,
    "unranked": unranked,
    "xen": xen,
}


def write(name, folder):
    for path, text in MACHINES[name]().items():
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text + ("" if text.endswith("\0") or "DSDT" in path else "\n"), encoding="latin-1")
