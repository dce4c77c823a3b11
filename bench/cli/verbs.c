/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

static const struct tkf_option help_options[] = {{0}};

static int help(int argc, char **argv);

const struct tkf_verb tkf_verbs[] = {
    {
        .name = "calibrate",
        .usage = "calibrate [OPTION...]",
        .text = "measure this machine, print a card, save the profile",
        .detail =
            "Measure this machine's timing floor: what its counter resolves and what a read of it "
            "costs, how long a core cycle is, and how long an empty loop takes. Print them as a card "
            "and save them as the profile against which results are judged.",
        .options = tkf_calibrate_cli_options,
        .run = tkf_verb_calibrate,
    },
    {
        .name = "show",
        .usage = "show [OPTION...] [PROFILE]",
        .text = "print a saved profile, or describe a machine",
        .detail =
            "Print the profile in the file PROFILE; without it the one that 'tickfloor calibrate' "
            "saved last.\n\n"
            "With --machine describe this machine instead, and with --root a recorded one: what it "
            "is, its kinds of core, and what makes it unfit to benchmark. Nothing is measured.",
        .options = tkf_show_cli_options,
        .run = tkf_verb_show,
    },
    {
        .name = "explore",
        .usage = "explore [OPTION...]",
        .text = "measure what surrounds the floor, so that a number can be placed",
        .detail =
            "Calibrate, then measure what surrounds the floor: operations, branches, calls, each "
            "cache and memory, atomics; bandwidth; what the system takes for memory, calls, "
            "switches, clocks and sleeps; the CPUs among each other; the core clock; and what takes "
            "time away from each CPU. Print it and save it in the profile.\n\n"
            "Takes about 26 seconds. Interrupted, it keeps what it has.",
        .options = tkf_explore_cli_options,
        .run = tkf_verb_explore,
    },
    {
        .name = "compare",
        .usage = "compare [OPTION...] A B",
        .text = "hold two profiles against each other",
        .detail =
            "Hold the profile in the file B against that in A: first what differs of the machines, "
            "then quantity by quantity both values and their ratio. What differs by more than its "
            "intervals and the tolerance is marked. One of them may be '-', standard input.\n\n"
            "One of a machine's firmware (tickfloor.efi) and one of the same machine under an "
            "operating system: what the system adds.",
        .options = tkf_compare_cli_options,
        .run = tkf_verb_compare,
    },
    {
        .name = "fleet",
        .usage = "fleet [OPTION...] [PROFILE...]",
        .text = "table the profiles of many machines, find the odd ones out",
        .detail =
            "Read the profiles of many machines from each PROFILE, or from standard input without "
            "one or with '-'; an input may hold any number of them, one after the other. What is "
            "usual for each model of machine is printed, and which machines are not. The lines of "
            "the input may have the labels that srun, mpirun, pdsh and kubectl put before them where "
            "they are asked to, and may be mixed.",
        .options = tkf_fleet_cli_options,
        .run = tkf_verb_fleet,
    },
    {
        .name = "report",
        .usage = "report [OPTION...] [FILE...]",
        .text = "judge benchmark results against the floor",
        .detail =
            "Read the results of benchmarks from each FILE, or from standard input without one or "
            "with '-', hold each against the timing floor of the machine that ran them, and say "
            "which of them measured something. FILE may be the folder that Criterion writes.\n\n"
            "The floor is that of an empty benchmark among the results, or of the machine's "
            "profile. Where this machine ran them and none is saved, it is measured. Results of "
            "another machine are held against what no CPU can do.",
        .options = tkf_report_cli_options,
        .run = tkf_verb_report,
        .more_help = tkf_report_help,
    },
    {
        .name = "bench",
        .usage = "bench [OPTION...] [PATTERN]",
        .text = "run the built-in benchmarks, which show how a benchmark lies",
        .detail =
            "Run the built-in benchmarks, or those whose name matches PATTERN, an extended regular "
            "expression, and print them in Go's benchmark format. Each shows one way in which a "
            "benchmark can measure something else than was meant; '--explain NAME' says which. "
            "Rows that cannot be told from an empty loop are marked on lines that begin with #.",
        .options = tkf_bench_cli_options,
        .run = tkf_verb_bench,
    },
    {
        .name = "help",
        .usage = "help [COMMAND]",
        .text = "print the help of a command",
        .detail = "Print the help of COMMAND; without it the list of the commands.",
        .options = help_options,
        .run = help,
    },
    {0},
};

const struct tkf_verb *tkf_verb_find(const char *name)
{
    const char *names[sizeof tkf_verbs / sizeof tkf_verbs[0]] = {0};
    for (size_t i = 0; tkf_verbs[i].name; i++) {
        if (strcmp(name, tkf_verbs[i].name) == 0)
            return &tkf_verbs[i];
        names[i] = tkf_verbs[i].name;
    }
    const char *nearest = tkf_nearest(name, names);
    char next[80] = "see 'tickfloor --help'";
    if (strcmp(name, "plot") == 0)
        snprintf(next, sizeof next, "use 'tickfloor report --plot FILE'");
    else if (nearest)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "unknown command '%s'", name);
    return NULL;
}

static int help(int argc, char **argv)
{
    struct tkf_common common;
    int first;
    int status = tkf_options_parse(tkf_verb_find("help"), argc, argv, NULL, &common, &first);
    if (status >= 0)
        return status;
    if (argc - first > 1) {
        tkf_error("see 'tickfloor help --help'", "unexpected operand '%s'", argv[first + 1]);
        return TKF_EXIT_USAGE;
    }
    const struct tkf_verb *verb = NULL;
    if (first < argc && !(verb = tkf_verb_find(argv[first])))
        return TKF_EXIT_USAGE;
    tkf_help_print(verb);
    return TKF_EXIT_OK;
}
