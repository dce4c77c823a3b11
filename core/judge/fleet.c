/* SPDX-License-Identifier: MIT */
#include "fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"
#include "profile_read.h"
#include "refuse.h"
#include "stream.h"

/* The standard deviation of a normal distribution over its median absolute deviation. */
#define SIGMA_OF_MAD 1.4826

/* ---- taking profiles ---- */

/* What is being read. */
struct reading {
    struct tkf_fleet *fleet;
    const char *file;
    unsigned ndocuments;
};

struct taking {
    struct tkf_fleet *fleet;
    const struct tkf_profile *profile;
    int cpu; /* of which `place` is */
    char place[48];
};

static long text_number(struct tkf_fleet *fleet, const char *text)
{
    return tkf_names_add(&fleet->texts, text, strlen(text));
}

static long column_of(struct taking *taking, const struct tkf_quantity *quantity)
{
    struct tkf_fleet *fleet = taking->fleet;
    char key[160];
    if (quantity->cpu < 0)
        taking->place[0] = '\0';
    else if (quantity->cpu != taking->cpu)
        tkf_cpu_place(taking->profile, (unsigned)quantity->cpu, taking->place,
                      sizeof(taking->place));
    taking->cpu = quantity->cpu;
    /* The unit too: one that changed its name is another quantity. */
    int length =
        snprintf(key, sizeof(key), "%s\n%s\n%s", quantity->name, taking->place, quantity->unit);
    long column = tkf_names_add(&fleet->column_keys, key, (size_t)length);
    if (column < 0 || (size_t)column < fleet->ncolumns)
        return column;
    void *more =
        tkf_grow(fleet->columns, fleet->ncolumns, &fleet->columns_size, sizeof(fleet->columns[0]));
    if (!more)
        return TKF_ENOMEM;
    fleet->columns = more;
    struct tkf_fleet_column *kept = &fleet->columns[fleet->ncolumns++];
    *kept = (struct tkf_fleet_column){
        .group = quantity->group,
        .better = quantity->better,
        .slack = quantity->slack,
        .least = quantity->least,
    };
    strcpy(kept->name, quantity->name);
    strcpy(kept->cpu, taking->place);
    snprintf(kept->unit, sizeof(kept->unit), "%s", quantity->unit);
    return column;
}

static int take_quantity(void *ctx, const struct tkf_quantity *quantity)
{
    struct taking *taking = ctx;
    struct tkf_fleet *fleet = taking->fleet;
    long column = column_of(taking, quantity);
    if (column < 0)
        return TKF_ENOMEM;
    void *more =
        tkf_grow(fleet->values, fleet->nvalues, &fleet->values_size, sizeof(fleet->values[0]));
    if (!more)
        return TKF_ENOMEM;
    fleet->values = more;
    fleet->values[fleet->nvalues++] =
        (struct tkf_fleet_value){.column = (uint32_t)column, .value = (float)quantity->value.mid};
    return 0;
}

static int by_column(const void *a, const void *b)
{
    const struct tkf_fleet_value *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* A name that is there twice in one profile counts once. */
static void drop_repeated(struct tkf_fleet *fleet, size_t first)
{
    size_t kept = first;
    bool sorted = true;
    for (size_t i = first + 1; i < fleet->nvalues && sorted; i++)
        sorted = fleet->values[i - 1].column <= fleet->values[i].column;
    if (!sorted)
        qsort(fleet->values + first, fleet->nvalues - first, sizeof(fleet->values[0]), by_column);
    for (size_t i = first; i < fleet->nvalues; i++) {
        if (i == first || fleet->values[i].column != fleet->values[i - 1].column)
            fleet->values[kept++] = fleet->values[i];
    }
    fleet->nvalues = kept;
}

static long model_of(struct tkf_fleet *fleet, const struct tkf_machine *machine)
{
    char key[300];
    const char *hypervisor =
        machine->hypervisor[0] || !machine->hypervisor_known ? machine->hypervisor : "none";
    int length = snprintf(key, sizeof(key), "%s\n%s\n%s\n%s\n%s", machine->cpu, machine->cpu_id,
                          machine->arch, machine->os, hypervisor);
    long model = tkf_names_add(&fleet->model_keys, key, (size_t)length);
    if (model < 0 || (size_t)model < fleet->nmodels)
        return model;
    const char *const texts[] = {machine->arch, machine->os, machine->cpu, machine->cpu_id,
                                 hypervisor};
    unsigned numbers[5];
    for (unsigned i = 0; i < 5; i++) {
        long number = text_number(fleet, texts[i]);
        if (number < 0)
            return number;
        numbers[i] = (unsigned)number;
    }
    void *more =
        tkf_grow(fleet->models, fleet->nmodels, &fleet->models_size, sizeof(fleet->models[0]));
    if (!more)
        return TKF_ENOMEM;
    fleet->models = more;
    fleet->models[fleet->nmodels++] = (struct tkf_fleet_model){
        .arch = numbers[0],
        .os = numbers[1],
        .cpu = numbers[2],
        .cpu_id = numbers[3],
        .hypervisor = numbers[4],
    };
    return model;
}

/* The name, made another where it was there before: what is written needs each only once. NULL: out of memory. */
static char *unique_name(struct tkf_fleet *fleet, const char *name)
{
    char *unique = NULL;
    for (const char *wanted = name;;) {
        size_t before = fleet->machine_names.count;
        long number = tkf_names_add(&fleet->machine_names, wanted, strlen(wanted));
        if (number < 0)
            break;
        if (fleet->machine_names.count > before) {
            void *more = tkf_grow(fleet->names_seen, before, &fleet->names_size,
                                  sizeof(fleet->names_seen[0]));
            if (!more)
                break;
            fleet->names_seen = more;
            fleet->names_seen[number] = 1;
            return unique ? unique : strdup(name);
        }
        number = tkf_names_add(&fleet->machine_names, name, strlen(name));
        free(unique);
        if (number < 0 || asprintf(&unique, "%s#%u", name, ++fleet->names_seen[number]) < 0)
            return NULL;
        wanted = unique;
    }
    free(unique);
    return NULL;
}

static char *name_of(struct reading *reading, const struct tkf_document *document,
                     const struct tkf_profile *profile)
{
    char place[400];
    const char *name = profile->machine.host;
    if (name[0] == '\0')
        name = document->label;
    if (name[0] == '\0' && document->line > 1) {
        snprintf(place, sizeof(place), "%.380s:%u", reading->file, document->line);
        name = place;
    } else if (name[0] == '\0') {
        name = reading->file;
    }
    return unique_name(reading->fleet, name);
}

static int take_profile(struct reading *reading, const struct tkf_document *document,
                        const struct tkf_profile *profile)
{
    struct tkf_fleet *fleet = reading->fleet;
    const char *const texts[] = {reading->file, profile->machine.kernel, profile->machine.microcode,
                                 profile->created};
    long numbers[4], model = model_of(fleet, &profile->machine);
    struct taking taking = {.fleet = fleet, .profile = profile, .cpu = -1};
    size_t first = fleet->nvalues;
    for (unsigned i = 0; i < 4; i++) {
        numbers[i] = text_number(fleet, texts[i]);
        if (numbers[i] < 0)
            return TKF_ENOMEM;
    }
    void *more = tkf_grow(fleet->machines, fleet->nmachines, &fleet->machines_size,
                          sizeof(fleet->machines[0]));
    if (!more || model < 0)
        return TKF_ENOMEM;
    fleet->machines = more;
    if (tkf_quantities(profile, take_quantity, &taking) < 0)
        return TKF_ENOMEM;
    drop_repeated(fleet, first);
    char *name = name_of(reading, document, profile);
    if (!name)
        return TKF_ENOMEM;
    fleet->machines[fleet->nmachines++] = (struct tkf_fleet_machine){
        .name = name,
        .file = (unsigned)numbers[0],
        .kernel = (unsigned)numbers[1],
        .microcode = (unsigned)numbers[2],
        .created = (unsigned)numbers[3],
        .line = document->line,
        .model = (unsigned)model,
        .first = first,
        .count = fleet->nvalues - first,
    };
    return 0;
}

int tkf_fleet_add_bad(struct tkf_fleet *fleet, const char *file, const char *label,
                      const struct tkf_input_error *why)
{
    long number = text_number(fleet, file);
    void *more = tkf_grow(fleet->bad, fleet->nbad, &fleet->bad_size, sizeof(fleet->bad[0]));
    if (!more || number < 0)
        return TKF_ENOMEM;
    fleet->bad = more;
    struct tkf_fleet_bad *bad = &fleet->bad[fleet->nbad];
    *bad =
        (struct tkf_fleet_bad){.label = strdup(label), .file = (unsigned)number, .line = why->line};
    if (!bad->label)
        return TKF_ENOMEM;
    strcpy(bad->text, why->text);
    strcpy(bad->next, why->next);
    fleet->nbad++;
    return 0;
}

/**
 * Where a profile lost a line with a bracket, what is left of it falls into pieces; the first of them has been named. A document
 * of its own, and one of which no label says whose it is, counts.
 */
static bool is_rest(const struct tkf_document *document)
{
    static const char schema[] = "\"schema\"";
    return document->after_broken && document->label[0] != '\0' &&
           memmem(document->text, document->length, schema, strlen(schema)) == NULL;
}

static int take_document(void *ctx, struct tkf_document *document)
{
    struct reading *reading = ctx;
    struct tkf_profile profile;
    struct tkf_input_error why;
    size_t used;
    int ret;
    reading->ndocuments++;
    if (is_rest(document))
        return 1;
    if (document->too_long)
        ret = tkf_refuse(&why, document->line, "give what tickfloor calibrate --json printed",
                         "larger than %zu MiB, so not a profile", TKF_DOCUMENT_MAX >> 20);
    else
        ret = tkf_profile_parse(document->text, document->length, document->line, &profile, &used,
                                &why);
    if (ret == TKF_EFORMAT) {
        if (!document->whole_lines) /* others lie between them */
            why.line = document->line;
        ret = tkf_fleet_add_bad(reading->fleet, reading->file, document->label, &why);
        return ret < 0 ? ret : 1;
    }
    if (ret == 0) {
        ret = take_profile(reading, document, &profile);
        tkf_profile_free(&profile);
    }
    return ret;
}

int tkf_fleet_read(struct tkf_fleet *fleet, FILE *in, const char *file)
{
    struct reading reading = {.fleet = fleet, .file = file};
    unsigned strays;
    int ret = tkf_stream_read(in, take_document, &reading, &strays);
    if (ret < 0)
        return ret;
    fleet->strays += strays;
    if (reading.ndocuments > 0)
        return 0;
    struct tkf_input_error why;
    tkf_refuse(&why, strays > 0, "give what tickfloor calibrate --json printed",
               strays > 0 ? "no profile in it" : "empty");
    return tkf_fleet_add_bad(fleet, file, "", &why);
}

/* ---- judging ---- */

/* What judging one model works in. */
struct work {
    size_t *begins;     /* [ncolumns + 1]: where a column's values begin; all 0 between models */
    uint32_t *used;     /* [ncolumns]: columns that the model has */
    uint32_t *by_group; /* [ncolumns] */
    float *values;      /* [most values of a model]: column by column */
    unsigned *machines; /* whose they are */
    float *sorted;      /* [most machines of a model] */
};

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double median_of(const float *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : ((double)sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static int add_odd(struct tkf_fleet *fleet, const struct tkf_fleet_odd *odd)
{
    void *more = tkf_grow(fleet->odds, fleet->nodds, &fleet->odds_size, sizeof(fleet->odds[0]));
    if (!more)
        return TKF_ENOMEM;
    fleet->odds = more;
    fleet->odds[fleet->nodds++] = *odd;
    return 0;
}

static int judge_column(struct tkf_fleet *fleet, uint32_t number, const float *values,
                        const unsigned *machines, size_t n, float *sorted)
{
    const struct tkf_fleet_column *column = &fleet->columns[number];
    void *more = tkf_grow(fleet->stats, fleet->nstats, &fleet->stats_size, sizeof(fleet->stats[0]));
    if (!more)
        return TKF_ENOMEM;
    fleet->stats = more;
    struct tkf_fleet_stat *stat = &fleet->stats[fleet->nstats];
    memcpy(sorted, values, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), by_size);
    *stat = (struct tkf_fleet_stat){
        .column = number,
        .n = (unsigned)n,
        .median = median_of(sorted, n),
        .lowest = sorted[0],
        .highest = sorted[n - 1],
        .scale = NAN,
    };
    for (size_t i = 0; i < n; i++)
        sorted[i] = (float)fabs(values[i] - stat->median);
    qsort(sorted, n, sizeof(*sorted), by_size);
    stat->mad = median_of(sorted, n);
    size_t index = fleet->nstats++;
    if (n < TKF_FLEET_LEAST)
        return 0;
    double within =
        fleet->tolerance_percent / 100 * column->slack * fabs(stat->median) + column->least;
    stat->scale = fmax(SIGMA_OF_MAD * stat->mad, within / fleet->distance);
    for (size_t i = 0; i < n; i++) {
        double away = values[i] - stat->median;
        if (!(fabs(away) > fleet->distance * stat->scale))
            continue;
        struct tkf_fleet_odd odd = {
            .machine = machines[i],
            .stat = index,
            .value = values[i],
            .distance = (float)(away / stat->scale),
        };
        if (add_odd(fleet, &odd) < 0)
            return TKF_ENOMEM;
        stat->nodd++;
    }
    return 0;
}

/* Group by group; within one as the profiles have them. */
static void sort_by_group(const struct tkf_fleet *fleet, struct work *work, size_t nused)
{
    size_t begins[TKF_GROUPS + 1] = {0};
    for (size_t i = 0; i < nused; i++)
        begins[fleet->columns[work->used[i]].group + 1]++;
    for (unsigned group = 0; group < TKF_GROUPS; group++)
        begins[group + 1] += begins[group];
    for (size_t i = 0; i < nused; i++)
        work->by_group[begins[fleet->columns[work->used[i]].group]++] = work->used[i];
    memcpy(work->used, work->by_group, nused * sizeof(*work->used));
}

/* The model's values, sorted by column by counting them; then column by column. */
static int judge_model(struct tkf_fleet *fleet, struct tkf_fleet_model *model, struct work *work)
{
    size_t nused = 0, total = 0;
    int ret = 0;
    model->first_stat = fleet->nstats;
    for (size_t i = 0; i < model->count; i++) {
        const struct tkf_fleet_machine *machine =
            &fleet->machines[fleet->by_model[model->first + i]];
        for (size_t k = 0; k < machine->count; k++) {
            uint32_t column = fleet->values[machine->first + k].column;
            if (work->begins[column]++ == 0)
                work->used[nused++] = column;
        }
    }
    sort_by_group(fleet, work, nused);
    for (size_t i = 0; i < nused; i++) {
        size_t count = work->begins[work->used[i]];
        work->begins[work->used[i]] = total;
        total += count;
    }
    for (size_t i = 0; i < model->count; i++) {
        unsigned number = fleet->by_model[model->first + i];
        const struct tkf_fleet_machine *machine = &fleet->machines[number];
        for (size_t k = 0; k < machine->count; k++) {
            const struct tkf_fleet_value *value = &fleet->values[machine->first + k];
            size_t at = work->begins[value->column]++;
            work->values[at] = value->value;
            work->machines[at] = number;
        }
    }
    for (size_t i = 0, at = 0; i < nused && ret == 0; i++) {
        size_t n = work->begins[work->used[i]] - at; /* now where it ends */
        ret = judge_column(fleet, work->used[i], work->values + at, work->machines + at, n,
                           work->sorted);
        at += n;
    }
    for (size_t i = 0; i < nused; i++)
        work->begins[work->used[i]] = 0;
    model->nstats = fleet->nstats - model->first_stat;
    return ret;
}

static int by_machine(const void *a, const void *b)
{
    const struct tkf_fleet_odd *x = a, *y = b;
    if (x->machine != y->machine)
        return x->machine < y->machine ? -1 : 1;
    float p = fabsf(x->distance), q = fabsf(y->distance);
    if (p != q)
        return p > q ? -1 : 1;
    return (x->stat > y->stat) - (x->stat < y->stat);
}

/* Model after model, each machine in the order in which it was read. */
static void sort_by_model(struct tkf_fleet *fleet)
{
    size_t first = 0;
    for (size_t i = 0; i < fleet->nmachines; i++)
        fleet->models[fleet->machines[i].model].count++;
    for (size_t i = 0; i < fleet->nmodels; i++) {
        fleet->models[i].first = first;
        first += fleet->models[i].count;
        fleet->models[i].count = 0;
    }
    for (size_t i = 0; i < fleet->nmachines; i++) {
        struct tkf_fleet_model *model = &fleet->models[fleet->machines[i].model];
        fleet->by_model[model->first + model->count++] = (unsigned)i;
    }
}

static void give_odds_to_machines(struct tkf_fleet *fleet)
{
    if (fleet->nodds > 0)
        qsort(fleet->odds, fleet->nodds, sizeof(fleet->odds[0]), by_machine);
    for (size_t i = 0; i < fleet->nodds; i++) {
        struct tkf_fleet_machine *machine = &fleet->machines[fleet->odds[i].machine];
        if (machine->nodd++ > 0)
            continue;
        machine->first_odd = i;
        fleet->models[machine->model].nodd++;
        fleet->nodd_machines++;
    }
}

int tkf_fleet_judge(struct tkf_fleet *fleet)
{
    struct work work = {0};
    size_t most_machines = 0, most_values = 0;
    int ret = TKF_ENOMEM;
    fleet->by_model = malloc((fleet->nmachines + 1) * sizeof(*fleet->by_model));
    if (!fleet->by_model)
        return TKF_ENOMEM;
    sort_by_model(fleet);
    for (size_t i = 0; i < fleet->nmodels; i++) {
        size_t values = 0;
        for (size_t k = 0; k < fleet->models[i].count; k++)
            values += fleet->machines[fleet->by_model[fleet->models[i].first + k]].count;
        most_values = values > most_values ? values : most_values;
        if (fleet->models[i].count > most_machines)
            most_machines = fleet->models[i].count;
    }
    work.begins = calloc(fleet->ncolumns + 1, sizeof(*work.begins));
    work.used = malloc((fleet->ncolumns + 1) * sizeof(*work.used));
    work.by_group = malloc((fleet->ncolumns + 1) * sizeof(*work.by_group));
    work.values = malloc((most_values + 1) * sizeof(*work.values));
    work.machines = malloc((most_values + 1) * sizeof(*work.machines));
    work.sorted = malloc((most_machines + 1) * sizeof(*work.sorted));
    if (work.begins && work.used && work.by_group && work.values && work.machines && work.sorted)
        ret = 0;
    for (size_t i = 0; i < fleet->nmodels && ret == 0; i++)
        ret = judge_model(fleet, &fleet->models[i], &work);
    if (ret == 0)
        give_odds_to_machines(fleet);
    free(work.begins);
    free(work.used);
    free(work.by_group);
    free(work.values);
    free(work.machines);
    free(work.sorted);
    return ret;
}

void tkf_fleet_free(struct tkf_fleet *fleet)
{
    for (size_t i = 0; i < fleet->nmachines; i++)
        free(fleet->machines[i].name);
    for (size_t i = 0; i < fleet->nbad; i++)
        free(fleet->bad[i].label);
    tkf_names_free(&fleet->texts);
    tkf_names_free(&fleet->column_keys);
    tkf_names_free(&fleet->model_keys);
    tkf_names_free(&fleet->machine_names);
    free(fleet->names_seen);
    free(fleet->columns);
    free(fleet->models);
    free(fleet->machines);
    free(fleet->values);
    free(fleet->bad);
    free(fleet->by_model);
    free(fleet->stats);
    free(fleet->odds);
    *fleet = (struct tkf_fleet){.tolerance_percent = 0};
}
