import { literalOf, Unreadable, type Word } from "./shell-text.ts";
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
  /** It changes the rights of the other program, or how often it runs: it is more than its wrapper. */
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

/** The loader of programs, which gets one as its argument: `ld-linux-x86-64.so.2`. */
export const loader = /^ld(?:64|-linux|-musl)?[\w-]*\.so(?:\.\d+)*$/;

/** The arguments of a wrapper about the program that it starts. */
interface Wrapped {
  /** The program and its arguments; empty when it starts none. */
  readonly words: readonly Word[];
  readonly assignments: readonly string[];
}

/** Finds the other program among the words of a wrapper. @throws Unreadable when it may be another one */
export function wrappedWords(words: readonly Word[], wrapper: Wrapper): Wrapped {
  let at = endOfOptions(words, wrapper);
  if (at === undefined) return { words: [], assignments: [] };
  if (wrapper.takesDash === true && literalOf(words[at]) === "-") at++;
  const assignments = wrapper.takesVariables === true ? variablesAt(words, at) : [];
  at += assignments.length;
  for (const end = at + (wrapper.operands ?? 0); at < end; at++) assertOneWord(words[at]);
  return { words: words.slice(at), assignments };
}

/** The place of the first word that is not an option; undefined when the wrapper starts nothing with these options. */
function endOfOptions(words: readonly Word[], wrapper: Wrapper): number | undefined {
  let at = 1;
  for (; at < words.length; at++) {
    const option = optionOf(words[at]);
    if (option === undefined) throw new Unreadable("options that are known only when it runs");
    if (option === "--") return at + 1;
    if (!option.startsWith("-") || option === "-") break;
    if (showsOnly(option, wrapper)) return undefined;
    if (takesNext(option, wrapper)) assertOneWord(words[++at]);
  }
  return at;
}

/** The names of the variables that are set from this place on, a word each. */
function variablesAt(words: readonly Word[], begin: number): string[] {
  const names: string[] = [];
  for (let at = begin; at < words.length; at++) {
    // Every word with an equals sign sets one, even if a shell would not take its name.
    const name = /^([^=]*)=/.exec(words[at]?.pieces[0] ?? "")?.[1];
    if (name === undefined) break;
    assertOneWord(words[at]);
    names.push(name);
  }
  return names;
}

/** An argument that expands to no word or to several shifts the words behind it: `env -u $x nice ls` may start `ls`. */
function assertOneWord(word: Word | undefined): void {
  if (word?.isMany === true) throw new Unreadable("arguments that are known only when it runs");
}

/** A word that is known only to be an argument, not an option, is given by its first piece. */
function optionOf(word: Word | undefined): string | undefined {
  const [first = ""] = word?.pieces ?? [];
  const isOperand = word?.isMany === false && first !== "" && !first.startsWith("-");
  return isOperand ? first : literalOf(word);
}

function showsOnly(option: string, { onlyShows = "" }: Wrapper): boolean {
  if (option.startsWith("--")) return false;
  return onlyShows.split("").some((letter) => option.includes(letter));
}

/** Whether the word after this option is its value. */
function takesNext(option: string, wrapper: Wrapper): boolean {
  if (option.startsWith("--")) return longTakesNext(option.slice(2), wrapper);
  if (wrapper.takesNumbers === true && /^-\d+$/.test(option)) return false;
  for (let index = 1; index < option.length; index++) {
    const letter = option.charAt(index);
    // The rest of the word is the value, if there is a rest.
    if (wrapper.valued.includes(letter)) return index === option.length - 1;
    if (!wrapper.flags.includes(letter))
      throw new Unreadable(`an option that is not known: ${option}`);
  }
  return false;
}

function longTakesNext(written: string, { longFlags = [], longValued = [] }: Wrapper): boolean {
  const equals = written.indexOf("=");
  const name = equals < 0 ? written : written.slice(0, equals);
  if (longValued.includes(name)) return equals < 0;
  if (longFlags.includes(name)) return false;
  throw new Unreadable(`an option that is not known: --${name}`);
}
