#define _GNU_SOURCE
#include "DiskShim.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define DESCRIPTORS 1024
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *folder;
static const char *part = "log";
static int trace = -1;
static int no_sync;
static char failures[256];
static int next_write_fails;

/* The kind of each descriptor: 0 any other file, 1 the data file, 2 the data file with O_DSYNC. */
static unsigned char kinds[DESCRIPTORS];

static void start(void) {
    const char *path = getenv("DISK_SHIM_TRACE");
    const char *fail = getenv("DISK_SHIM_FAIL");
    folder = getenv("DISK_SHIM_FOLDER");
    if (getenv("DISK_SHIM_PART")) part = getenv("DISK_SHIM_PART");
    no_sync = getenv("DISK_SHIM_NOSYNC") != NULL;
    if (fail) snprintf(failures, sizeof failures, ",%s,", fail);
    // The system call, because `open` is replaced below.
    if (path) trace = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* Appends to the trace, one file with all operations in order. The caller holds `lock`. */
static void record(char kind, uint64_t offset, const struct iovec *parts, int count) {
    struct __attribute__((packed)) { char kind; char unused[7]; uint64_t offset, length; } header = {0};
    if (trace < 0) return;
    header.kind = kind;
    header.offset = offset;
    for (int i = 0; i < count; i++) header.length += parts[i].iov_len;
    if (syscall(SYS_write, trace, &header, sizeof header) != sizeof header) abort();
    for (int i = 0; i < count; i++)
        if (syscall(SYS_write, trace, parts[i].iov_base, parts[i].iov_len) != (long)parts[i].iov_len) abort();
}

static void record_text(char kind, const char *text) {
    struct iovec part = {(void *)text, strlen(text)};
    record(kind, 0, &part, 1);
}

static int is_inside(const char *path) {
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_data_file(const char *path) {
    if (!is_inside(path) || path[strlen(folder)] != '/') return 0;
    const char *inner = path + strlen(folder) + 1;
    if (strncmp(inner, part, strlen(part)) != 0) return 0;
    const char *file = inner + strlen(part);
    // An environment is created in the subfolder `new` and then moved.
    return strcmp(file, "/data.mdb") == 0 || strcmp(file, "/new/data.mdb") == 0;
}

static int kind_of(int descriptor) {
    return descriptor >= 0 && descriptor < DESCRIPTORS ? kinds[descriptor] : 0;
}

/* Whether the `ordinal`th call of this kind must fail. */
static int fails(const char *kind, int ordinal) {
    char wanted[32];
    int length = snprintf(wanted, sizeof wanted, ",%s=", kind);
    for (const char *found = failures; (found = strstr(found, wanted)) != NULL; found += length) {
        int first = 0, further = 0;
        sscanf(found + length, "%d+%d", &first, &further);
        if (ordinal >= first && ordinal - first <= further) return 1;
    }
    return 0;
}

static int is_new(const char *path, int flags) {
    pthread_once(&once, start);
    return (flags & O_CREAT) && is_inside(path) && access(path, F_OK) != 0;
}

static int opened(int descriptor, const char *path, int flags, int is_new) {
    if (descriptor < 0 || descriptor >= DESCRIPTORS) return descriptor;
    pthread_mutex_lock(&lock);
    kinds[descriptor] = is_data_file(path) ? (flags & O_DSYNC ? 2 : 1) : 0;
    if (is_new) record_text('n', path);
    pthread_mutex_unlock(&lock);
    return descriptor;
}

static mode_t mode_of(int flags, va_list arguments) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
    int was_missing = is_new(path, flags);
    va_list arguments;
    va_start(arguments, flags);
    int descriptor = NEXT(open)(path, flags, mode_of(flags, arguments));
    va_end(arguments);
    return opened(descriptor, path, flags, was_missing);
}

int open64(const char *path, int flags, ...) {
    int was_missing = is_new(path, flags);
    va_list arguments;
    va_start(arguments, flags);
    int descriptor = NEXT(open64)(path, flags, mode_of(flags, arguments));
    va_end(arguments);
    return opened(descriptor, path, flags, was_missing);
}

int close(int descriptor) {
    if (descriptor >= 0 && descriptor < DESCRIPTORS) kinds[descriptor] = 0;
    return NEXT(close)(descriptor);
}

int mkdir(const char *path, mode_t mode) {
    pthread_once(&once, start);
    int result = NEXT(mkdir)(path, mode);
    if (result == 0 && is_inside(path)) {
        pthread_mutex_lock(&lock);
        record_text('n', path);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

int rename(const char *from, const char *to) {
    pthread_once(&once, start);
    int result = NEXT(rename)(from, to);
    if (result == 0 && is_inside(to)) {
        pthread_mutex_lock(&lock);
        record_text('n', to);
        pthread_mutex_unlock(&lock);
    }
    return result;
}

/* A write to the data file. Returns the number of bytes written, or -1 with `errno` set. */
static ssize_t data_write(int descriptor, const struct iovec *parts, int count, off_t offset, int at_offset) {
    static int writes, metas;
    int is_meta = kind_of(descriptor) == 2;
    ssize_t result;
    pthread_mutex_lock(&lock);
    int ordinal = is_meta ? ++metas : ++writes;
    int is_full = is_meta && fails("meta-full", ordinal);
    int is_refused = is_full || (is_meta ? fails("meta", ordinal) : fails("write", ordinal) || next_write_fails);
    int is_stuck = is_meta && fails("meta-stuck", ordinal);
    int is_kept = is_stuck || (is_meta && fails("meta-kept", ordinal));
    if (!is_meta) next_write_fails = 0;
    if (is_stuck) next_write_fails = 1;
    if (is_refused || is_kept) record('x', 0, NULL, 0);
    if (is_refused) {
        errno = is_full ? ENOSPC : EIO;
        result = -1;
    } else {
        record(is_kept ? 'c' : 'w', (uint64_t)offset, parts, count);
        result = at_offset ? NEXT(pwrite)(descriptor, parts[0].iov_base, parts[0].iov_len, offset)
                           : NEXT(writev)(descriptor, parts, count);
        if (is_kept) {
            errno = EIO;
            result = -1;
        } else if (is_meta && result >= 0) {
            record('d', (uint64_t)offset, parts, count);
        }
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static ssize_t positioned_write(int descriptor, const void *bytes, size_t count, off_t offset) {
    struct iovec part = {(void *)bytes, count};
    if (kind_of(descriptor)) return data_write(descriptor, &part, 1, offset, 1);
    return NEXT(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
    return positioned_write(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
    return positioned_write(descriptor, bytes, count, offset);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
    if (kind_of(descriptor)) return data_write(descriptor, parts, count, lseek(descriptor, 0, SEEK_CUR), 0);
    return NEXT(writev)(descriptor, parts, count);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    struct iovec part = {(void *)bytes, count};
    if (kind_of(descriptor)) return data_write(descriptor, &part, 1, lseek(descriptor, 0, SEEK_CUR), 0);
    if (descriptor == STDOUT_FILENO) {
        pthread_once(&once, start);
        pthread_mutex_lock(&lock);
        record('a', 0, &part, 1);
        pthread_mutex_unlock(&lock);
    }
    return NEXT(write)(descriptor, bytes, count);
}

static int sync_with(int (*next)(int), int descriptor) {
    static int syncs;
    char link[64], path[PATH_MAX];
    ssize_t length;
    struct stat status;
    int result;
    pthread_once(&once, start);
    if (!kind_of(descriptor)) {
        result = next(descriptor);
        if (result == 0 && fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
            snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
            length = readlink(link, path, sizeof path - 1);
            path[length < 0 ? 0 : length] = 0;
            pthread_mutex_lock(&lock);
            record_text('f', path);
            pthread_mutex_unlock(&lock);
        }
        return result;
    }
    pthread_mutex_lock(&lock);
    if (fails("sync", ++syncs)) {
        record('x', 0, NULL, 0);
        errno = EIO;
        result = -1;
    } else if (no_sync) {
        result = 0;
    } else {
        result = next(descriptor);
        if (result == 0) record('s', 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

int fsync(int descriptor) { return sync_with(NEXT(fsync), descriptor); }
int fdatasync(int descriptor) { return sync_with(NEXT(fdatasync), descriptor); }

/* Other calls that liblmdb could make on the data file if it were opened differently. A trace with one is refused. */
static void not_modelled(const char *name) {
    pthread_once(&once, start);
    pthread_mutex_lock(&lock);
    record_text('u', name);
    pthread_mutex_unlock(&lock);
}

int ftruncate(int descriptor, off_t length) {
    if (kind_of(descriptor)) not_modelled("ftruncate");
    return NEXT(ftruncate)(descriptor, length);
}

int msync(void *address, size_t length, int flags) {
    not_modelled("msync");
    return NEXT(msync)(address, length, flags);
}

int sync_file_range(int descriptor, off64_t offset, off64_t length, unsigned int flags) {
    if (kind_of(descriptor)) not_modelled("sync_file_range");
    return NEXT(sync_file_range)(descriptor, offset, length, flags);
}

ssize_t pwritev(int descriptor, const struct iovec *parts, int count, off_t offset) {
    if (kind_of(descriptor)) not_modelled("pwritev");
    return NEXT(pwritev)(descriptor, parts, count, offset);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset) {
    if (kind_of(descriptor) && (protection & PROT_WRITE) && (flags & MAP_SHARED)) not_modelled("mmap for writing");
    return NEXT(mmap)(address, length, protection, flags, descriptor, offset);
}
