/* SPDX-License-Identifier: MIT */
/**
 * A calibration where no CPU can be bound and a kind of core can only be asked for. The measuring is real, the system is
 * made up: the build puts __wrap_tkf_topology_pin() in the place of binding.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include <tickfloor/calibrate.h>

#include "host.h"

static bool can_steer;
static unsigned begun, ended, looks, stray_every;
static uint64_t elsewhere;

int __wrap_tkf_topology_pin(struct tkf_topology *topology, unsigned cpu);
int __wrap_tkf_topology_pin(struct tkf_topology *topology, unsigned cpu)
{
    (void)topology, (void)cpu;
    return TKF_EUNSUPPORTED;
}

int tkf_steer_begin(const struct tkf_kind *kinds, unsigned nkinds, unsigned kind,
                    struct tkf_steer **ret_steer, const char **ret_how)
{
    (void)kinds;
    assert_true(kind < nkinds);
    if (!can_steer)
        return TKF_EUNSUPPORTED;
    begun++;
    *ret_steer = (struct tkf_steer *)&begun;
    *ret_how = "asked nicely";
    return 0;
}

uint64_t tkf_steer_elsewhere(const struct tkf_steer *steer)
{
    assert_ptr_equal(steer, &begun);
    looks++;
    elsewhere += stray_every != 0 && looks % stray_every == 0;
    return elsewhere;
}

void tkf_steer_end(struct tkf_steer *steer)
{
    ended += steer != NULL;
}

/* An even number of looks falls on the second one of a window: that window strayed. */
static int calibrate(bool steer, unsigned stray, const char *cpus, struct tkf_profile *ret_profile)
{
    struct tkf_calibrate_request request = {.quick = true, .cpus = cpus};
    struct tkf_input_error error;
    can_steer = steer;
    stray_every = stray;
    begun = ended = looks = 0;
    int result = tkf_calibrate_machine(&request, ret_profile, &error);
    assert_int_equal(begun, ended);
    return result;
}

static void a_kind_that_was_asked_for_is_named(void **state)
{
    (void)state;
    struct tkf_profile profile;
    assert_int_equal(calibrate(true, 10, NULL, &profile), 0);
    assert_false(profile.cpus[0].floor.pinned);
    assert_string_equal(profile.cpus[0].floor.unpinned_reason,
                        "this system cannot bind a thread to a CPU");
    assert_string_equal(profile.cpus[0].chosen, "the system's choice among its kind: asked nicely");
    assert_int_equal(profile.ncpus, begun);
    assert_true(looks > 1000);
    tkf_profile_free(&profile);
}

static void windows_that_strayed_do_not_count(void **state)
{
    (void)state;
    struct tkf_profile profile;
    /* Every one: nothing is left to measure with. */
    assert_true(calibrate(true, 2, NULL, &profile) < 0);
}

static void where_nothing_can_be_asked_for_one_is_enough(void **state)
{
    (void)state;
    struct tkf_profile profile;
    assert_int_equal(calibrate(false, 0, "all", &profile), 0);
    assert_int_equal(profile.ncpus, 1);
    assert_string_equal(profile.cpus[0].chosen, "the system's choice");
    assert_string_equal(profile.cpus[0].kind, "");
    assert_int_equal(looks, 0);
    tkf_profile_free(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kind_that_was_asked_for_is_named),
        cmocka_unit_test(windows_that_strayed_do_not_count),
        cmocka_unit_test(where_nothing_can_be_asked_for_one_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
