/* SPDX-License-Identifier: MIT */
/**
 * The profiles of many machines: what is usual for each model, and which machines are not.
 *
 * Only the quantities are kept of a profile, as floats. A machine is held against those of its model by a robust distance:
 * from the median, in units of 1.4826 MAD (which is one standard deviation where the values are normal). The unit has a floor,
 * since many quantities are the same on all machines but for one: nothing within the tolerance of the median is odd.
 */
#ifndef TKF_FLEET_H
#define TKF_FLEET_H

#include <stdint.h>
#include <stdio.h>

#include "names.h"
#include "quantities.h"

#define TKF_FLEET_DISTANCE 6

/** Machines of one model that have a quantity, for it to be judged: of two none is the odd one. */
#define TKF_FLEET_LEAST 3

/** A quantity of any of the machines. */
struct tkf_fleet_column {
    char name[80], cpu[48]; /**< as struct tkf_quantity's, and tkf_cpu_place() */
    char unit[8];
    enum tkf_group group;
    enum tkf_better better;
    double slack, least;
};

struct tkf_fleet_value {
    uint32_t column;
    float value;
};

/** Numbers of texts in struct tkf_fleet's. */
struct tkf_fleet_model {
    unsigned arch, os, cpu, cpu_id, hypervisor;
    size_t first, count; /**< in `by_model` */
    size_t first_stat, nstats;
    size_t nodd; /**< machines */
};

/** One profile. */
struct tkf_fleet_machine {
    char *name; /**< its own name, that of its lines, or where it was read; unique in the fleet */
    unsigned file, kernel, microcode, created; /**< numbers of texts */
    unsigned line;                             /**< on which it begins */
    unsigned model;
    size_t first, count;    /**< its values */
    size_t first_odd, nodd; /**< its entries in `odds` */
};

/** A quantity among the machines of one model. */
struct tkf_fleet_stat {
    uint32_t column;
    unsigned n, nodd;
    double median, mad, lowest, highest;
    double
        scale; /**< the distance of 1: 1.4826 MAD or its floor; NAN where there are too few machines */
};

struct tkf_fleet_odd {
    unsigned machine;
    size_t stat;
    float value;
    float distance; /**< signed: above the median is positive */
};

/** An input, or a part of one, that is no profile. */
struct tkf_fleet_bad {
    char *label; /**< "" without */
    unsigned file, line;
    char text[200], next[160];
};

struct tkf_fleet {
    double tolerance_percent, distance;
    struct tkf_names texts, column_keys, model_keys, machine_names;
    unsigned *names_seen; /**< how often each of machine_names was there */
    size_t names_size;
    struct tkf_fleet_column *columns;
    size_t ncolumns, columns_size;
    struct tkf_fleet_model *models;
    size_t nmodels, models_size;
    struct tkf_fleet_machine *machines;
    size_t nmachines, machines_size;
    struct tkf_fleet_value *values;
    size_t nvalues, values_size;
    struct tkf_fleet_bad *bad;
    size_t nbad, bad_size;
    unsigned strays; /**< lines that were no part of a profile */
    /* by tkf_fleet_judge() */
    unsigned *by_model; /**< machines, model after model, as they were read */
    struct tkf_fleet_stat *stats;
    size_t nstats, stats_size;
    struct tkf_fleet_odd *odds; /**< by machine, farthest first */
    size_t nodds, odds_size;
    size_t nodd_machines;
};

/**
 * Add the profiles in an input, one or many. What is none becomes an entry of `bad`.
 * @param file  its name.
 * Errors: TKF_EIO with errno · TKF_ENOMEM.
 */
int tkf_fleet_read(struct tkf_fleet *fleet, FILE *in, const char *file);

/** Add an entry to `bad`. TKF_ENOMEM. */
int tkf_fleet_add_bad(struct tkf_fleet *fleet, const char *file, const char *label,
                      const struct tkf_input_error *why);

/**
 * Find the odd ones. Once, when all are added; tolerance_percent and distance are set.
 * Errors: TKF_ENOMEM.
 */
int tkf_fleet_judge(struct tkf_fleet *fleet);

/** What is in it, not the struct itself. */
void tkf_fleet_free(struct tkf_fleet *fleet);

#endif
