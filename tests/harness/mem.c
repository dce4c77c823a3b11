/* SPDX-License-Identifier: MIT */
/* A known number of allocations from several threads; programs.py compares. The threads themselves are outside the timer. */
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>

#include <tickfloor/bench.h>

#define THREADS 4
#define ROUNDS  250

static pthread_barrier_t barrier;

/* 3 mallocs of 10, 1 calloc of 4 x 5, 2 reallocs of 100, 4 aligned of 64; everything is freed: 8 blocks. 506 bytes in 10 calls. */
static void allocate(void)
{
    void *a = malloc(10), *b = malloc(10), *c = malloc(10), *d = calloc(4, 5);
    tkf_keep(a), tkf_keep(b), tkf_keep(c), tkf_keep(d);
    a = realloc(a, 100);
    tkf_keep(a);
    b = realloc(b, 100);
    tkf_keep(b);
    void *e = aligned_alloc(64, 64), *f = NULL;
    tkf_keep(e);
    if (posix_memalign(&f, 64, 64) != 0)
        abort();
    tkf_keep(f);
    void *g = valloc(64), *h = pvalloc(64);
    tkf_keep(g), tkf_keep(h);
    free(a), free(b), free(c), free(d), free(e), free(f), free(g), free(h);
    free(NULL);
}

static void *work(void *argument)
{
    (void)argument;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < ROUNDS; i++)
        allocate();
    pthread_barrier_wait(&barrier);
    return NULL;
}

TKF_BENCH(Threads)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        for (int i = 0; i < THREADS; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        tkf_timer_start(b);
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        tkf_timer_stop(b);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        tkf_timer_start(b);
    }
    pthread_barrier_destroy(&barrier);
}

TKF_BENCH(EveryFourth)
{
    unsigned i = 0;
    while (tkf_loop(b)) {
        if (i++ % 4 == 0) {
            void *block = malloc(48);
            tkf_keep(block);
            free(block);
        }
    }
}

TKF_BENCH(None)
{
    void *block = malloc(64); /* before the loop: not its own */
    while (tkf_loop(b))
        tkf_keep(block);
    free(block);
}

TKF_BENCH(Environment)
{
    while (tkf_loop(b))
        tkf_keep(system("env"));
}

TKF_BENCH_MAIN()
