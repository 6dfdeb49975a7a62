/** The libc calls of the bench client: raw pipes and posix_spawn, so that no runtime's streams are measured with it. */
import { dlopen } from "bun:ffi";

export const { symbols: libc } = dlopen("libc.so.6", {
  read: { args: ["i32", "ptr", "u64"], returns: "i64" },
  write: { args: ["i32", "ptr", "u64"], returns: "i64" },
  poll: { args: ["ptr", "u64", "i32"], returns: "i32" },
  pipe2: { args: ["ptr", "i32"], returns: "i32" },
  fcntl: { args: ["i32", "i32", "i32"], returns: "i32" },
  close: { args: ["i32"], returns: "i32" },
  kill: { args: ["i32", "i32"], returns: "i32" },
  wait4: { args: ["i32", "ptr", "i32", "ptr"], returns: "i32" },
  sched_getaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
  sched_setaffinity: { args: ["i32", "u64", "ptr"], returns: "i32" },
  posix_spawnp: { args: ["ptr", "ptr", "ptr", "ptr", "ptr", "ptr"], returns: "i32" },
  posix_spawn_file_actions_init: { args: ["ptr"], returns: "i32" },
  posix_spawn_file_actions_destroy: { args: ["ptr"], returns: "i32" },
  posix_spawn_file_actions_adddup2: { args: ["ptr", "i32", "i32"], returns: "i32" },
  posix_spawn_file_actions_addopen: { args: ["ptr", "i32", "ptr", "i32", "i32"], returns: "i32" },
  posix_spawn_file_actions_addchdir_np: { args: ["ptr", "ptr"], returns: "i32" },
  posix_spawnattr_init: { args: ["ptr"], returns: "i32" },
  posix_spawnattr_setflags: { args: ["ptr", "i16"], returns: "i32" },
  posix_spawnattr_setsigdefault: { args: ["ptr", "ptr"], returns: "i32" },
  posix_spawnattr_setsigmask: { args: ["ptr", "ptr"], returns: "i32" },
});

export const O_WRONLY = 1;
export const O_CREAT = 0x40;
export const O_APPEND = 0x400;
export const O_NONBLOCK = 0x800;
export const O_CLOEXEC = 0x80000;
export const F_SETFL = 4;
export const POLLIN = 1;
export const POLLOUT = 4;
export const SIGKILL = 9;
export const POSIX_SPAWN_SETSIGDEF = 0x04;
export const POSIX_SPAWN_SETSIGMASK = 0x08;

/** The bytes of a C string. The caller keeps them referenced for as long as C reads them. */
export function cString(text: string): Buffer {
  return Buffer.from(`${text}\0`);
}
