/* Loaded in front of libc (LD_PRELOAD): lets one call of one kind fail, or the process end at it.

   FAULT_ROOT    only calls about files below this folder count
   FAULT_CALL    open, read, write, sync, rename, stat, unlink, mkdir, chmod, list; "any" for all
   FAULT_AT      which of them, from 1
   FAULT_ON      "1": and all that follow
   FAULT_ERRNO   what it fails with, or
   FAULT_SIGNAL  what the process gets before it, or
   FAULT_RUN     a command of the shell that is run before it, told its kind as FAULT_KIND, or
   FAULT_SHORT   "1": a read or write does half of what it is asked for
   FAULT_LOG     a file that takes a line for each counted call
*/
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define DESCRIPTORS 4096
static char watched[DESCRIPTORS];
static long seen;

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int below(const char *path) {
  const char *root = getenv("FAULT_ROOT");
  char whole[8192];
  if (!root || !path) return 0;
  if (path[0] != '/') {
    if (!getcwd(whole, sizeof whole - 1)) return 0;
    strncat(whole, "/", sizeof whole - strlen(whole) - 1);
    strncat(whole, path, sizeof whole - strlen(whole) - 1);
    path = whole;
  }
  return !strncmp(path, root, strlen(root));
}

static int of_watched(int fd) { return fd >= 0 && fd < DESCRIPTORS && watched[fd]; }

static void logged(const char *kind, const char *about) {
  const char *file = getenv("FAULT_LOG");
  char line[512];
  int fd, length;
  if (!file) return;
  fd = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  length = snprintf(line, sizeof line, "%s %.400s\n", kind, about);
  if (fd >= 0 && length > 0) syscall(SYS_write, fd, line, (size_t)length);
  if (fd >= 0) syscall(SYS_close, fd);
}

/* Not in front of libc itself, and done when this returns. */
static void ran(const char *command, const char *kind) {
  pid_t child = fork();
  if (child == 0) {
    unsetenv("LD_PRELOAD");
    setenv("FAULT_KIND", kind, 1);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  if (child > 0) waitpid(child, NULL, 0);
}

/* 1: fail with errno as it is set; 2: do half; 0: go on. */
static int fault(const char *kind, const char *about) {
  const char *wanted = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"), *value;
  int saved = errno;
  logged(kind, about);
  errno = saved;
  if (!wanted || !at || (strcmp(wanted, "any") && strcmp(wanted, kind))) return 0;
  seen++;
  if (seen < atol(at) || (seen > atol(at) && !getenv("FAULT_ON"))) return 0;
  if ((value = getenv("FAULT_SIGNAL"))) {
    kill(getpid(), atoi(value));
    return 0;
  }
  if ((value = getenv("FAULT_RUN"))) {
    ran(value, kind);
    errno = saved;
    return 0;
  }
  if (getenv("FAULT_SHORT")) return 2;
  if (!(value = getenv("FAULT_ERRNO"))) return 0;
  errno = atoi(value);
  return 1;
}

static int noted(int fd, const char *path) {
  if (fd >= 0 && fd < DESCRIPTORS) watched[fd] = (char)below(path);
  return fd;
}

#define MODE(flags, last)                                  \
  mode_t mode = 0;                                         \
  if ((flags) & (O_CREAT | O_TMPFILE)) {                   \
    va_list rest;                                          \
    va_start(rest, last);                                  \
    mode = (mode_t)va_arg(rest, int);                      \
    va_end(rest);                                          \
  }
#define OPEN(name)                                                       \
  int name(const char *path, int flags, ...) {                           \
    MODE(flags, flags)                                                   \
    if (below(path) && fault("open", path) == 1) return -1;              \
    return noted(REAL(name)(path, flags, mode), path);                   \
  }
#define OPENAT(name)                                                     \
  int name(int at, const char *path, int flags, ...) {                   \
    MODE(flags, flags)                                                   \
    if (below(path) && fault("open", path) == 1) return -1;              \
    return noted(REAL(name)(at, path, flags, mode), path);               \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

int close(int fd) {
  if (fd >= 0 && fd < DESCRIPTORS) watched[fd] = 0;
  return REAL(close)(fd);
}

#define TRANSFER(name, kind, data, ...)                                  \
  {                                                                      \
    if (of_watched(fd)) switch (fault(kind, #name)) {                    \
        case 1: return -1;                                               \
        case 2: count = count > 1 ? count / 2 : count;                   \
      }                                                                  \
    return REAL(name)(fd, data, count, ##__VA_ARGS__);                   \
  }
ssize_t read(int fd, void *data, size_t count) TRANSFER(read, "read", data)
ssize_t write(int fd, const void *data, size_t count) TRANSFER(write, "write", data)
ssize_t pread(int fd, void *data, size_t count, off_t at) TRANSFER(pread, "read", data, at)
ssize_t pread64(int fd, void *data, size_t count, off64_t at) TRANSFER(pread64, "read", data, at)
ssize_t pwrite(int fd, const void *data, size_t count, off_t at)
    TRANSFER(pwrite, "write", data, at)
ssize_t pwrite64(int fd, const void *data, size_t count, off64_t at)
    TRANSFER(pwrite64, "write", data, at)

#define ON_DESCRIPTOR(name, kind)                                        \
  int name(int fd) {                                                     \
    if (of_watched(fd) && fault(kind, #name) == 1) return -1;            \
    return REAL(name)(fd);                                               \
  }
ON_DESCRIPTOR(fsync, "sync")
ON_DESCRIPTOR(fdatasync, "sync")

int rename(const char *from, const char *to) {
  if (below(to) && fault("rename", to) == 1) return -1;
  return REAL(rename)(from, to);
}
int renameat(int at, const char *from, int there, const char *to) {
  if (below(to) && fault("rename", to) == 1) return -1;
  return REAL(renameat)(at, from, there, to);
}
int unlink(const char *path) {
  if (below(path) && fault("unlink", path) == 1) return -1;
  return REAL(unlink)(path);
}
int unlinkat(int at, const char *path, int flags) {
  if (below(path) && fault("unlink", path) == 1) return -1;
  return REAL(unlinkat)(at, path, flags);
}
int mkdir(const char *path, mode_t mode) {
  if (below(path) && fault("mkdir", path) == 1) return -1;
  return REAL(mkdir)(path, mode);
}
int chmod(const char *path, mode_t mode) {
  if (below(path) && fault("chmod", path) == 1) return -1;
  return REAL(chmod)(path, mode);
}
int fchmodat(int at, const char *path, mode_t mode, int flags) {
  if (below(path) && fault("chmod", path) == 1) return -1;
  return REAL(fchmodat)(at, path, mode, flags);
}
DIR *opendir(const char *path) {
  if (below(path) && fault("list", path) == 1) return NULL;
  return REAL(opendir)(path);
}

#define STAT(name, type)                                                 \
  int name(const char *path, struct type *into) {                        \
    if (below(path) && fault("stat", path) == 1) return -1;              \
    return REAL(name)(path, into);                                       \
  }
STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)
#define STATAT(name, type)                                               \
  int name(int at, const char *path, struct type *into, int flags) {     \
    if (below(path) && fault("stat", path) == 1) return -1;              \
    return REAL(name)(at, path, into, flags);                            \
  }
STATAT(fstatat, stat)
STATAT(fstatat64, stat64)
