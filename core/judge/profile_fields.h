/* SPDX-License-Identifier: MIT */
/** The members of a profile's JSON, as a table that both the reader and the writer go through. */
#ifndef TKF_PROFILE_FIELDS_H
#define TKF_PROFILE_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include <tickfloor/measure.h>

#define TKF_PROFILE_SCHEMA "tickfloor.profile/1"

/** Most CPUs of a profile: it bounds what a small file can make the reader allocate. */
#define TKF_PROFILE_CPUS_MAX 1024

/** How a member of a struct is written. */
enum tkf_field_kind {
    TKF_FIELD_TEXT,     /**< char [size] */
    TKF_FIELD_STRING,   /**< const char *, NULL is null */
    TKF_FIELD_NAME,     /**< const char *, one of `names` */
    TKF_FIELD_ENUM,     /**< an enum, by `names` */
    TKF_FIELD_BOOL,     /**< bool */
    TKF_FIELD_UNSIGNED, /**< unsigned */
    TKF_FIELD_UINT64,   /**< uint64_t, by `range` */
    TKF_FIELD_REAL,     /**< double, NAN is null */
    TKF_FIELD_BAND,     /**< struct tkf_band, by `range`; null when its mid is NAN */
    TKF_FIELD_OBJECT,   /**< the same struct, or one inside it, through `members` */
    TKF_FIELD_OWNED, /**< a pointer to a struct of `size`, through `members`; left out when NULL */
    TKF_FIELD_LIST,  /**< an array inside the struct, each entry through `members` */
    TKF_FIELD_CPUS,  /**< struct tkf_profile's cpus */
    TKF_FIELD_CPUS_FIRST, /**< a copy of a part of struct tkf_profile's first CPU, through `members`; read past */
    TKF_FIELD_COUNTS,     /**< unsigned [max] */
    TKF_FIELD_FLAGS,      /**< bool [max]: the `names` of those that are set */
    TKF_FIELD_STATES,     /**< struct tkf_loop's fast and slow, those that were seen */
    TKF_FIELD_HYPERVISOR, /**< struct tkf_machine's: null unknown, "none" known to be absent */
    TKF_FIELD_USABLE, /**< struct tkf_rejected's error: whether the source could have been used */
};

/** What a number may be. */
enum tkf_field_range {
    TKF_RANGE_NONNEGATIVE,
    TKF_RANGE_POSITIVE,
    TKF_RANGE_SHARE, /**< 0..1 */
    TKF_RANGE_ANY,
};

struct tkf_field {
    const char *name; /**< NULL ends a table */
    enum tkf_field_kind kind;
    size_t offset;
    size_t size;                /**< TEXT: of the array; LIST: of one entry; OWNED: of the struct */
    bool nullable;              /**< TEXT "" and UNSIGNED 0 mean unknown or none: null */
    bool optional;              /**< may be missing */
    bool known;                 /**< REAL: may not be null */
    enum tkf_field_range range; /**< REAL, BAND, UINT64 */
    int digits;                 /**< REAL: significant digits when not the usual ones */
    const char *const *names;   /**< NAME, ENUM, FLAGS: ended by NULL */
    const struct tkf_field *members; /**< OBJECT, OWNED, LIST, CPUS, CPUS_FIRST */
    unsigned max;                    /**< LIST, COUNTS, FLAGS: entries that fit */
    size_t count_offset;             /**< LIST: where the number of entries is */
};

/** One entry of a loop's "states". */
struct tkf_named_state {
    struct tkf_state state;
    unsigned which; /**< 0 fast, 1 slow */
};

extern const struct tkf_field tkf_profile_fields[];     /**< of struct tkf_profile */
extern const struct tkf_field tkf_description_fields[]; /**< of struct tkf_description */
extern const struct tkf_field tkf_state_fields[];       /**< of struct tkf_named_state */

/** By enum tkf_explore_part; ended by NULL. */
extern const char *const tkf_explore_part_names[];

/** Whether a writer leaves a member out: there is nothing to say, and it may be missing. */
bool tkf_field_left_out(const struct tkf_field *field, const char *base);

#endif
