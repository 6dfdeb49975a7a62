import { loadLibc } from "./libc.ts";
import { signalBelow } from "./overseer.ts";
import { ownerVariable } from "./owner-mark.ts";
import { listOwnChildren, type ProcStat, readProcStat, readProcVariable } from "./proc-table.ts";
import { isGroupAlive, type SentSignal, signalGroup, signalProcess } from "./signals.ts";

/** One command and all that it started, wherever that went. */
export interface Family {
  /** Id of the process group that the command leads; its leader's process id. */
  readonly groupId: number;
  /** Value of the owner variable that its members inherit. */
  readonly mark: string;
  /** The leader only watches over the command and kills it when it is asked to end: what is below is asked instead. */
  readonly isOverseen?: boolean;
}

/** Its value is a secret of the server: a command that sets it is ended like all others. */
const handOverVariable = "SCORPIOX_HANDED_OVER";

/** A look at the adopted is good for this long; what it missed is a stray at the next. */
const collectEveryMs = 1;

/** When the family's leader started, in clock ticks after boot; 0 when it is gone or that is unknown. */
function startTicksOf(family: Family): number {
  return readProcStat(family.groupId)?.startTicks ?? 0;
}

/**
 * Descendants that left their family's process group and lost their parent. The kernel gives them to
 * the server (a child-subreaper), which finds them among its own children (Linux; elsewhere none).
 */
export class Orphanage {
  /** Children from before us, of a wrapper that became us by `exec`: never ours to end. */
  readonly #strangers = new Set(listOwnChildren());
  readonly #families = new Map<number, Family>();
  /** Children that Bun itself collects: leaders, the guardian, the login shell. */
  readonly #directChildren = new Set<number>();
  #living: readonly ProcStat[] = [];
  #collectedAt = Number.NEGATIVE_INFINITY;
  /** What programs have in their environment that were started for the user; undefined while there was none. */
  #handOverMark: string | undefined;
  /** Strays that were asked to end. */
  #asked = new Set<number>();

  /** A child that was started by us and is collected by Bun. */
  addDirectChild(pid: number): void {
    this.#directChildren.add(pid);
  }

  removeDirectChild(pid: number): void {
    this.#directChildren.delete(pid);
  }

  /**
   * A variable for a program that is the user's from its start, such as their browser: when it loses its parent and is
   * given to us, neither it nor what it starts is ended.
   */
  handOverVariable(): Readonly<Record<string, string>> {
    this.#handOverMark ??= crypto.randomUUID();
    return { [handOverVariable]: this.#handOverMark };
  }

  add(family: Family): void {
    this.#families.set(family.groupId, family);
  }

  /** The family has no members left, or is given up. */
  remove(family: Family): void {
    this.#families.delete(family.groupId);
  }

  /** Collects zombies among the adopted and returns the living ones that belong to `family`. */
  adoptedOf(family: Family): ProcStat[] {
    return this.#collect().filter((orphan) => this.#belongsTo(orphan, family));
  }

  /**
   * Ends the adopted that no live family has a claim on: the first time politely, the next time by
   * force. Catches what left its family in the very moment in which that ended, and reaps zombies.
   * @returns how many there were
   */
  endStrays(): number {
    this.#collectedAt = Number.NEGATIVE_INFINITY;
    const families = [...this.#families.values()];
    const strays = this.#collect().filter(
      (orphan) => !families.some((family) => this.#mayBelongTo(orphan, family)),
    );
    for (const { pid } of strays) {
      signalProcess(pid, this.#asked.has(pid) ? "SIGKILL" : "SIGTERM");
      signalProcess(pid, "SIGCONT");
    }
    this.#asked = new Set(strays.map((stray) => stray.pid));
    return strays.length;
  }

  /** When many commands end at once they share one look: the list of children is slow to read then. */
  #collect(): readonly ProcStat[] {
    const now = performance.now();
    if (now - this.#collectedAt < collectEveryMs) return this.#living;
    this.#collectedAt = now;
    this.#living = this.#readAdopted();
    return this.#living;
  }

  #readAdopted(): ProcStat[] {
    const living: ProcStat[] = [];
    for (const pid of listOwnChildren()) {
      if (this.#directChildren.has(pid)) continue;
      const stat = readProcStat(pid);
      if (stat === undefined) continue;
      if (stat.state === "Z") this.#reap(pid);
      else if (this.#isOurs(pid)) living.push(stat);
    }
    return living;
  }

  #isOurs(pid: number): boolean {
    if (this.#strangers.has(pid) || !isDescendant(pid)) return false;
    const mark = this.#handOverMark;
    if (mark === undefined || readProcVariable(pid, handOverVariable) !== mark) return true;
    this.#strangers.add(pid);
    return false;
  }

  #reap(pid: number): void {
    loadLibc()?.reap(pid);
    this.#strangers.delete(pid);
  }

  #mayBelongTo(orphan: ProcStat, family: Family): boolean {
    if (orphan.groupId === family.groupId) return true;
    const mark = readProcVariable(orphan.pid, ownerVariable);
    return mark === undefined ? startTicksOf(family) <= orphan.startTicks : mark === family.mark;
  }

  #belongsTo(orphan: ProcStat, family: Family): boolean {
    if (orphan.groupId === family.groupId) return true;
    const mark = readProcVariable(orphan.pid, ownerVariable);
    if (mark !== undefined) return mark === family.mark;
    return this.#isOnlyPossibleFamily(orphan, family);
  }

  /**
   * An orphan that wiped its environment is taken for the family's when its leader lives and no other
   * was alive to start it; else it is a stray once no family may claim it.
   */
  #isOnlyPossibleFamily(orphan: ProcStat, family: Family): boolean {
    for (const other of this.#families.values()) {
      if (other.groupId === orphan.groupId) return false;
      if (other !== family && startTicksOf(other) <= orphan.startTicks) return false;
    }
    const startTicks = startTicksOf(family);
    return startTicks !== 0 && startTicks <= orphan.startTicks;
  }
}

/** As the first process of a container we are given orphans that we never started: the mark tells. */
function isDescendant(pid: number): boolean {
  return process.pid !== 1 || readProcVariable(pid, ownerVariable) !== undefined;
}

/** Sends `signal` to every member of the family that can be found. False when there was none. */
function signalFamily(orphanage: Orphanage, family: Family, signal: SentSignal): boolean {
  let found = isGroupAlive(family.groupId) && signalMembers(family, signal);
  for (const orphan of orphanage.adoptedOf(family)) {
    found = true;
    signalOrphan(orphan, family, signal);
  }
  return found;
}

function signalMembers({ groupId, isOverseen }: Family, signal: SentSignal): boolean {
  if (isOverseen !== true || signal === "SIGKILL") return signalGroup(groupId, signal);
  // Nothing below: the command has not started, and an overseer that is only asked may yet start it.
  return signalBelow(groupId, signal) || signalGroup(groupId, "SIGKILL");
}

function signalOrphan(orphan: ProcStat, family: Family, signal: SentSignal): void {
  if (orphan.groupId !== family.groupId && orphan.groupId === orphan.pid) {
    signalGroup(orphan.groupId, signal);
  }
  signalProcess(orphan.pid, signal);
}

/** True while a member of the family can be found. */
export function isFamilyAlive(orphanage: Orphanage, family: Family): boolean {
  return orphanage.adoptedOf(family).length > 0 || isGroupAlive(family.groupId);
}

/** Looks again after these, in ms; the last one is repeated. Most families die at the first TERM. */
const pollStepsMs = [1, 2, 4, 8, 16, 25, 50];

/**
 * Ends a family: TERM (and CONT, which stopped processes need to notice it), `graceMs`, then KILL
 * until nothing is left. Gives up on what even KILL does not end (a process stuck in the kernel).
 * @returns true when nothing was left at the end
 */
export async function endFamily(
  orphanage: Orphanage,
  family: Family,
  graceMs: number,
): Promise<boolean> {
  const asked = new Set(orphanage.adoptedOf(family).map(({ pid }) => pid));
  if (!signalFamily(orphanage, family, "SIGTERM")) return true;
  signalFamily(orphanage, family, "SIGCONT");
  // A daemon is found only when its parent is gone: it is asked then.
  const askNew = (): void => {
    for (const orphan of orphanage.adoptedOf(family)) {
      if (asked.has(orphan.pid)) continue;
      asked.add(orphan.pid);
      signalOrphan(orphan, family, "SIGTERM");
      signalOrphan(orphan, family, "SIGCONT");
    }
  };
  if (await waitForEnd(orphanage, family, graceMs, askNew)) return true;
  const kill = (): void => void signalFamily(orphanage, family, "SIGKILL");
  kill();
  return waitForEnd(orphanage, family, killPatienceMs, kill);
}

const killPatienceMs = 2_000;

async function waitForEnd(
  orphanage: Orphanage,
  family: Family,
  patienceMs: number,
  again: () => void,
): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  for (let round = 0; ; round++) {
    if (!isFamilyAlive(orphanage, family)) return true;
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) return false;
    const stepMs = pollStepsMs[Math.min(round, pollStepsMs.length - 1)] ?? 50;
    await Bun.sleep(Math.min(stepMs, leftMs));
    again();
  }
}
