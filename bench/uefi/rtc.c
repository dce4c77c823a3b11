/* SPDX-License-Identifier: MIT */
/**
 * The real-time clock: slow and coarse, but its seconds are its own. The edge between two of them is known as well as the clock
 * can be polled.
 */
#include "firmware.h"
#include "rate.h"
#include "stats.h"
#include "window.h"

#define EDGES  3
#define TRIES  12
#define EDGE_S 200e-6 /* an edge known worse than this says nothing */

/* Much worse than any crystal, and than one poll in a second. */
#define WINDOWS_AGREE_PPM 500
#define SOURCES_AGREE_PPM 1000

static const char *const names[EDGES - 1] = {"rtc window 1", "rtc window 2"};

static bool read_clock(struct tkf_uefi_time *ret_time)
{
    return tkf_uefi_system->runtime->get_time != NULL &&
           tkf_uefi_system->runtime->get_time(ret_time, NULL) == TKF_UEFI_SUCCESS;
}

static unsigned days_of_month(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[(month + 11) % 12];
}

/** Make local time UTC, where the firmware says how far apart they are (8.3: local time is UTC less the zone). */
static void make_utc(struct tkf_uefi_time *t)
{
    enum { DAY = 24 * 60 };
    if (t->time_zone < -DAY || t->time_zone > DAY)
        return;
    int minutes = t->hour * 60 + t->minute + t->time_zone;
    if (minutes < 0 && --t->day == 0) {
        t->year -= t->month == 1;
        t->month = t->month == 1 ? 12 : t->month - 1;
        t->day = (uint8_t)days_of_month(t->year, t->month);
    } else if (minutes >= DAY && ++t->day > days_of_month(t->year, t->month)) {
        t->day = 1;
        t->year += t->month == 12;
        t->month = t->month == 12 ? 1 : t->month + 1;
    }
    minutes = (minutes + DAY) % DAY;
    t->hour = (uint8_t)(minutes / 60);
    t->minute = (uint8_t)(minutes % 60);
}

void tkf_uefi_rtc_stamp(char *ret_text, size_t size)
{
    struct tkf_uefi_time t = {.year = 0};
    ret_text[0] = '\0';
    if (!read_clock(&t) || t.year < 1998)
        return;
    make_utc(&t);
    tkf_uefi_format(ret_text, size, "%04u-%02u-%02uT%02u:%02u:%02uZ", t.year, t.month, t.day,
                    t.hour, t.minute, t.second);
}

struct edge {
    uint64_t ticks;           /**< the middle of the two polls between which it fell */
    uint64_t uncertain_ticks; /**< how long the two took */
    uint8_t second;           /**< that began */
};

/** The next change of the second. NULL, or why there is none. */
static const char *next_edge(const struct tkf_env *env, const struct tkf_counter *counter,
                             struct edge *ret_edge)
{
    struct tkf_uefi_time before, now;
    /* The last poll that saw the old second may have read it as soon as it began. */
    uint64_t from = tkf_window_now(env, counter->source), begun, between = from, after = from;
    double limit = 3 * tkf_rate_guess_hz(counter);
    if (!read_clock(&before))
        return "the firmware cannot read its real-time clock";
    do {
        begun = between;
        between = after;
        if (!read_clock(&now))
            return "the firmware cannot read its real-time clock";
        after = tkf_window_now(env, counter->source);
        if ((double)(after - from) > limit)
            return "the real-time clock does not advance";
    } while (now.second == before.second);
    *ret_edge = (struct edge){begun + (after - begun) / 2, after - begun, now.second};
    return NULL;
}

const char *tkf_uefi_rtc_check(const struct tkf_env *env, struct tkf_counter *counter)
{
    double sharp_ticks = EDGE_S * tkf_rate_guess_hz(counter);
    struct edge edges[EDGES], edge;
    unsigned n = 0;
    for (unsigned tries = 0; n < EDGES; tries++) {
        if (tries == TRIES)
            return "the edges of the real-time clock could not be seen sharply: polls of it took too long";
        const char *reason = next_edge(env, counter, &edge);
        if (reason != NULL)
            return reason;
        if ((double)edge.uncertain_ticks < sharp_ticks)
            edges[n++] = edge;
    }
    for (unsigned i = 0; i + 1 < EDGES; i++) {
        unsigned seconds = (60u + edges[i + 1].second - edges[i].second) % 60;
        tkf_rate_add(counter, names[i], (double)(edges[i + 1].ticks - edges[i].ticks) / seconds);
    }
    return NULL;
}

bool tkf_uefi_rtc_agrees(const struct tkf_counter *counter)
{
    double windows[EDGES - 1] = {0};
    bool agree = true;
    for (unsigned i = 0; i < counter->nrates; i++) {
        const struct tkf_rate *rate = &counter->rates[i];
        agree = agree && rate->ppm_off < SOURCES_AGREE_PPM && rate->ppm_off > -SOURCES_AGREE_PPM;
        for (unsigned k = 0; k + 1 < EDGES; k++) {
            if (tkf_uefi_same(rate->name, names[k]))
                windows[k] = rate->hz;
        }
    }
    double apart_ppm = (windows[1] / windows[0] - 1) * 1e6;
    return agree && apart_ppm < WINDOWS_AGREE_PPM && apart_ppm > -WINDOWS_AGREE_PPM;
}
