/*
 * A small importer in C: runs an FMU where there is no Python (on Windows, under wine), and several instances at once
 * in threads of their own.
 *
 *   fmu-run THREADS LIBRARY GUID RESOURCES STEPS H [set VR VALUE]… [rate VR VALUE]… [get VR]…
 *
 * Every thread makes an instance, sets the values and derivatives before every step, and gets values after it. Prints
 * these in hexadecimal, every bit, once for all threads: they must be the same.
 */
#include <fmi2FunctionTypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

enum { MOST = 64 };

/* ---- the shared object */

static void *load(const char *path)
{
#ifdef _WIN32
    return (void *)LoadLibraryA(path);
#else
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
}

/* Any function: the caller knows its type. */
static void (*find(void *library, const char *name))(void)
{
    void (*found)(void) = NULL;
#ifdef _WIN32
    found = (void (*)(void))GetProcAddress((HMODULE)library, name);
#else
    *(void **)&found = dlsym(library, name);
#endif
    if (!found) {
        fprintf(stderr, "no function %s\n", name);
        exit(1);
    }
    return found;
}

/* ---- what is asked */

typedef struct list {
    fmi2ValueReference references[MOST];
    fmi2Integer orders[MOST];
    fmi2Real values[MOST];
    size_t count;
} list;

typedef struct job {
    void *library;
    const char *guid, *resources;
    int steps;
    double h; /* s */
    list inputs, rates, outputs;
} job;

typedef struct worker {
    const job *todo;
    pthread_t thread;
    double *rows; /* [steps][outputs] */
    int good;
} worker;

static void add(list *to, const char *reference, const char *value)
{
    if (!reference || !value || to->count == MOST) {
        fprintf(stderr, "too many or too few arguments\n");
        exit(2);
    }
    to->references[to->count] = (fmi2ValueReference)strtoul(reference, NULL, 10);
    to->orders[to->count] = 1;
    to->values[to->count++] = strtod(value, NULL);
}

static void read_lists(job *to, char **arguments) /* closed by NULL */
{
    while (*arguments) {
        const char *word = *arguments++, *reference = *arguments;
        if (reference)
            arguments++;
        if (strcmp(word, "get") == 0) {
            add(&to->outputs, reference, "0");
        } else {
            add(strcmp(word, "set") == 0 ? &to->inputs : &to->rates, reference, reference ? *arguments : NULL);
            arguments++;
        }
    }
}

/* ---- an instance */

static void write_log(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                      fmi2String text, ...)
{
    (void)environment;
    fprintf(stderr, "%s [%s, %d]: %s\n", name, category, (int)status, text);
}

#define FUNCTION(name) name##TYPE *const name = (name##TYPE *)find(todo->library, #name)

static int steps_are_good(const job *todo, fmi2Component c, double *rows)
{
    FUNCTION(fmi2SetReal);
    FUNCTION(fmi2SetRealInputDerivatives);
    FUNCTION(fmi2GetReal);
    FUNCTION(fmi2DoStep);
    const list *in = &todo->inputs, *rates = &todo->rates, *out = &todo->outputs;
    fmi2Status worst = fmi2OK;
    for (int n = 0; n < todo->steps && worst == fmi2OK; n++) {
        worst = fmi2SetReal(c, in->references, in->count, in->values);
        if (worst == fmi2OK)
            worst = fmi2SetRealInputDerivatives(c, rates->references, rates->count, rates->orders, rates->values);
        if (worst == fmi2OK)
            worst = fmi2DoStep(c, n * todo->h, todo->h, fmi2True);
        if (worst == fmi2OK)
            worst = fmi2GetReal(c, out->references, out->count, rows + (size_t)n * out->count);
    }
    return worst == fmi2OK;
}

static void *work(void *context)
{
    static const fmi2CallbackFunctions callbacks = {.logger = write_log, .allocateMemory = calloc, .freeMemory = free};
    worker *self = context;
    const job *todo = self->todo;
    FUNCTION(fmi2Instantiate);
    FUNCTION(fmi2SetupExperiment);
    FUNCTION(fmi2EnterInitializationMode);
    FUNCTION(fmi2ExitInitializationMode);
    FUNCTION(fmi2SetReal);
    FUNCTION(fmi2Terminate);
    FUNCTION(fmi2FreeInstance);
    fmi2Component c =
        fmi2Instantiate("run", fmi2CoSimulation, todo->guid, todo->resources, &callbacks, fmi2False, fmi2False);
    if (!c)
        return NULL;
    self->good = fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) == fmi2OK &&
                 fmi2SetReal(c, todo->inputs.references, todo->inputs.count, todo->inputs.values) == fmi2OK &&
                 fmi2EnterInitializationMode(c) == fmi2OK && fmi2ExitInitializationMode(c) == fmi2OK &&
                 steps_are_good(todo, c, self->rows) && fmi2Terminate(c) == fmi2OK;
    fmi2FreeInstance(c);
    return NULL;
}

/* ---- the whole */

int main(int argc, char **argv)
{
    static job todo;
    static worker workers[MOST];
    int threads = argc > 6 ? atoi(argv[1]) : 0;
    if (threads < 1 || threads > MOST)
        return 2;
    todo = (job){.library = load(argv[2]),
                 .guid = argv[3],
                 .resources = argv[4],
                 .steps = atoi(argv[5]),
                 .h = strtod(argv[6], NULL)};
    read_lists(&todo, argv + 7);
    if (!todo.library) {
        fprintf(stderr, "%s cannot be loaded\n", argv[2]);
        return 1;
    }
    size_t values = (size_t)todo.steps * todo.outputs.count;
    for (int i = 0; i < threads; i++) {
        workers[i] = (worker){.todo = &todo, .rows = calloc(values + 1, sizeof(double))};
        if (!workers[i].rows || pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0)
            return 1;
    }
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < threads; i++)
        if (!workers[i].good || memcmp(workers[i].rows, workers[0].rows, values * sizeof(double)) != 0) {
            fprintf(stderr, "instance %d of %d %s\n", i, threads, workers[i].good ? "differs" : "failed");
            return 1;
        }
    for (size_t i = 0; i < values; i++)
        printf("%a%c", workers[0].rows[i], (i + 1) % todo.outputs.count ? ' ' : '\n');
    return 0;
}
