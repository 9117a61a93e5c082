/*
 * Fails writes and flushes with EIO from the nth on, for one file, or for all files below a directory (FAILING_PATH). Loaded before the C
 * library by disk-full.test.ts. FAILING_WRITES names a file that contains n, and is empty while nothing fails.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static volatile int left = -1;

static int control(void) {
  static int descriptor = -2;
  if (descriptor == -2) {
    const char *name = getenv("FAILING_WRITES");
    descriptor = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
  }
  return descriptor;
}

static int fails(int descriptor) {
  char text[16] = "", link[64], path[4096];
  const char *failing = getenv("FAILING_PATH");
  ssize_t length;
  if (failing == NULL || control() < 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  if (strncmp(path, failing, strlen(failing)) != 0 || (path[strlen(failing)] != '/' && path[strlen(failing)] != 0)) return 0;
  if (pread(control(), text, sizeof text - 1, 0) <= 0) {
    left = -1;
    return 0;
  }
  if (left < 0) left = atoi(text);
  if (left > 0) return __sync_fetch_and_sub(&left, 1) <= 0;
  return 1;
}

#define FAILING(type, name, parameters, arguments)              \
  type name parameters {                                        \
    static type (*real) parameters;                             \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name);           \
    if (fails(descriptor)) {                                    \
      errno = EIO;                                              \
      return -1;                                                \
    }                                                           \
    return real arguments;                                      \
  }

FAILING(ssize_t, write, (int descriptor, const void *bytes, size_t count), (descriptor, bytes, count))
FAILING(ssize_t, pwrite, (int descriptor, const void *bytes, size_t count, off_t at), (descriptor, bytes, count, at))
FAILING(ssize_t, pwrite64, (int descriptor, const void *bytes, size_t count, off64_t at), (descriptor, bytes, count, at))
FAILING(int, fsync, (int descriptor), (descriptor))
FAILING(int, fdatasync, (int descriptor), (descriptor))
FAILING(int, ftruncate64, (int descriptor, off64_t size), (descriptor, size))
