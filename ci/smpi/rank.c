/* A rank of a simulated job is a program that shares its process and its one thread with all other ranks. `smpi_helpers.h` of SimGrid
   makes C programs fit by macros; this file does it for a program of Rust, by functions that the linker takes before those of the C
   library:

   time          that of the simulation, for `Instant`
   sleep         in the simulation: by `sleep`, by a lock with a timeout, and by a thread that yields
   the end       of a thread, which is that of the process: values of threads are not dropped
   keys          of the rank: the process has 1024 for all ranks

   It also has the two calls of MPI that SimGrid 3.32 lacks and `layout-mpi` needs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <smpi/smpi.h>

int smpi_clock_gettime(clockid_t clock, struct timespec *now);
int smpi_nanosleep(const struct timespec *time, struct timespec *left);
int smpi_usleep(useconds_t time);

/* Each rank has a copy of this library, and so of these variables. */
static int runs;
static const void *values[64];
static unsigned keys = 1;

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (runs) return smpi_clock_gettime(clock, now);
    return syscall(SYS_clock_gettime, clock, now);
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    return smpi_nanosleep(time, left);
}

int clock_nanosleep(clockid_t clock, int absolute, const struct timespec *time, struct timespec *left) {
    (void)clock, (void)absolute; /* of `std`, for times from now on */
    return smpi_nanosleep(time, left);
}

/* The receive that is posted for the next message, once the rank has looked for one; and the number of its other requests that are not done. */
static MPI_Request posted = MPI_REQUEST_NULL;
static MPI_Status came_from;
static int has_come, under_way;

/* A thread that yields has looked for messages in vain, and has nothing else to do. It waits for one, since each further look would be an
   event of the simulation; or for a microsecond, while another request is under way. */
int sched_yield(void) {
    if (under_way > 0) {
        smpi_usleep(1);
    } else if (posted != MPI_REQUEST_NULL && !has_come) {
        PMPI_Wait(&posted, &came_from);
        has_come = 1;
    }
    return 0;
}

/* A lock that sleeps waits for a thread that does not exist, so it waits until its time is up. */
static long sleeps(int operation, const struct timespec *until) {
    if (!until) {
        fprintf(stderr, "a rank waits for another thread\n");
        abort();
    }
    struct timespec time = *until;
    if ((operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        time.tv_sec -= now.tv_sec;
        time.tv_nsec -= now.tv_nsec;
        if (time.tv_nsec < 0) time.tv_sec -= 1, time.tv_nsec += 1000000000;
    }
    if (time.tv_sec >= 0) smpi_nanosleep(&time, NULL);
    errno = ETIMEDOUT;
    return -1;
}

long syscall(long number, ...) {
    static long (*real)(long, ...);
    long a[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
    va_end(more);
    int operation = (int)a[1], command = operation & FUTEX_CMD_MASK;
    if (runs && number == SYS_futex && (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET))
        return sleeps(operation, (const struct timespec *)a[3]);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int __cxa_thread_atexit_impl(void (*drop)(void *), void *value, void *library) {
    (void)drop, (void)value, (void)library;
    return 0;
}

int pthread_key_create(pthread_key_t *key, void (*drop)(void *)) {
    (void)drop;
    if (keys == sizeof values / sizeof *values) return EAGAIN;
    *key = keys++;
    return 0;
}

int pthread_key_delete(pthread_key_t key) {
    values[key] = NULL;
    return 0;
}

void *pthread_getspecific(pthread_key_t key) {
    return (void *)values[key];
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    values[key] = value;
    return 0;
}

/* Puts the code of the library itself in the place of that of this rank's copy: a thousand copies of the same code would throw each other out of
   the caches of the processor, and what a rank computes would take several times as long as it does on a machine of its own. */
static int share(struct dl_phdr_info *library, size_t size, void *file) {
    (void)size;
    const char *here = (const char *)share;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        char *start = (char *)library->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || here < start || here >= start + part->p_memsz) continue;
        long before = part->p_vaddr % 4096;
        void *put = mmap(start - before, part->p_filesz + before, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, *(int *)file,
                         part->p_offset - before);
        if (put == MAP_FAILED) perror("a rank keeps its copy of the code"), abort();
        return 1;
    }
    return 0;
}

/* Where computation is not measured (`smpi/simulate-computation:no`), these tell what it costs, in seconds: an operation, a task of the runtime,
   a message of elements, and a message about the program, as of a fence. */
static double operation, task, message, word;

static double seconds(const char *name) {
    const char *text = getenv(name);
    return text ? atof(text) : 0;
}

void rank_computes(double operations) {
    if (operation > 0) smpi_execute(task + operations * operation);
}

void rank_begins(void) {
    operation = seconds("RANK_OPERATION"), task = seconds("RANK_TASK"), message = seconds("RANK_MESSAGE");
    word = seconds("RANK_WORD");
    const char *library = getenv("RANK_LIBRARY");
    int file = library ? open(library, O_RDONLY) : -1;
    if (file >= 0) dl_iterate_phdr(share, &file), close(file);
    MPI_Init(NULL, NULL);
    runs = 1;
}

void rank_ends(void) {
    runs = 0;
    if (posted != MPI_REQUEST_NULL) MPI_Cancel(&posted), MPI_Request_free(&posted);
    MPI_Finalize();
}

/* Messages that were probed. SimGrid 3.32 has no matched probes. Here a receive is always posted, whose bytes are copied. A rank that does not
   wait, but looks between two tasks, asks the library only now and then: each time is an event of the simulation. */
enum { MOST = 64 << 20, LOOKS = 16 };
static int looks;
static char *bytes_of_next;

static int post(int from, int tag, MPI_Comm by) {
    return PMPI_Irecv(bytes_of_next, MOST, MPI_BYTE, from, tag, by, &posted);
}

struct received {
    MPI_Status status;
    int from, tag;
    MPI_Comm by;
};

int MPI_Improbe(int from, int tag, MPI_Comm by, int *came, MPI_Message *message, MPI_Status *status) {
    int returned = MPI_SUCCESS;
    if (!bytes_of_next) {
        bytes_of_next = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (bytes_of_next == MAP_FAILED) abort();
        returned = post(from, tag, by);
    }
    if (returned == MPI_SUCCESS && !has_come && looks++ % LOOKS == 0) returned = PMPI_Test(&posted, &has_come, &came_from);
    *came = has_come;
    if (has_come) {
        struct received *received = malloc(sizeof *received);
        *received = (struct received){came_from, from, tag, by};
        *status = came_from;
        *message = received;
    }
    return returned;
}

/* The message is there, so its request is done: `MPI_Test` knows it by its address. */
static struct received *done_at_once[64];

int MPI_Imrecv(void *bytes, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {
    (void)type; /* bytes */
    struct received *received = *message;
    memcpy(bytes, bytes_of_next, count);
    has_come = 0;
    *message = MPI_MESSAGE_NULL;
    *request = (MPI_Request)received;
    unsigned at = 0;
    while (at < 64 && done_at_once[at]) at++;
    if (at == 64) abort();
    done_at_once[at] = received;
    return post(received->from, received->tag, received->by);
}

/* The kind of a message about the program, and the byte that tells the kind (`layout-store/src/locale/message.rs`). */
enum { CONTROL = 4, KIND = 4 };

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm by, MPI_Request *request) {
    double cost = count > KIND && ((const char *)bytes)[KIND] == CONTROL ? word : message;
    under_way++;
    if (cost > 0) smpi_execute(cost);
    return PMPI_Isend(bytes, count, type, to, tag, by, request);
}

int MPI_Ireduce_scatter_block(const void *sent, void *came, int count, MPI_Datatype type, MPI_Op op, MPI_Comm by, MPI_Request *request) {
    under_way++;
    return PMPI_Ireduce_scatter_block(sent, came, count, type, op, by, request);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status) {
    for (unsigned at = 0; at < 64; at++)
        if (done_at_once[at] && *request == (MPI_Request)done_at_once[at]) {
            *status = done_at_once[at]->status;
            *done = 1;
            *request = MPI_REQUEST_NULL;
            free(done_at_once[at]);
            done_at_once[at] = NULL;
            return MPI_SUCCESS;
        }
    int returned = PMPI_Test(request, done, status);
    if (*done) under_way--;
    return returned;
}
