/** What a command tries; each is a function of attack/attack.py. */
export interface Attempt {
  readonly name: string;
  readonly what: string;
  /**
   * Without a sandbox, a process of the same user can do it, and docs/security.md says so: it is listed and not counted.
   */
  readonly remains?: true;
  /** It only reads files, which Landlock keeps nobody from (docs/sandbox.md). */
  readonly isReading?: true;
  /** It ends the server that runs it. */
  readonly endsServer?: true;
  /** It changes the hub's process: the next one gets another hub. */
  readonly tampers?: true;
  /** Only without a sandbox: what it needs is not there otherwise, so that it would show nothing. */
  readonly isUnsandboxed?: true;
  /** Root, which may raise any limit and trace any process, is refused too: by the server above it. */
  readonly isForRoot?: true;
}

export const attempts: readonly Attempt[] = [
  { name: "plain", what: "connect and prove the key" },
  { name: "wrong-key", what: "connect with another key" },
  { name: "no-handshake", what: "speak without a handshake" },
  { name: "no-wait", what: "send a whole handshake before the hub speaks" },
  { name: "reflection", what: "send the hub its own words" },
  { name: "replay", what: "use a proof again" },
  { name: "long-frame", what: "announce 4 GiB" },
  { name: "abstract-name", what: "an abstract socket" },
  { name: "through-link", what: "connect through a link" },
  { name: "through-descriptor", what: "connect through a descriptor of the folder" },
  { name: "through-root-of-hub", what: "connect through /proc/<hub>/root" },
  { name: "other-build", what: "a lock as the hub of another build has it" },
  { name: "other-build-wiped", what: "the same as an orphan without its environment" },
  { name: "name-of-program", what: "call itself scorpiox-code" },
  { name: "becomes-program", what: "connect, then become scorpiox-code" },
  { name: "becomes-program-marked", what: "the same with its whole environment" },
  { name: "empty-mark", what: "the same with an empty mark" },
  { name: "daemon", what: "the same in a session of its own, an orphan" },
  { name: "wiped-daemon", what: "the same without anything in its environment", isForRoot: true },
  {
    name: "own-limit-raised",
    what: "the same after it raised its limit of locks",
    isForRoot: true,
  },
  {
    name: "limits-of-hub",
    what: "the same after it took the hub's limit of locks away",
    tampers: true,
  },
  {
    name: "descriptors-of-hub",
    what: "the same while the hub runs out of descriptors",
    tampers: true,
  },
  { name: "renamed-program", what: "the same after it renamed the executable", isForRoot: true },
  { name: "hard-link", what: "the same by a hard link", isForRoot: true },
  { name: "copied-program", what: "the same by a copy" },
  { name: "other-loader", what: "scorpiox-code run by ld.so" },
  { name: "new-namespaces", what: "root in user and process namespaces of its own" },
  { name: "preloaded-library", what: "LD_PRELOAD into scorpiox-code" },
  { name: "preloaded-script", what: "BUN_OPTIONS=--preload into scorpiox-code", isForRoot: true },
  { name: "handed-over", what: "a connection through SCM_RIGHTS" },
  { name: "dead-connector", what: "a connection whose process has ended" },
  { name: "call", what: "scorpiox-code call" },
  { name: "call-wiped", what: "scorpiox-code call without its environment" },
  { name: "call-as-daemon", what: "the same as an orphan", isForRoot: true },
  { name: "call-denied", what: "scorpiox-code call of a denied tool" },
  {
    name: "own-server",
    what: "a server of its own in the other workspace: kept task, upstream call",
  },
  { name: "hub-stop", what: "scorpiox-code hub stop" },
  {
    name: "hub-stop-wiped",
    what: "the same as an orphan without its environment",
    isForRoot: true,
  },
  { name: "hub-status", what: "scorpiox-code hub status, in the same way" },
  { name: "second-hub", what: "the private argument: a second hub" },
  { name: "other-home", what: "HOME, SCORPIOX_HOME, XDG_RUNTIME_DIR, TMPDIR" },
  { name: "lock", what: "take the lock" },
  { name: "lock-of-stopped", what: "SIGSTOP the hub and take the lock" },
  { name: "descriptor-of-client", what: "open the client's socket in /proc/<pid>/fd" },
  { name: "environment-of-hub", what: "read the hub's environment for secrets" },
  { name: "crowd", what: "hundreds of connections at once" },
  {
    name: "without-server",
    what: "kill -9 of its own server, then as an orphan",
    endsServer: true,
  },
  {
    name: "without-server-2",
    what: "the same with its limit of locks a little lower",
    endsServer: true,
  },
  {
    name: "without-server-or-limits",
    what: "the same after it took the hub's limit of locks away",
    endsServer: true,
    tampers: true,
  },
  { name: "read-key", what: "read the key", remains: true, isReading: true },
  { name: "read-record", what: "read the lock's record", remains: true, isReading: true },
  { name: "list-place", what: "list the hub's folder", remains: true, isReading: true },
  { name: "write-record", what: "write into the hub's folder", remains: true },
  { name: "trace-hub", what: "ptrace the hub", remains: true },
  { name: "trace-client", what: "ptrace a client", remains: true },
  { name: "gdb", what: "gdb -p of the hub", remains: true },
  { name: "read-memory", what: "process_vm_readv of the hub", remains: true },
  { name: "memory-file", what: "/proc/<hub>/mem", remains: true },
  { name: "stolen-descriptor", what: "pidfd_getfd of a client's connection", remains: true },
  {
    name: "output-files",
    what: "read another workspace's output files",
    remains: true,
    isReading: true,
  },
  {
    name: "own-reader",
    what: "a server of its own in the other workspace: read its kept task's files",
    remains: true,
    isReading: true,
  },
  { name: "bus", what: "systemd-run --user", remains: true, isUnsandboxed: true },
];

/** What a command tries in the place of the hub, or with its files, before a client comes. */
export const impostures: readonly Imposture[] = [
  { name: "be-plain", what: "listen with a lock, a record and a key of its own" },
  { name: "be-disguised", what: "the same, then become scorpiox-code" },
  { name: "be-wiped-daemon", what: "the same as an orphan without its environment" },
  { name: "be-instead", what: "the same in the place of a hub that it killed", needsHub: true },
  { name: "be-stopped", what: "the same in the place of a hub that it stopped", needsHub: true },
  { name: "be-real", what: "the private argument: a hub below a command" },
  { name: "be-preloaded", what: "the same with code of its own in it" },
  { name: "be-without-server", what: "listen, disguised, after kill -9 of its own server" },
  { name: "be-without-server-or-limits", what: "the same with the client's limit of locks taken" },
  { name: "link-lock", what: "a link as the lock" },
  { name: "link-key", what: "a link as the key" },
  { name: "link-new-key", what: "a link as the draft of the key" },
  { name: "link-election", what: "a link as the lock of elections" },
  { name: "link-socket", what: "a link as the socket" },
  { name: "link-place", what: "a link as the hub's folder" },
  { name: "link-run", what: "a link as run/" },
  { name: "open-place", what: "folders that everybody may enter" },
  { name: "held-lock", what: "take the lock and keep it" },
  { name: "held-election", what: "take the lock of elections and keep it" },
];

export interface Imposture {
  readonly name: string;
  readonly what: string;
  /** A hub runs, with a client. Otherwise one has been there before. */
  readonly needsHub?: true;
}
