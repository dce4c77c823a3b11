/* SPDX-License-Identifier: MIT */
/**
 * The frame of the command: verbs, help, messages, streams, signals and style. argv[1] is the built
 * command.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "run_command.h"

static const char *tickfloor;
static bool skipped;

/** Leave a test that this machine cannot show, loudly: main() returns 77 then. */
static void skip_because(const char *reason)
{
    fprintf(stderr, "skipped: %s\n", reason);
    skipped = true;
    skip();
}

/* ---- the command, from outside --------------------------------------------------------------- */

#define WORDS 5

struct row {
    const char *name;
    const char *words[WORDS + 1]; /* after "tickfloor" */
    int status;
    const char *out; /* a part of it; "" for nothing at all */
    const char
        *err; /* all of it but "tickfloor: " and the end of the line; "" for nothing at all */
    unsigned closed;
    bool reader_gone;
    const char *out_path;
};

#define VERSION_LINE "tickfloor " TKF_VERSION "\n"
#define SHOW_USAGE   "Usage: tickfloor show "
#define USAGE        "Usage: tickfloor [COMMAND]"
#define NO_COMMAND   "see 'tickfloor --help'"

static struct row rows[] = {
    {.name = "--help", .words = {"--help"}, .out = USAGE},
    {.name = "-h", .words = {"-h"}, .out = USAGE},
    {.name = "help", .words = {"help"}, .out = USAGE},
    {.name = "help lists the verbs", .words = {"help"}, .out = "\n  show       print a saved"},
    {.name = "help tells the exit status", .words = {"help"}, .out = "\n  130  interrupted\n  143  terminated\n"},
    {.name = "help show", .words = {"help", "show"}, .out = SHOW_USAGE},
    {.name = "--help show", .words = {"--help", "show"}, .out = SHOW_USAGE},
    {.name = "show --help", .words = {"show", "--help"}, .out = SHOW_USAGE},
    {.name = "show x --hel", .words = {"show", "x", "--hel"}, .out = SHOW_USAGE},
    {.name = "help help", .words = {"help", "help"}, .out = "Usage: tickfloor help "},
    {.name = "--json --help", .words = {"--json", "--help"}, .out = "Usage: tickfloor calibrate "},
    {.name = "--version", .words = {"--version"}, .out = VERSION_LINE},
    {.name = "-V", .words = {"-V"}, .out = VERSION_LINE},
    {.name = "--version show", .words = {"--version", "show"}, .out = VERSION_LINE},
    {.name = "show --version", .words = {"show", "--version"}, .out = VERSION_LINE},
    {.name = "help --version", .words = {"help", "--version"}, .out = VERSION_LINE},

    {.name = "mistyped verb",
     .words = {"calibarte"},
     .status = 2,
     .err = "unknown command 'calibarte'; did you mean 'calibrate'?"},
    {.name = "unknown verb",
     .words = {"frobnicate", "--help"},
     .status = 2,
     .err = "unknown command 'frobnicate'; " NO_COMMAND},
    {.name = "plot is of report",
     .words = {"plot"},
     .status = 2,
     .err = "unknown command 'plot'; use 'tickfloor report --plot FILE'"},
    {.name = "empty verb", .words = {""}, .status = 2, .err = "unknown command ''; " NO_COMMAND},
    {.name = "- is no verb",
     .words = {"-"},
     .status = 2,
     .err = "unknown command '-'; " NO_COMMAND},
    {.name = "help of a mistyped verb",
     .words = {"help", "shwo"},
     .status = 2,
     .err = "unknown command 'shwo'; did you mean 'show'?"},
    {.name = "help of two",
     .words = {"help", "show", "calibrate"},
     .status = 2,
     .err = "unexpected operand 'calibrate'; see 'tickfloor help --help'"},
    {.name = "mistyped option",
     .words = {"show", "--jsno"},
     .status = 2,
     .err = "unknown option '--jsno'; did you mean '--json'? see 'tickfloor show --help'"},
    {.name = "options before any verb are those of calibrate",
     .words = {"--jsno"},
     .status = 2,
     .err = "unknown option '--jsno'; did you mean '--json'? see 'tickfloor calibrate --help'"},
    {.name = "missing argument",
     .words = {"show", "--color"},
     .status = 2,
     .err = "option '--color' needs an argument, WHEN; see 'tickfloor show --help'"},
    {.name = "bad --color",
     .words = {"show", "--color=blue"},
     .status = 2,
     .err = "'--color' does not know 'blue'; use auto, always or never"},

    {.name = "controls and bad UTF-8 are shown",
     .words = {"a\nb\033[31m\177\302\233"
               "2J\377\300\200\355\240\200"},
     .status = 2,
     .err = "unknown command 'a\\x0ab\\x1b[31m\\x7f"
            "\\xc2\\x9b2J\\xff\\xc0\\x80\\xed\\xa0\\x80'; " NO_COMMAND},
    {.name = "text that turns its direction is shown",
     .words = {"\342\200\256x\342\201\246"},
     .status = 2,
     .err = "unknown command '\\xe2\\x80\\xaex\\xe2\\x81\\xa6'; " NO_COMMAND},
    {.name = "other UTF-8 is passed on",
     .words = {"\303\251\342\202\254\360\237\230\200"},
     .status = 2,
     .err = "unknown command '\303\251\342\202\254\360\237\230\200'; " NO_COMMAND},
    {.name = "UTF-8 longer than need be, and beyond the last character",
     .words = {"\300\257 \340\200\257 \364\220\200\200"},
     .status = 2,
     .err = "unknown command '\\xc0\\xaf \\xe0\\x80\\xaf \\xf4\\x90\\x80\\x80'; " NO_COMMAND},
    {.name = "UTF-8 cut short",
     .words = {"\342\202"},
     .status = 2,
     .err = "unknown command '\\xe2\\x82'; " NO_COMMAND},

    {.name = "stdout closed",
     .words = {"--help"},
     .closed = 1u << 1,
     .status = 3,
     .err = "cannot write to standard output: Bad file descriptor"},
    {.name = "stdout closed, nothing to print",
     .words = {"--jsno"},
     .closed = 1u << 1,
     .status = 2,
     .err = "unknown option '--jsno'; did you mean '--json'? see 'tickfloor calibrate --help'"},
    {.name = "stdin closed", .words = {"--version"}, .closed = 1u << 0, .out = VERSION_LINE},
    {.name = "stderr closed", .words = {"frobnicate"}, .closed = 1u << 2, .status = 2},
    {.name = "stdin and stderr closed", .words = {"-V"}, .closed = 5, .out = VERSION_LINE},
    {.name = "all closed", .words = {"--help"}, .closed = 7, .status = 3},
    {.name = "stdout full",
     .words = {"--help"},
     .out_path = "/dev/full",
     .status = 3,
     .err = "cannot write to standard output: No space left on device"},
    {.name = "reader gone", .words = {"--help"}, .reader_gone = true},
};

static void test_row(void **state)
{
    const struct row *row = *state;
    const char *argv[WORDS + 2] = {tickfloor};
    memcpy(argv + 1, row->words, sizeof row->words);
    if (row->out_path && access(row->out_path, W_OK) != 0)
        skip_because("no /dev/full here");

    struct run_result result;
    assert_int_equal(run_command(&(struct run_command){.argv = argv,
                                                       .closed = row->closed,
                                                       .reader_gone = row->reader_gone,
                                                       .out_path = row->out_path},
                                 &result),
                     0);
    char err[512] = "";
    if (row->err)
        snprintf(err, sizeof err, "tickfloor: %s\n", row->err);
    assert_string_equal(result.err, err);
    if (!row->out)
        assert_string_equal(result.out, "");
    else if (!strstr(result.out, row->out))
        assert_string_equal(result.out, row->out);
    assert_int_equal(result.status, row->status);
    assert_false(result.timed_out);
    run_result_free(&result);
}

/** No line of any help is longer than 80 columns, ends in a blank, or holds an escape. */
static void test_help_is_tidy(void **state)
{
    static const char *const of[] = {NULL, "calibrate", "show", "help"};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        const char *const argv[] = {tickfloor, "help", of[i], NULL};
        const char *const env[] = {"LC_ALL=C", "TERM=xterm", "COLUMNS=40", NULL};
        struct run_result result;
        assert_int_equal(run_command(&(struct run_command){.argv = argv, .env = env}, &result), 0);
        assert_int_equal(result.status, 0);
        assert_null(strchr(result.out, '\033'));
        assert_null(strstr(result.out, " \n"));
        assert_null(strstr(result.out, "\n\n\n"));
        size_t longest = 0;
        for (const char *line = result.out; *line; line += strcspn(line, "\n") + 1) {
            size_t length = strcspn(line, "\n");
            longest = length > longest ? length : longest;
        }
        assert_in_range(longest, 60, 80);
        run_result_free(&result);
    }
}

/** What all the tests above rest on. */
static void test_deadline(void **state)
{
    const char *const argv[] = {"/bin/sh", "-c", "echo out; echo err >&2; exec sleep 60", NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    struct run_result result;
    (void)state;
    assert_int_equal(
        run_command(&(struct run_command){.argv = argv, .env = env, .deadline_ms = 1000}, &result),
        0);
    assert_true(result.timed_out);
    assert_int_equal(result.status, -SIGKILL);
    assert_string_equal(result.out, "out\n");
    assert_string_equal(result.err, "err\n");
    run_result_free(&result);
    assert_int_equal(
        run_command(&(struct run_command){.argv = (const char *const[]){"/none", NULL}}, &result),
        ENOENT);
}

/* ---- from inside, in a process of its own ---------------------------------------------------- */

/** Run fn in a child; what waitpid() says of it. Its exit status is what fn returns. */
static int in_child(int (*fn)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(fn());
    int state;
    assert_int_equal(waitpid(pid, &state, 0), pid);
    return state;
}

static int unflushed_to(int fd)
{
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    dup2(fd, STDOUT_FILENO);
    tkf_signals_install();
    /* Each character is written at once: when the end comes, nothing is left that could fail. */
    setvbuf(stdout, NULL, _IONBF, 0);
    fputs("lost", stdout);
    /* Said once: for the second one there is nothing wrong any more. */
    return tkf_finish(tkf_finish(42) + 10);
}

static int write_to_nobody(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 99;
    close(ends[0]);
    return unflushed_to(ends[1]);
}

static int write_to_read_only(void)
{
    return unflushed_to(open("/dev/null", O_RDONLY));
}

static void test_early_failure_is_kept(void **state)
{
    (void)state;
    int ended = in_child(write_to_nobody);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), 42 + 10);
    ended = in_child(write_to_read_only);
    assert_true(WIFEXITED(ended));
    assert_int_equal(WEXITSTATUS(ended), TKF_EXIT_MEASURE + 10);
}

static int interrupt_twice(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    tkf_signals_install();
    if (tkf_interrupted(NULL))
        return 1;
    raise(SIGINT);
    if (!tkf_interrupted(NULL))
        return 2;
    raise(SIGINT);
    return 3;
}

static int terminate(void)
{
    signal(SIGTERM, SIG_DFL);
    tkf_signals_install();
    raise(SIGTERM);
    return tkf_interrupted(NULL) ? 0 : 1;
}

static int interrupt_ignored(void)
{
    signal(SIGINT, SIG_IGN);
    tkf_signals_install();
    raise(SIGINT);
    return tkf_interrupted(NULL) ? 1 : 0;
}

static void test_signals(void **state)
{
    (void)state;
    int ended = in_child(interrupt_twice);
    assert_true(WIFSIGNALED(ended));
    assert_int_equal(WTERMSIG(ended), SIGINT);
    ended = in_child(terminate);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
    ended = in_child(interrupt_ignored);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

/* ---- terminals ------------------------------------------------------------------------------- */

struct terminal {
    int master;
    FILE *stream; /* the side that a program prints on */
};

static struct terminal terminal_open(void)
{
    struct terminal t = {.master = posix_openpt(O_RDWR | O_NOCTTY)};
    if (t.master < 0 || grantpt(t.master) != 0 || unlockpt(t.master) != 0)
        skip_because("no pseudo-terminal here");
    int fd = open(ptsname(t.master), O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    t.stream = fdopen(fd, "w");
    assert_non_null(t.stream);
    assert_int_equal(ioctl(fd, TIOCSWINSZ, &(struct winsize){.ws_col = 33, .ws_row = 10}), 0);
    return t;
}

static void terminal_close(struct terminal *t)
{
    fclose(t->stream);
    close(t->master);
}

static bool color_on(FILE *stream, int when)
{
    struct tkf_common common = {.color = when};
    struct tkf_style style = tkf_style_for(stream, &common);
    assert_string_equal(style.red, style.color ? "\033[31m" : "");
    assert_string_equal(style.reset, style.color ? "\033[0m" : "");
    return style.color;
}

static void test_color(void **state)
{
    (void)state;
    struct terminal t = terminal_open();
    FILE *file = tmpfile();
    assert_non_null(file);
    setenv("TERM", "xterm", 1);
    unsetenv("NO_COLOR");
    assert_true(color_on(t.stream, TKF_COLOR_AUTO));
    assert_false(color_on(t.stream, TKF_COLOR_NEVER));
    assert_false(color_on(file, TKF_COLOR_AUTO));
    assert_true(color_on(file, TKF_COLOR_ALWAYS));

    setenv("NO_COLOR", "", 1);
    assert_true(color_on(t.stream, TKF_COLOR_AUTO));
    setenv("NO_COLOR", "0", 1);
    assert_false(color_on(t.stream, TKF_COLOR_AUTO));
    assert_true(color_on(t.stream, TKF_COLOR_ALWAYS));
    unsetenv("NO_COLOR");

    setenv("TERM", "dumb", 1);
    assert_false(color_on(t.stream, TKF_COLOR_AUTO));
    assert_true(color_on(t.stream, TKF_COLOR_ALWAYS));
    unsetenv("TERM");
    assert_false(color_on(t.stream, TKF_COLOR_AUTO));
    fclose(file);
    terminal_close(&t);
}

static unsigned width_on(FILE *stream, const char *columns)
{
    if (columns)
        setenv("COLUMNS", columns, 1);
    else
        unsetenv("COLUMNS");
    return tkf_style_for(stream, &(struct tkf_common){0}).width;
}

static void test_width(void **state)
{
    static const char *const wrong[] = {
        "", "0", "-5", "wide", "70x", "10001", "99999999999999999999"};
    (void)state;
    struct terminal t = terminal_open();
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(width_on(t.stream, "50"), 33);
    assert_int_equal(width_on(file, "50"), 50);
    assert_int_equal(width_on(file, NULL), 80);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(width_on(file, wrong[i]), 80);
    unsetenv("COLUMNS");
    fclose(file);
    terminal_close(&t);
}

static void test_unicode(void **state)
{
    (void)state;
    setlocale(LC_CTYPE, "C");
    assert_false(tkf_style_for(stderr, &(struct tkf_common){0}).unicode);
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8"))
        skip_because("no UTF-8 locale here");
    assert_true(tkf_style_for(stderr, &(struct tkf_common){0}).unicode);
    setlocale(LC_CTYPE, "C");
}

/** What fn puts on stderr while that is `fd`, read from the other end of it. */
static void with_stderr(int fd, void (*fn)(void), int other_end, char *ret_text, size_t size)
{
    static const char end[] = "(end)";
    int saved = dup(STDERR_FILENO);
    assert_true(saved >= 0 && dup2(fd, STDERR_FILENO) >= 0);
    fn();
    dup2(saved, STDERR_FILENO);
    close(saved);

    /* A terminal hands over what was written in pieces. */
    assert_int_equal(write(fd, end, strlen(end)), strlen(end));
    size_t used = 0;
    char *mark = NULL;
    while (!mark) {
        ssize_t n = read(other_end, ret_text + used, size - 1 - used);
        assert_true(n > 0);
        used += (size_t)n;
        ret_text[used] = '\0';
        mark = strstr(ret_text, end);
    }
    *mark = '\0';
}

static void make_progress(void)
{
    tkf_progress(-1, "looking");
    tkf_progress(0.001, "looking"); /* the same line: not written again */
    tkf_progress(0.5, "measuring what is too long to stand on one line");
    tkf_error("go on", "broken");
    tkf_progress(2, "done");
    tkf_progress_clear();
    tkf_progress_clear(); /* there is nothing left of it */
    tkf_progress(2, "done");
    tkf_finish(0);
}

static void test_progress(void **state)
{
    (void)state;
    struct terminal t = terminal_open();
    int ends[2];
    char text[512];
    assert_int_equal(pipe(ends), 0);
    setenv("TERM", "xterm", 1);
    with_stderr(fileno(t.stream), make_progress, t.master, text, sizeof text);
    assert_string_equal(text, "\r  0 %  looking\033[K"
                              "\r 50 %  measuring what is too lon\033[K"
                              "\r\033[Ktickfloor: broken; go on\r\n"
                              "\r100 %  done\033[K"
                              "\r\033[K"
                              "\r100 %  done\033[K"
                              "\r\033[K");
    with_stderr(ends[1], make_progress, ends[0], text, sizeof text);
    assert_string_equal(text, "tickfloor: broken; go on\n");
    setenv("TERM", "dumb", 1);
    with_stderr(fileno(t.stream), make_progress, t.master, text, sizeof text);
    assert_string_equal(text, "tickfloor: broken; go on\r\n");
    close(ends[0]);
    close(ends[1]);
    terminal_close(&t);
}

int main(int argc, char **argv)
{
    enum { ROWS = sizeof rows / sizeof rows[0] };
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_help_is_tidy),
        cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_early_failure_is_kept),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_color),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_unicode),
        cmocka_unit_test(test_progress),
    };
    struct CMUnitTest tests[ROWS + sizeof others / sizeof others[0]];
    if (argc != 2) {
        fprintf(stderr, "usage: %s TICKFLOOR\n", argv[0]);
        return 2;
    }
    tickfloor = argv[1];
    for (size_t i = 0; i < ROWS; i++)
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = test_row, .initial_state = &rows[i]};
    memcpy(tests + ROWS, others, sizeof others);

    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed ? 1 : skipped ? 77 : 0;
}
