import { closeSync, openSync } from "node:fs";

import { huntArgument } from "../../base/product.ts";
import { loadLimitMarks } from "./command-limits.ts";
import type { Orphanage } from "./orphanage.ts";

/**
 * A POSIX shell program that outlives the server by moments. It reads `+<group>` and `-<group>` lines from the server;
 * when the pipe ends, however the server died, it ends the groups that were live and everything that carries the owner
 * mark of the instance ($1), or its limit of file locks, which begins with the digits $2 (Linux; empty where there is
 * none) and stays with processes that wipe their environment. A `.` line makes it exit silently. The words behind $2,
 * if any, start this program, which hunts for processes that fork faster than a shell can look.
 *
 * It ignores the signals that a terminal or a supervisor sends to whole sessions. `sleep 0.2` is not POSIX but works in
 * GNU, BSD and BusyBox; where it does not, a whole second does.
 */
export const guardianScript = String.raw`
trap '' HUP INT QUIT TERM PIPE TSTP
id=$1 digits=$2
shift 2
live=" "
while IFS= read -r line; do
  case $line in
    .) exit 0 ;;
    +*) live="$live\${line#+} " ;;
    -*) gone=\${line#-}
        case $live in *" $gone "*) live="\${live%%" $gone "*} \${live#*" $gone "}" ;; esac ;;
  esac
done
marked() {
  if [ -r /proc/self/environ ]; then
    limits=
    [ -n "$2" ] && limits="/proc/[0-9]*/limits"
    for file in $(grep -ls -e "SCORPIOX_OWNER=$1\\." -e "^Max file locks  *\${2:-none}[0-9]\{8\} " \
      /proc/[0-9]*/environ $limits 2>/dev/null); do
      file=\${file#/proc/}; echo "\${file%/*}"
    done
  else
    ps -axEww -o pid=,command= 2>/dev/null | grep "SCORPIOX_OWNER=$1\\." | grep -v grep |
      while read -r pid rest; do echo "$pid"; done
  fi
}
signal() {
  # The number of an ended group may soon belong to another process.
  still=" "
  for group in $live; do kill -s "$1" -- "-$group" 2>/dev/null && still="$still$group "; done
  live=$still
  for pid in $(marked "$2" "$3"); do kill -s "$1" -- "$pid" 2>/dev/null; found=1; done
}
# A shell that cannot fork exits on the spot: it kills the groups that it knows without forking.
bare() { for group in $live; do kill -s KILL -- "-$group" 2>/dev/null; done; }
trap bare EXIT
leave() { trap - EXIT; exit 0; }
hunt() { [ $# -gt 0 ] && [ -n "$digits" ] && "$@" ${huntArgument} "$digits" 2>/dev/null; }
found= had=$live
# First, in the background: while a process keeps forking, a scan of all processes takes seconds.
[ "$had" = " " ] || hunt "$@" &
signal TERM "$id" "$digits"; signal CONT "$id" "$digits"
[ "$had" = " " ] && [ -z "$found" ] && leave
sleep 0.4 2>/dev/null || sleep 1
round=0
while [ $round -lt 10 ]; do
  found=
  signal KILL "$id" "$digits"
  [ $round -eq 0 ] && [ "$had" = " " ] && hunt "$@"
  [ -z "$found" ] && [ $round -gt 0 ] && leave
  sleep 0.2 2>/dev/null || sleep 1
  round=$((round + 1))
done
leave
`.replaceAll("\\$", "$");

/** Watches over live process groups from outside, against the death of the server itself. */
export class Guardian implements Disposable {
  readonly #instanceId: string;
  readonly #orphanage: Pick<Orphanage, "addDirectChild" | "removeDirectChild">;
  readonly #hunter: readonly string[];
  readonly #live = new Set<number>();
  #child: Bun.Subprocess<"pipe", "ignore", "ignore"> | undefined;
  #closed = false;

  /**
   * @param orphanage is given the guardian's process id, which is not an orphan
   * @param hunter the command that starts this program; absent: processes that fork faster than a shell looks outlive a
   * killed server
   */
  constructor(
    instanceId: string,
    orphanage: Pick<Orphanage, "addDirectChild" | "removeDirectChild">,
    hunter: readonly string[] = [],
  ) {
    this.#instanceId = instanceId;
    this.#orphanage = orphanage;
    this.#hunter = hunter;
  }

  /** Starts the guardian unless it runs. A machine without `sh` goes unguarded. */
  start(): void {
    if (this.#child !== undefined || this.#closed || process.platform === "win32") return;
    const digits = loadLimitMarks()?.prefixOf(this.#instanceId)?.toString() ?? "";
    const words = ["/bin/sh", "-c", guardianScript, "sh", this.#instanceId, digits];
    // Whatever file is at this program's path then: the program that runs now is the one that is started.
    const own = digits === "" || this.#hunter.length === 0 ? undefined : openOwn();
    const hunter = own === undefined ? [] : ["/proc/self/fd/3", ...this.#hunter.slice(1)];
    try {
      const child = Bun.spawn([...words, ...hunter], {
        cwd: "/",
        env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
        stdio: ["pipe", "ignore", "ignore", ...(own === undefined ? [] : [own])],
        detached: true,
        onExit: (ended) => this.#onExit(ended.pid),
      });
      child.unref();
      this.#orphanage.addDirectChild(child.pid);
      this.#child = child;
      for (const groupId of this.#live) this.#tell(`+${groupId}`);
    } catch {
      this.#child = undefined;
    } finally {
      if (own !== undefined) closeSync(own);
    }
  }

  /** Tells the guardian of a group that runs; starts one where there is none, such as when the last start was refused. */
  add(groupId: number): void {
    this.#live.add(groupId);
    if (this.#child === undefined) this.start();
    else this.#tell(`+${groupId}`);
  }

  remove(groupId: number): void {
    if (this.#live.delete(groupId)) this.#tell(`-${groupId}`);
  }

  /** Lets the guardian go; it sweeps once more and ends by itself. */
  [Symbol.dispose](): void {
    this.#closed = true;
    void this.#child?.stdin.end();
  }

  /** Lets the guardian exit without a sweep: remaining processes may stay. */
  dismiss(): void {
    this.#tell(".");
    this[Symbol.dispose]();
  }

  #tell(line: string): void {
    const stdin = this.#child?.stdin;
    if (stdin === undefined) return;
    // A guardian that was killed this moment does not read: another one is given everything again.
    const sent = Promise.all([stdin.write(`${line}\n`), stdin.flush()]);
    sent.catch(() => undefined);
  }

  /** Somebody killed it: another takes its place. */
  #onExit(pid: number): void {
    this.#orphanage.removeDirectChild(pid);
    if (this.#child?.pid !== pid) return;
    this.#child = undefined;
    if (this.#live.size > 0) this.start();
  }
}

function openOwn(): number | undefined {
  try {
    return openSync("/proc/self/exe", "r");
  } catch {
    return undefined;
  }
}
