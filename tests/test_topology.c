/* SPDX-License-Identifier: MIT */
/* CPU lists, and kinds of core over made-up topologies. Binding is test_binding.c's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "topology.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- CPU lists ------------------------------------------------------------------------------ */

static void lists(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned ncpus, cpus[8];
    } good[] = {
        {"0", 1, {0}},
        {"0,3-5", 4, {0, 3, 4, 5}},
        {" 7 ,\t1-2 \n", 3, {1, 2, 7}},
        {"5,1,5,4-5", 3, {1, 4, 5}},
        {"3-3", 1, {3}},
        {"007", 1, {7}},
        {"65535", 1, {65535}},
        {"0-7", 8, {0, 1, 2, 3, 4, 5, 6, 7}},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        unsigned cpus[8], ncpus = 0;
        char reason[120] = "";
        assert_int_equal(tkf_cpulist_parse(good[i].text, cpus, 8, &ncpus, reason, sizeof(reason)),
                         0);
        assert_int_equal(ncpus, good[i].ncpus);
        assert_memory_equal(cpus, good[i].cpus, ncpus * sizeof(cpus[0]));
        assert_string_equal(reason, "");
    }
}

static void malformed_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *reason;
    } bad[] = {
        {"", "empty CPU list"},
        {" \t", "empty CPU list"},
        {"3-", "'3-' has no end"},
        {"1,-3", "'-3' has no start"},
        {"-", "'-' has no start"},
        {"5-3", "'5-3' runs backward"},
        {"x", "'x' is not a CPU number"},
        {"0,1x", "'1x' is not a CPU number"},
        {"+1", "'+1' is not a CPU number"},
        {"0x10", "'0x10' is not a CPU number"},
        {"1 2", "'1 2' is not a CPU number"},
        {"1-2-3", "'2-3' is not a CPU number"},
        {"0,,1", "no CPU before a comma in '0,,1'"},
        {",", "no CPU before a comma in ','"},
        {"0,", "no CPU after a comma in '0,'"},
        {"65536", "'65536' is too large for a CPU number (at most 65535)"},
        {"0-4294967295", "'4294967295' is too large for a CPU number (at most 65535)"},
        {"99999999999999999999999999999",
         "'999999999999999999999999' is too large for a CPU number (at most 65535)"},
        {"0-8", "9 CPUs are more than the 8 that fit"},
        {"0-65535", "65536 CPUs are more than the 8 that fit"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        unsigned cpus[8] = {77, 77}, ncpus = 77;
        char reason[120] = "";
        assert_int_equal(tkf_cpulist_parse(bad[i].text, cpus, 8, &ncpus, reason, sizeof(reason)),
                         TKF_EINVAL);
        assert_string_equal(reason, bad[i].reason);
        assert_int_equal(ncpus, 77);
        assert_int_equal(cpus[0], 77);
    }
    /* A reason that does not fit is cut, and nothing else is written. */
    char small[9] = "12345678";
    unsigned cpus[1], ncpus;
    assert_int_equal(tkf_cpulist_parse("x", cpus, 1, &ncpus, small, 5), TKF_EINVAL);
    assert_string_equal(small, "'x' ");
    assert_string_equal(small + 5, "678");
}

/* ---- kinds ---------------------------------------------------------------------------------- */

static hwloc_topology_t synthetic(const char *description)
{
    hwloc_topology_t hwloc;
    assert_int_equal(hwloc_topology_init(&hwloc), 0);
    assert_int_equal(hwloc_topology_set_synthetic(hwloc, description), 0);
    assert_int_equal(hwloc_topology_load(hwloc), 0);
    return hwloc;
}

static hwloc_bitmap_t set_of(const char *list)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    assert_int_equal(hwloc_bitmap_list_sscanf(set, list), 0);
    return set;
}

/* Tell hwloc of a kind; infos are "name", "value", ..., NULL. */
static void add_kind(hwloc_topology_t hwloc, const char *cpus, int efficiency, ...)
{
    struct hwloc_info_s infos[4];
    unsigned ninfos = 0;
    va_list list;
    va_start(list, efficiency);
    for (char *name; (name = va_arg(list, char *)); ninfos++)
        infos[ninfos] = (struct hwloc_info_s){.name = name, .value = va_arg(list, char *)};
    va_end(list);
    hwloc_bitmap_t set = set_of(cpus);
#if HWLOC_API_VERSION >= 0x00030000
    struct hwloc_infos_s all = {.array = infos, .count = ninfos, .allocated = ninfos};
    assert_int_equal(hwloc_cpukinds_register(hwloc, set, efficiency, &all, 0), 0);
#else
    assert_int_equal(hwloc_cpukinds_register(hwloc, set, efficiency, ninfos, infos, 0), 0);
#endif
    hwloc_bitmap_free(set);
}

static struct tkf_topology *wrapped(hwloc_topology_t hwloc, const char *usable)
{
    struct tkf_topology *topology;
    hwloc_bitmap_t set = set_of(usable);
    assert_int_equal(tkf_topology_wrap(hwloc, set, &topology), 0);
    hwloc_bitmap_free(set);
    return topology;
}

/* Kinds as "name:cpu cpu;name:cpu", which is easy to compare. */
static void assert_kinds(struct tkf_topology *topology, const char *expected)
{
    char text[400] = "";
    size_t length = 0;
    unsigned nkinds;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    for (unsigned i = 0; i < nkinds; i++) {
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s:", i ? ";" : "",
                                   kinds[i].name);
        for (unsigned j = 0; j < kinds[i].ncpus; j++)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u", j ? " " : "",
                                       kinds[i].cpus[j]);
    }
    assert_string_equal(text, expected);
    tkf_topology_free(topology);
}

#define EIGHT "core:8 pu:1"
#define HOLES "core:4 pu:1(indexes=0,2,4,6)"
#define ATOM  "CoreType", "IntelAtom"
#define CORE  "CoreType", "IntelCore"
#define END   (char *)NULL

static void one_kind(void **state)
{
    (void)state;
    assert_kinds(wrapped(synthetic(HOLES), "0,2,4,6"), ":0 2 4 6");
    assert_kinds(wrapped(synthetic(HOLES), "4,6"), ":4 6");

    /* One kind has no name, whatever is known of it. */
    hwloc_topology_t hwloc = synthetic(HOLES);
    add_kind(hwloc, "0,2,4,6", 1, CORE, END);
    assert_kinds(wrapped(hwloc, "0,2,4,6"), ":0 2 4 6");
}

static void ranked_kinds(void **state)
{
    (void)state;
    hwloc_topology_t hwloc = synthetic(EIGHT);
    add_kind(hwloc, "0-3", 7, CORE, END);
    add_kind(hwloc, "4-7", 2, ATOM, END);
    assert_kinds(wrapped(hwloc, "0-7"), "IntelCore:0 1 2 3;IntelAtom:4 5 6 7");

    hwloc = synthetic(EIGHT); /* the fast ones last, and only some of each may be used */
    add_kind(hwloc, "0-3", 2, ATOM, END);
    add_kind(hwloc, "4-7", 7, CORE, END);
    assert_kinds(wrapped(hwloc, "1,3-5"), "IntelCore:4 5;IntelAtom:1 3");

    hwloc = synthetic(EIGHT); /* none of the fast kind; the other keeps its name */
    add_kind(hwloc, "0-3", 2, ATOM, END);
    add_kind(hwloc, "4-7", 7, CORE, END);
    assert_kinds(wrapped(hwloc, "2"), "IntelAtom:2");

    hwloc = synthetic(HOLES);
    add_kind(hwloc, "0,4", 2, ATOM, END);
    add_kind(hwloc, "2,6", 7, CORE, END);
    assert_kinds(wrapped(hwloc, "0,2,4,6"), "IntelCore:2 6;IntelAtom:0 4");
}

static void unranked_kinds(void **state)
{
    (void)state;
    hwloc_topology_t hwloc = synthetic(EIGHT);
    add_kind(hwloc, "4-7", -1, "CoreType", "P", END);
    add_kind(hwloc, "2-3", -1, "CoreType", "M", END);
    add_kind(hwloc, "0-1", -1, "CoreType", "E", END);
    assert_kinds(wrapped(hwloc, "0-7"), "P:4 5 6 7;M:2 3;E:0 1");
}

static void kinds_of_one_name(void **state)
{
    (void)state;
    hwloc_topology_t hwloc = synthetic(EIGHT);
    add_kind(hwloc, "0-3", 0, "DarwinCompatible", "apple,icestorm;ARM,v8", END);
    add_kind(hwloc, "4-7", 1, "DarwinCompatible", "apple,firestorm;ARM,v8", END);
    assert_kinds(wrapped(hwloc, "0-7"), "apple,firestorm:4 5 6 7;apple,icestorm:0 1 2 3");

    hwloc = synthetic(EIGHT);
    add_kind(hwloc, "0-3", 1, "LinuxCapacity", "446", END);
    add_kind(hwloc, "4-7", 2, "LinuxCapacity", "1024", "FrequencyMaxMHz", "2000", END);
    assert_kinds(wrapped(hwloc, "0-7"), "capacity 1024:4 5 6 7;capacity 446:0 1 2 3");

    hwloc = synthetic(EIGHT);
    add_kind(hwloc, "0-1", 1, ATOM, "FrequencyMaxMHz", "3800", END);
    add_kind(hwloc, "2-3", 2, CORE, "FrequencyMaxMHz", "5000", END);
    add_kind(hwloc, "4-7", 3, CORE, "FrequencyMaxMHz", "5200", END);
    assert_kinds(wrapped(hwloc, "0-7"),
                 "IntelCore 5200 MHz:4 5 6 7;IntelCore 5000 MHz:2 3;IntelAtom:0 1");

    hwloc = synthetic(EIGHT); /* nothing tells them apart */
    add_kind(hwloc, "0-3", 1, END);
    add_kind(hwloc, "4-7", 2, END);
    assert_kinds(wrapped(hwloc, "0-7"), ":4 5 6 7;:0 1 2 3");
}

static void cpus_of_no_kind(void **state)
{
    (void)state;
    hwloc_topology_t hwloc = synthetic(EIGHT);
    add_kind(hwloc, "0-1", 1, ATOM, END);
    add_kind(hwloc, "2-3", 2, CORE, END);
    assert_kinds(wrapped(hwloc, "0-2,5,7"), "IntelCore:2;IntelAtom:0 1;:5 7");
}

static void allowed(void **state)
{
    (void)state;
    struct tkf_topology *topology = wrapped(synthetic(EIGHT), "0-2,5");
    assert_true(tkf_topology_allows(topology, 5));
    assert_false(tkf_topology_allows(topology, 3));
    assert_false(tkf_topology_allows(topology, 4000000000u));
    char text[16];
    tkf_topology_describe(topology, text, sizeof(text));
    assert_string_equal(text, "0-2,5");
    tkf_topology_describe(topology, text, 4);
    assert_string_equal(text, "0-2");

    assert_int_equal(tkf_topology_pin(topology, 3), TKF_ENOCPU);
    /* hwloc would report success here: a made-up topology binds nothing. */
    assert_int_equal(tkf_topology_pin(topology, 0), TKF_EUNSUPPORTED);
    tkf_topology_free(topology);
    tkf_topology_free(NULL);
}

static void foreign(void **state)
{
    (void)state;
    struct tkf_topology *topology = NULL;
    char reason[120] = "";
    assert_int_equal(setenv("HWLOC_SYNTHETIC", EIGHT, 1), 0);
    assert_int_equal(tkf_topology_load(&topology, reason, sizeof(reason)), TKF_EUNSUPPORTED);
    assert_null(topology);
    assert_string_equal(reason,
                        "HWLOC_SYNTHETIC is set, so hwloc describes another machine; unset it");
    unsetenv("HWLOC_SYNTHETIC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),           cmocka_unit_test(malformed_lists),
        cmocka_unit_test(one_kind),        cmocka_unit_test(ranked_kinds),
        cmocka_unit_test(unranked_kinds),  cmocka_unit_test(kinds_of_one_name),
        cmocka_unit_test(cpus_of_no_kind), cmocka_unit_test(allowed),
        cmocka_unit_test(foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
