/* SPDX-License-Identifier: MIT */
/* Facts of recorded Linux machines, each read as a program of its architecture would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "arm64/midr.h"
#include "facts.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNKNOWN      NULL

static bool skipped;

static const struct {
    const char *folder, *arch;
    const char *kernel, *cpu, *cpu_id, *microcode;
    const char *hypervisor; /* UNKNOWN, or the name; "" is none */
    const char *emulator;   /* "" is none known */
    uint64_t midr;
    bool lfence_serialises;
} machines[] = {
    {"zen4-kvm", "amd64", "6.1.0-18-cloud-amd64", "AMD EPYC 9R14", "25-17-1", "0xa101148", "QEMU",
     "", 0, false},
    {"intel-metal", "amd64", "6.5.0-14-generic", "12th Gen Intel(R) Core(TM) i7-12700K", "6-151-2",
     "0x35", "", "", 0, true},
    {"zen1-metal", "amd64", "4.19.0-27-amd64", "AMD Ryzen 7 1700 Eight-Core Processor", "23-1-1",
     "0x8001137", "", "", 0, true},
    {"arm64-server", "arm64", "6.1.82-99.168.amzn2023.aarch64", "Arm Neoverse V1", "0x411fd401", "",
     "Nitro", "", 0x411fd401, false},
    {"arm64-metal", "arm64", "", "Arm Neoverse V1", "0x411fd401", "", "", "", 0x411fd401, false},
    {"arm64-kvm", "arm64", "", "Arm Neoverse N1", "0x413fd0c1", "", "KVM", "", 0x413fd0c1, false},
    {"arm64-biglittle", "arm64", "6.1.21-rockchip64", "Arm Cortex-A53 + Arm Cortex-A72",
     "0x410fd034,0x410fd082", "", UNKNOWN, "", 0x410fd034, false},
    {"arm64-no-cpuinfo", "arm64", "", "Arm Cortex-A72", "0x410fd083", "", "unnamed", "", 0x410fd083,
     false},
    /* The x86 machine below qemu-user is not the program's CPU; that it is a guest holds all the same. */
    {"qemu-user", "arm64", "6.1.0-18-amd64", "", "", "", "unnamed", "QEMU user mode", 0, false},
    {"qemu-system", "arm64", "6.1.0-18-arm64", "", "0x000f0510", "", "QEMU", "QEMU TCG", 0x000f0510,
     false},
    /* A program of amd64 over an arm64 kernel. */
    {"arm64-biglittle", "amd64", "6.1.21-rockchip64", "", "", "", UNKNOWN, "unnamed translator", 0,
     false},
    {"intel-metal", "generic", "6.5.0-14-generic", "", "", "", "", "", 0, false},
    {"malformed", "amd64", "", "", "", "", "", "", 0, false},
    {"malformed", "arm64", "", "", "", "", "", "", 0, false},
    {"empty", "amd64", "", "", "", "", UNKNOWN, "", 0, false},
    {"empty", "arm64", "", "", "", "", UNKNOWN, "", 0, false},
    {"no such folder", "arm64", "", "", "", "", UNKNOWN, "", 0, false},
};

static void recorded_machines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(machines); i++) {
        char root[512];
        snprintf(root, sizeof(root), "%s/machines-sysfs/%s", TKF_TESTS_DIR, machines[i].folder);
        struct tkf_machine machine;
        struct tkf_cpu_hints hints;
        memset(&machine, 0xa5, sizeof(machine)); /* all of it must be written */
        memset(&hints, 0xa5, sizeof(hints));
        print_message("%s as %s\n", machines[i].folder, machines[i].arch);
        tkf_facts_read_as(root, machines[i].arch, &machine, &hints);

        assert_string_equal(machine.arch, machines[i].arch);
        assert_string_equal(machine.os, "linux");
        assert_string_equal(machine.kernel, machines[i].kernel);
        assert_string_equal(machine.cpu, machines[i].cpu);
        assert_string_equal(machine.cpu_id, machines[i].cpu_id);
        assert_string_equal(machine.microcode, machines[i].microcode);
        assert_int_equal(machine.hypervisor_known, machines[i].hypervisor != UNKNOWN);
        assert_string_equal(machine.hypervisor,
                            machines[i].hypervisor ? machines[i].hypervisor : "");
        assert_string_equal(machine.emulator, machines[i].emulator);
        assert_int_equal(machine.emulated, machines[i].emulator[0] != '\0');
        assert_int_equal(machine.cpus, 0);
        assert_int_equal(machine.kinds, 0);

        assert_true(hints.midr == machines[i].midr);
        assert_int_equal(hints.lfence_serialises, machines[i].lfence_serialises);
        assert_true(hints.hwcap == 0 && hints.hwcap2 == 0 && !hints.has_ecv);
        assert_ptr_equal(hints.model_name, machines[i].cpu[0] ? machine.cpu : NULL);
        assert_ptr_equal(hints.emulator, machines[i].emulator[0] ? machine.emulator : NULL);
    }
}

static void this_machine(void **state)
{
    (void)state;
    struct tkf_machine machine;
    struct tkf_cpu_hints hints;
    struct utsname system;
    assert_int_equal(uname(&system), 0);
    tkf_facts_read("", &machine, &hints);
    assert_string_equal(machine.arch, tkf_arch_name);
    assert_string_equal(machine.os, "linux");
    assert_string_equal(machine.kernel, system.release);
}

static void arm64_names(void **state)
{
    (void)state;
    static const struct {
        uint64_t midr;
        const char *name;
    } known[] = {
        {0x410fd034, "Arm Cortex-A53"},          {0x410fd082, "Arm Cortex-A72"},
        {0x411fd401, "Arm Neoverse V1"},         {0x411fd402, "Arm Neoverse V1"},
        {0x00000000413fd0c1, "Arm Neoverse N1"}, {0x612f0230, "Apple Firestorm (M1)"},
        {0x511f0011, "Qualcomm Oryon"},          {0xc00fac30, "Ampere-1"},
        {0x461f0010, "Fujitsu A64FX"},
    };
    for (size_t i = 0; i < COUNT(known); i++) {
        assert_non_null(tkf_arm64_midr_name(known[i].midr));
        assert_string_equal(tkf_arm64_midr_name(known[i].midr), known[i].name);
    }
    assert_null(tkf_arm64_midr_name(0));
    assert_null(tkf_arm64_midr_name(0x000f0510)); /* QEMU's own */
    assert_null(tkf_arm64_midr_name(0x411fdff1)); /* a part that Arm has not made */
    assert_null(tkf_arm64_midr_name(0x611fd401)); /* a part of Arm's, of another maker */
}

enum { CHILD_FORBIDDEN, CHILD_ALLOWED, CHILD_UNSUPPORTED };

/* Asked in a child: once forbidden, even the clock may trap. */
static int ask_in_child(int mode)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (prctl(PR_SET_TSC, mode, 0, 0, 0) != 0)
            _exit(tkf_facts_forbidden(NULL) ? CHILD_FORBIDDEN : CHILD_UNSUPPORTED);
        _exit(tkf_facts_forbidden(NULL) ? CHILD_FORBIDDEN : CHILD_ALLOWED);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void forbidden_counter(void **state)
{
    (void)state;
    int allowed = ask_in_child(PR_TSC_ENABLE);
    if (allowed == CHILD_UNSUPPORTED) {
        fprintf(stderr, "SKIP forbidden_counter: this kernel has no prctl PR_SET_TSC here\n");
        skipped = true;
        skip();
    }
    assert_int_equal(allowed, CHILD_ALLOWED);
    assert_int_equal(ask_in_child(PR_TSC_SIGSEGV), CHILD_FORBIDDEN);
}

/* As a sandbox may: neither the counter, which the vDSO's clock reads, nor the kernel's clock. */
static bool forbid_clock(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {COUNT(code), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
           prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
}

static void no_clock_at_all(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!forbid_clock())
            _exit(CHILD_UNSUPPORTED);
        _exit(tkf_clock_works() || tkf_clock_ns(NULL) != 0 ? CHILD_ALLOWED : CHILD_FORBIDDEN);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == CHILD_UNSUPPORTED) {
        fprintf(stderr,
                "SKIP no_clock_at_all: this kernel cannot forbid the clock and the counter\n");
        skipped = true;
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), CHILD_FORBIDDEN);
    assert_true(tkf_clock_works());
    assert_true(tkf_clock_ns(NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_machines), cmocka_unit_test(this_machine),
        cmocka_unit_test(arm64_names),       cmocka_unit_test(forbidden_counter),
        cmocka_unit_test(no_clock_at_all),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed == 0 && skipped ? 77 : failed;
}
