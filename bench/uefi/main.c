/* SPDX-License-Identifier: MIT */
/** From the firmware's call to its end: configure, prove the counter, measure each processor, report, leave. */
#include "firmware.h"

#include "arch.h"

#define CPUS_MAX   256
#define GAP_BAD_NS 10000

/* Exit statuses, as the command's. */
enum { EXIT_FINE = 0, EXIT_USAGE = 2, EXIT_UNMEASURED = 3 };

struct tkf_uefi_system_table *tkf_uefi_system;

/** One processor's measurement; what it runs on may call nothing of the firmware. */
struct job {
    const struct tkf_env *env;
    struct tkf_calibrate_options options;
    struct tkf_counter *counter;
    unsigned cpu;
    struct tkf_cpu_floor *floor;
    int error;
};

/* Static: the stack that the firmware gives is smaller. */
static struct tkf_scratch scratch;

/** The whole run. */
static struct run {
    struct tkf_uefi_config config;
    const char *clock; /* NULL: none that can be read while measuring */
    const char *rtc_reason;
    bool rtc_checked;
    struct tkf_env env;
    struct tkf_cpu cpu;
    struct tkf_uefi_gaps gaps;
    struct tkf_profile profile;
    struct tkf_scratch scratch;
    unsigned
        unmeasured; /* processors that the firmware did not start, or on which measuring failed */
} run;

static void warn(const char *code, const char *next, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void warn(const char *code, const char *next, const char *format, ...)
{
    struct tkf_profile *profile = &run.profile;
    if (profile->nwarnings == TKF_WARNINGS_MAX)
        return;
    struct tkf_warning *warning = &profile->warnings[profile->nwarnings++];
    struct tkf_uefi_text text = {warning->text, sizeof warning->text, 0};
    va_list arguments;
    va_start(arguments, format);
    tkf_uefi_text_vadd(&text, format, arguments);
    va_end(arguments);
    tkf_uefi_format(warning->code, sizeof warning->code, "%s", code);
    tkf_uefi_format(warning->next, sizeof warning->next, "%s", next);
}

/* ---- measuring ---------------------------------------------------------------------------------------------------- */

/** A processor runs what it was given: nothing moves, so binding is to be there already. */
static int pin(void *ctx, unsigned cpu)
{
    const unsigned *here = ctx;
    return cpu == *here ? 0 : TKF_ENOCPU;
}

static void measure_cpu(void *arg)
{
    struct job *job = arg;
    struct tkf_cpu_hints hints;
    struct tkf_env env = *job->env;
    env.ctx = &job->cpu;
    tkf_uefi_cpu_prepare(&hints); /* how LFENCE behaves is each processor's own setting */
    uint64_t state = tkf_uefi_cpu_mask();
    job->error =
        tkf_calibrate_cpu(&env, &job->options, job->counter, &job->cpu, 1, &scratch, job->floor);
    tkf_uefi_cpu_unmask(state);
}

static int probe(void)
{
    struct tkf_cpu_hints hints;
    tkf_uefi_cpu_prepare(&hints);
    struct tkf_uefi_quiet quiet = tkf_uefi_quiet_begin();
    int error = tkf_counter_probe(&run.env, &hints, NULL, &scratch, &run.cpu, &run.profile.counter);
    tkf_uefi_quiet_end(quiet);
    return error;
}

static int measure_boot_cpu(struct job *job)
{
    tkf_calibrate_defaults(&job->options, false);
    struct tkf_uefi_quiet quiet = tkf_uefi_quiet_begin();
    measure_cpu(job);
    tkf_uefi_quiet_end(quiet);
    return job->error;
}

/** The others briefly: there may be hundreds. */
static void measure_other_cpu(struct job *job)
{
    tkf_calibrate_defaults(&job->options, true);
    job->error = TKF_EUNSUPPORTED;
    if (tkf_uefi_run_on(job->cpu, measure_cpu, job) != 0)
        job->error = TKF_EUNSUPPORTED;
}

static int measure_cpus(void)
{
    static unsigned numbers[CPUS_MAX];
    struct tkf_profile *profile = &run.profile;
    unsigned n = tkf_uefi_processors(numbers, CPUS_MAX);
    profile->machine.cpus = n;
    if (run.config.boot_cpu_only)
        n = 1;
    if (n > CPUS_MAX) {
        run.unmeasured = n - CPUS_MAX;
        n = CPUS_MAX;
    }
    if (tkf_uefi_system->boot->allocate_pool(TKF_UEFI_LOADER_DATA, n * sizeof *profile->cpus,
                                             (void **)&profile->cpus) != TKF_UEFI_SUCCESS)
        return TKF_ENOMEM;
    for (unsigned i = 0; i < n; i++) {
        struct tkf_profile_cpu *cpu = &profile->cpus[profile->ncpus];
        *cpu = (struct tkf_profile_cpu){.kind = ""};
        struct job job = {
            .env = &run.env, .counter = &profile->counter, .cpu = numbers[i], .floor = &cpu->floor};
        if (i > 0)
            measure_other_cpu(&job);
        else if (measure_boot_cpu(&job) != 0)
            return job.error;
        if (job.error != 0) {
            run.unmeasured++;
            continue;
        }
        tkf_uefi_format(cpu->chosen, sizeof cpu->chosen, "%s",
                        i == 0 ? "the processor that the firmware booted on"
                               : "started through the firmware's MP services");
        /* Unknown, on all alike, where the counter has no rate. */
        if (i == 0 || cpu->floor.suspect_below_ns > profile->suspect_below_ns)
            profile->suspect_below_ns = cpu->floor.suspect_below_ns;
        profile->ncpus++;
    }
    return 0;
}

/* ---- the profile ---------------------------------------------------------------------------------------------------- */

static void describe_machine(void)
{
    struct tkf_machine *m = &run.profile.machine;
    char vendor[48];
    unsigned n = 0;
    const uint16_t *name = tkf_uefi_system->vendor;
    for (; name != NULL && name[n] != '\0' && n + 1 < sizeof vendor; n++)
        vendor[n] = name[n] >= ' ' && name[n] <= '~' ? (char)name[n] : '?';
    vendor[n] = '\0';
    uint32_t revision = tkf_uefi_system->header.revision;
    tkf_uefi_format(m->arch, sizeof m->arch, "%s", tkf_arch_name);
    tkf_uefi_format(m->os, sizeof m->os, "uefi");
    tkf_uefi_format(m->kernel, sizeof m->kernel, "UEFI %u.%u, %s 0x%x", revision >> 16,
                    (revision & 0xffff) / 10, vendor, tkf_uefi_system->vendor_revision);
    tkf_uefi_format(m->cpu, sizeof m->cpu, "%s", run.cpu.model_name);
    tkf_uefi_cpu_facts(&run.cpu, m);
    m->emulated = m->emulator[0] != '\0';
    tkf_uefi_rtc_stamp(run.profile.created, sizeof run.profile.created);
    tkf_uefi_format(run.profile.tool, sizeof run.profile.tool, "tickfloor " TKF_VERSION);
}

/** core/measure calls the environment's clock the system's. Here it has a name. */
static void name_clock(void)
{
    struct tkf_profile *profile = &run.profile;
    struct tkf_counter *c = &profile->counter;
    if (run.clock == NULL)
        return;
    for (unsigned i = 0, window = 0; i < c->nrates; i++) {
        static const char theirs[] = "os-clock window ";
        char begin[sizeof theirs];
        tkf_uefi_format(begin, sizeof begin, "%s", c->rates[i].name);
        if (tkf_uefi_same(begin, theirs))
            tkf_uefi_format(c->rates[i].name, sizeof c->rates[i].name, "%s window %u", run.clock,
                            ++window);
    }
    for (unsigned i = 0; i < profile->ncpus; i++) {
        struct tkf_cpu_floor *f = &profile->cpus[i].floor;
        for (unsigned k = 0; k < f->ncosts; k++) {
            if (tkf_uefi_same(f->costs[k].name, "clock")) {
                f->costs[k].name = "reference_clock";
                f->costs[k].text = "a read of the clock that the counter's rate is held against";
            }
        }
    }
}

static void add_checks(void)
{
    struct tkf_profile *profile = &run.profile;
    const struct tkf_uefi_gaps *gaps = &run.gaps;
    const struct tkf_machine *m = &profile->machine;
    struct tkf_check *check = &profile->checks[profile->nchecks++];
    *check = (struct tkf_check){.code = "gaps-masked", .status = TKF_CHECK_OK};
    if (!(gaps->worst_ns >= 0)) {
        check->status = TKF_CHECK_UNKNOWN;
        tkf_uefi_format(check->seen, sizeof check->seen, "the counter's rate is unknown");
    } else {
        tkf_uefi_format(check->seen, sizeof check->seen,
                        "interrupts masked for %.3g s: %u gaps above %s, worst %s", gaps->seconds,
                        gaps->count, tkf_uefi_show_time(gaps->limit_ns).text,
                        tkf_uefi_show_time(gaps->worst_ns).text);
    }
    if (gaps->worst_ns > GAP_BAD_NS && (m->emulated || m->hypervisor[0] != '\0')) {
        check->status = TKF_CHECK_WARN;
        check->cost =
            "the host takes the virtual CPU away; of the machine itself this says nothing";
        tkf_uefi_format(check->next, sizeof check->next, "measure on the hardware itself");
    } else if (gaps->worst_ns > GAP_BAD_NS) {
        check->status = TKF_CHECK_WARN;
        check->cost = "the CPU is taken away even with interrupts masked: by SMIs, EL3 or a "
                      "hypervisor; no operating system can prevent that";
        tkf_uefi_format(
            check->next, sizeof check->next,
            "switch USB legacy support and power management off in the firmware's setup");
    }

    check = &profile->checks[profile->nchecks++];
    *check = (struct tkf_check){
        .code = "firmware-clock",
        .status = TKF_CHECK_NOTE,
        .cost = "an operating system may choose another: compare cycles, not ns",
    };
    tkf_uefi_format(check->seen, sizeof check->seen,
                    "the core runs at the clock that the firmware chose");
}

static void add_warnings(void)
{
    struct tkf_profile *profile = &run.profile;
    const struct tkf_counter *c = &profile->counter;
    const struct tkf_machine *m = &profile->machine;
    if (m->emulated)
        warn("emulated", "measure on the hardware itself",
             "this CPU is emulated (%s): cycles and floors here say nothing about hardware, and no "
             "result is called impossible",
             m->emulator);
    if (c->trust == TKF_TRUST_CONFLICT)
        warn("rate-conflict", "trust cycles and ratios; ns may be off",
             "the sources of the counter's rate disagree: see hz_sources");
    else if (c->trust == TKF_TRUST_DECLARED)
        warn("rate-unverified", "hold it against an independent clock",
             c->nrates > 0 ? "the counter's rate is declared, not verified: %s"
                           : "the counter's rate is unknown, and so are times: %s",
             run.rtc_reason != NULL ? run.rtc_reason : "no other clock was asked for");
    if (!run.cpu.invariant)
        warn("not-invariant", "compare cycles, not ns",
             "the CPU does not promise that its counter runs at one rate");
    if (!run.cpu.fence_known)
        warn("fence-unknown", "measure without the hypervisor",
             "LFENCE is not known to order the counter's reads on this CPU");
    if (run.unmeasured > 0)
        warn("cpus-unmeasured", "set cpus = boot in tickfloor.cfg to leave the others alone",
             "processors that were not measured: %u; the firmware did not start them in time, they "
             "were disturbed, or there are more than %u",
             run.unmeasured, CPUS_MAX);
    for (unsigned i = 0; i < profile->ncpus; i++) {
        const struct tkf_cpu_floor *f = &profile->cpus[i].floor;
        if (!(f->chain_check > 0.995 && f->chain_check < 1.005))
            warn("cycle-unsound", "do not use cycles from this profile; the times in ns stand",
                 "CPU %u: the ADD chain costs %.4g of the XOR chain, so one of them is not one "
                 "cycle a link",
                 f->cpu, f->chain_check);
    }
}

static void complete_profile(void)
{
    struct tkf_profile *profile = &run.profile;
    struct tkf_cpu_floor *boot = &profile->cpus[0].floor;
    if (run.rtc_checked)
        profile->counter.trust =
            tkf_uefi_rtc_agrees(&profile->counter) ? TKF_TRUST_VERIFIED : TKF_TRUST_CONFLICT;
    if (run.gaps.worst_ns > boot->worst_gap_ns)
        boot->worst_gap_ns = run.gaps.worst_ns;
    tkf_uefi_format(profile->pmu.reason, sizeof profile->pmu.reason,
                    "the firmware image programs no performance counter");
    for (unsigned i = 0; i < profile->ncpus; i++) {
        profile->cpus[i].pmu = profile->pmu;
        profile->cpus[i].cycle_check.cycles = profile->cpus[i].floor.own_cycles;
        tkf_uefi_format(profile->cpus[i].cycle_check.reason,
                        sizeof profile->cpus[i].cycle_check.reason,
                        "the firmware image does not ask the core for its own cycles");
    }
    describe_machine();
    name_clock();
    add_checks();
    add_warnings();
}

/* ---- what comes out ------------------------------------------------------------------------------------------------- */

/** The profile's JSON, in memory from the firmware. */
static int make_json(struct tkf_uefi_text *ret_text)
{
    struct tkf_uefi_text text = {.at = NULL};
    tkf_uefi_json_profile(&run.profile, &text);
    text.size = text.used + 1;
    text.used = 0;
    if (tkf_uefi_system->boot->allocate_pool(TKF_UEFI_LOADER_DATA, text.size, (void **)&text.at) !=
        TKF_UEFI_SUCCESS)
        return TKF_ENOMEM;
    tkf_uefi_json_profile(&run.profile, &text);
    *ret_text = text;
    return 0;
}

static void save(void)
{
    static const uint16_t name[] = u"tickfloor.json";
    struct tkf_uefi_text json;
    const char *reason;
    if (make_json(&json) != 0) {
        tkf_uefi_complain("out of memory for the profile: it is not saved");
        return;
    }
    if (tkf_uefi_volume_write(name, json.at, json.used, &reason) == 0) {
        tkf_uefi_print("profile     saved as tickfloor.json\n");
    } else {
        tkf_uefi_print("-----BEGIN TICKFLOOR JSON-----\n");
        tkf_uefi_print_text(json.at);
        tkf_uefi_print("-----END TICKFLOOR JSON-----\n");
        tkf_uefi_complain("%s: the profile is not saved; copy it from the console", reason);
    }
    tkf_uefi_system->boot->free_pool(json.at);
}

static int fail(int error)
{
    const struct tkf_counter *c = &run.profile.counter;
    tkf_uefi_complain("could not measure: %s", tkf_strerror(error));
    for (unsigned i = 0; error == TKF_ENOSOURCE && i < c->nrejected; i++)
        tkf_uefi_complain("%s: %s", c->rejected[i].source, c->rejected[i].reason);
    return EXIT_UNMEASURED;
}

static int measure(void)
{
    enum tkf_uefi_clock_choice choice = run.config.clock;
    run.clock = choice != TKF_UEFI_CLOCK_RTC && choice != TKF_UEFI_CLOCK_NONE
                    ? tkf_uefi_clock_open(choice)
                    : NULL;
    static unsigned boot_cpu;
    run.env = (struct tkf_env){
        .ctx = &boot_cpu, .clock_ns = run.clock != NULL ? tkf_uefi_clock_ns : NULL, .pin = pin};
    int error = probe();
    if (error != 0)
        return fail(error);
    if (run.clock == NULL && (choice == TKF_UEFI_CLOCK_AUTO || choice == TKF_UEFI_CLOCK_RTC)) {
        tkf_uefi_print("holding the counter against the real-time clock, some seconds ...\n");
        run.rtc_reason = tkf_uefi_rtc_check(&run.env, &run.profile.counter);
        run.rtc_checked = run.rtc_reason == NULL;
    } else if (run.clock == NULL && choice != TKF_UEFI_CLOCK_NONE) {
        run.rtc_reason = "this machine does not have the clock that was asked for";
    }
    tkf_uefi_print("measuring ...\n");
    error = measure_cpus();
    if (error != 0)
        return fail(error);
    error = tkf_uefi_gaps_find(&run.env, &run.profile.counter, run.config.seconds, &run.gaps);
    if (error != 0)
        return fail(error);
    complete_profile();
    save();
    tkf_uefi_card_print(&run.profile, run.rtc_checked ? "real-time clock" : run.clock, &run.gaps);
    return EXIT_FINE;
}

static int configure(void)
{
    static char text[4096];
    struct tkf_input_error mistake = {.line = 0};
    int error = tkf_uefi_volume_read(u"tickfloor.cfg", text, sizeof text);
    if (error == TKF_EFORMAT)
        tkf_uefi_complain("tickfloor.cfg: longer than %u bytes; it needs four lines",
                          (unsigned)sizeof text - 1);
    bool too_long = error == TKF_EFORMAT;
    if (error != 0)
        text[0] = '\0';
    if (tkf_uefi_config_parse(text, &run.config, &mistake) != 0) {
        tkf_uefi_complain("tickfloor.cfg:%u: %s; %s", mistake.line, mistake.text, mistake.next);
        return EXIT_USAGE;
    }
    return too_long ? EXIT_USAGE : EXIT_FINE;
}

static void leave(enum tkf_uefi_then then)
{
    struct tkf_uefi_runtime_services *runtime = tkf_uefi_system->runtime;
    switch (then) {
    case TKF_UEFI_THEN_WAIT:
        tkf_uefi_print("press a key, or wait a minute, to return to the firmware\n");
        tkf_uefi_wait_for_key(60);
        return;
    case TKF_UEFI_THEN_EXIT:
        return;
    case TKF_UEFI_THEN_REBOOT:
        runtime->reset_system(TKF_UEFI_RESET_COLD, TKF_UEFI_SUCCESS, 0, NULL);
        return;
    case TKF_UEFI_THEN_POWEROFF:
        runtime->reset_system(TKF_UEFI_RESET_SHUTDOWN, TKF_UEFI_SUCCESS, 0, NULL);
        return;
    }
}

tkf_uefi_status efi_main(void *image, struct tkf_uefi_system_table *system);

tkf_uefi_status efi_main(void *image, struct tkf_uefi_system_table *system)
{
    tkf_uefi_system = system;
    system->boot->set_watchdog_timer(0, 0, 0, NULL); /* it would reset the machine in 5 minutes */
    tkf_uefi_console_open();
    tkf_uefi_print("\ntickfloor " TKF_VERSION ": the timing floor with no operating system\n");
    run = (struct run){.unmeasured = 0};
    tkf_uefi_volume_open(image);
    int status = configure();
    if (status == EXIT_FINE)
        status = measure();
    if (run.profile.cpus != NULL)
        system->boot->free_pool(run.profile.cpus);
    tkf_uefi_volume_close();
    tkf_uefi_print("tickfloor: exit %u\n", (unsigned)status);
    leave(run.config.then);
    return status == EXIT_FINE    ? TKF_UEFI_SUCCESS
           : status == EXIT_USAGE ? TKF_UEFI_INVALID_PARAMETER
                                  : TKF_UEFI_DEVICE_ERROR;
}
