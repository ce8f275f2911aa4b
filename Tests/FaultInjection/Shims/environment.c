// Adds flags to the environments that a process opens in liblmdb. Tests must find the losses they cause.
//
// An empty file gets no flags: it is being created, which is durable with every option of the store.
//
// Loaded with LD_PRELOAD into a program of the tests, never linked into the library. Environment:
//   ANNALS_SHIM_FLAGS  the flags of mdb_env_open, as a number
#define _GNU_SOURCE
#include <dlfcn.h>
#include <lmdb.h>
#include <stdlib.h>
#include <sys/stat.h>

static unsigned extra;

int mdb_env_open(MDB_env *env, const char *path, unsigned flags, mdb_mode_t mode) {
  __typeof__(&mdb_env_open) real = (__typeof__(&mdb_env_open))dlsym(RTLD_NEXT, "mdb_env_open");
  const char *text = getenv("ANNALS_SHIM_FLAGS");
  struct stat status;
  extra = text && stat(path, &status) == 0 && status.st_size > 0 ? (unsigned)strtoul(text, 0, 0) : 0;
  return real(env, path, flags | extra, mode);
}

int mdb_env_set_flags(MDB_env *env, unsigned flags, int on) {
  __typeof__(&mdb_env_set_flags) real = (__typeof__(&mdb_env_set_flags))dlsym(RTLD_NEXT, "mdb_env_set_flags");
  // The added flags stay, even if the program clears them.
  return on || !(flags & extra) ? real(env, flags, on) : MDB_SUCCESS;
}
