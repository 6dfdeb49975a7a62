/** How a program is called that starts another one. */
export interface Wrapper {
  /** Options without a value: letters, and long names without their dashes. */
  readonly flags: string;
  readonly longFlags?: readonly string[];
  /** Options with one. */
  readonly valued: string;
  readonly longValued?: readonly string[];
  /** Words of its own between its options and the other program. */
  readonly operands?: number;
  /** A lone dash behind its options is one more of them. */
  readonly takesDash?: boolean;
  /** `NAME=value` before the other program. */
  readonly takesVariables?: boolean;
  /** It adds words that are not known before it runs. */
  readonly adds?: boolean;
  /** With one of these nothing is started. */
  readonly onlyShows?: string;
  /** It changes what the other program may do, or how often it runs: it is more than its wrapper. */
  readonly isMore?: boolean;
  /** Its long options begin with one dash, and a number may be one. */
  readonly takesNumbers?: boolean;
}

const common = ["help", "version"];

/** Programs and builtins by name. Options that are not listed make a command unknown. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  env: {
    flags: "i0v",
    longFlags: ["ignore-environment", "null", "debug", ...common],
    valued: "uC",
    longValued: ["unset", "chdir"],
    takesDash: true,
    takesVariables: true,
  },
  command: { flags: "pvV", valued: "", onlyShows: "vV" },
  builtin: { flags: "", valued: "" },
  exec: { flags: "cl", valued: "a" },
  nohup: { flags: "", longFlags: common, valued: "" },
  nice: {
    flags: "",
    longFlags: common,
    valued: "n",
    longValued: ["adjustment"],
    takesNumbers: true,
  },
  ionice: {
    flags: "t",
    longFlags: ["ignore", ...common],
    valued: "cn",
    longValued: ["class", "classdata"],
  },
  timeout: {
    flags: "v",
    longFlags: ["foreground", "preserve-status", "verbose", ...common],
    valued: "ks",
    longValued: ["kill-after", "signal"],
    operands: 1,
  },
  stdbuf: {
    flags: "",
    longFlags: common,
    valued: "ioe",
    longValued: ["input", "output", "error"],
  },
  setsid: { flags: "cfw", longFlags: ["ctty", "fork", "wait", ...common], valued: "" },
  time: {
    flags: "apqvV",
    longFlags: ["append", "portability", "quiet", "verbose", ...common],
    valued: "fo",
    longValued: ["format", "output"],
  },
  sudo: {
    flags: "AbEHiKklNnPSsv",
    longFlags: [
      "askpass",
      "background",
      "preserve-env",
      "set-home",
      "login",
      "non-interactive",
      "stdin",
      "shell",
      ...common,
    ],
    valued: "CDghpRrTtUu",
    longValued: [
      "close-from",
      "chdir",
      "group",
      "host",
      "prompt",
      "chroot",
      "role",
      "type",
      "command-timeout",
      "other-user",
      "user",
    ],
    takesVariables: true,
    isMore: true,
  },
  doas: { flags: "nsL", valued: "aCu", isMore: true },
  xargs: {
    flags: "0rtpxo",
    longFlags: ["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty", ...common],
    valued: "adEILnPs",
    longValued: [
      "arg-file",
      "delimiter",
      "replace",
      "max-lines",
      "max-args",
      "max-procs",
      "max-chars",
      "process-slot-var",
    ],
    adds: true,
    isMore: true,
  },
  chroot: {
    flags: "",
    longFlags: ["skip-chdir", ...common],
    valued: "",
    longValued: ["groups", "userspec"],
    operands: 1,
    isMore: true,
  },
  busybox: { flags: "", longFlags: ["help", "list"], valued: "" },
  toybox: { flags: "", longFlags: common, valued: "" },
};

/** Programs that read commands: from `-c`, a file, or their input. */
export const shells: ReadonlySet<string> = new Set(
  "bash sh dash ash zsh ksh mksh rbash fish csh tcsh".split(" "),
);

/** Programs that start others in ways of their own, which are not looked into. */
export const starters: ReadonlySet<string> = new Set(
  [
    "chrt taskset numactl setarch linux32 linux64 i386 x86_64 setpriv prlimit unshare nsenter choom",
    "script watch flock parallel run-parts start-stop-daemon systemd-run su runuser pkexec",
    "strace ltrace gdb valgrind unbuffer expect fakeroot firejail bwrap proot xvfb-run dbus-run-session",
    "sg newgrp systemd-inhibit systemd-cat perf tmux screen dtach abduco at batch tsp capsh aa-exec runcon cgexec",
    "gosu su-exec chpst envdir setuidgid softlimit tini dumb-init daemonize eatmydata faketime torsocks",
    "proxychains proxychains4 rlwrap entr chronic ifne pee caffeinate sandbox-exec xterm dbus-launch rr catchsegv",
    "genv gnice gnohup gtimeout gstdbuf gxargs gfind gchroot gtime",
  ].flatMap((names) => names.split(" ")),
);

/** The loader of programs, which is told one: `ld-linux-x86-64.so.2`. */
export const loader = /^ld(?:64|-linux|-musl)?[\w-]*\.so(?:\.\d+)*$/;
