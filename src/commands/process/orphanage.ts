import { loadLimitMarks } from "./command-limits.ts";
import { loadLibc } from "./libc.ts";
import {
  huntChildren,
  isGroupAlive,
  isMarkOf,
  listOwnChildren,
  ownerMark,
  ownerVariable,
  type ProcStat,
  readProcStat,
  readProcVariable,
  signalProcess,
} from "./processes.ts";

/** One command and all that it started, wherever that went. */
export interface Family {
  /** Id of the process group that the command leads; its leader's process id. */
  readonly groupId: number;
  /** Value of the owner variable that its members inherit. */
  readonly mark: string;
  /**
   * The leader only watches over the command and kills it when it is asked to end, so its children are asked instead.
   */
  readonly isOverseen?: boolean;
}

/** Children that outlive this process: no command has started them. */
const spared = new Set<number>();

/**
 * Keeps an orphanage from ending or collecting a child that no command has started.
 * @returns takes that back, once Bun has collected the child
 */
export function spareChild(pid: number): () => void {
  spared.add(pid);
  return () => void spared.delete(pid);
}

/** Its value is a secret of the server: a command that sets it is ended like all others. */
const handOverVariable = "SCORPIOX_HANDED_OVER";

/** A list of the adopted is valid for this long; a process that it missed is a stray in the next. */
const collectEveryMs = 1;

/** Looks in a row that find zombies. */
const looksMax = 50;

/** When the family's leader started, in clock ticks after boot; 0 when it is gone or that is unknown. */
function startTicksOf(family: Family): number {
  return readProcStat(family.groupId)?.startTicks ?? 0;
}

/**
 * Descendants that left their family's process group and lost their parent. The kernel gives them to
 * the server (a child-subreaper), which finds them among its own children (Linux; elsewhere none).
 */
export class Orphanage {
  /** Children of a wrapper that became this process by `exec`: the orphanage never ends them. */
  readonly #strangers = new Set(listOwnChildren());
  readonly #families = new Map<number, Family>();
  /** Children that Bun itself collects: leaders, the guardian, the login shell. */
  readonly #directChildren = new Set<number>();
  /** Any of this server. */
  #lastMark = "";
  #living: readonly ProcStat[] = [];
  #collectedAt = Number.NEGATIVE_INFINITY;
  /** The environment mark of programs that were started for the user; undefined as long as there was none. */
  #handOverMark: string | undefined;
  /** Commands with its marks outlive this process. */
  #sparedInstance: string | undefined;
  /** Strays were found at the last look, and asked to end. */
  #hasAsked = false;
  /** Zombies that were collected so far. */
  #reaped = 0;

  /** A child that was started by us and is collected by Bun. */
  addDirectChild(pid: number): void {
    this.#directChildren.add(pid);
  }

  removeDirectChild(pid: number): void {
    this.#directChildren.delete(pid);
  }

  /**
   * A variable for a program that is the user's from its start, such as their browser: when it loses its parent and is
   * adopted by this process, neither it nor its children are ended.
   */
  handOverVariable(): Readonly<Record<string, string>> {
    this.#handOverMark ??= crypto.randomUUID();
    return { [handOverVariable]: this.#handOverMark };
  }

  add(family: Family): void {
    this.#families.set(family.groupId, family);
    this.#lastMark = family.mark;
  }

  /** Processes that have the owner marks of `instanceId` are not ended when they are adopted. */
  spare(instanceId: string): void {
    this.#sparedInstance = instanceId;
  }

  /** The family has no members left, or is given up. */
  remove(family: Family): void {
    this.#families.delete(family.groupId);
  }

  /**
   * Kills the family's processes among the adopted ones, and all that those fork in that time, without a pause.
   * @returns how many there were
   */
  killAdoptedOf(family: Family): number {
    return this.#hunt((pid) => this.#isOf(pid, family));
  }

  /** True while there are children that were not started here, whether or not they are ended here. */
  hasAdopted(): boolean {
    return listOwnChildren().some((pid) => !this.#isStartedHere(pid));
  }

  /** Kills whatever was adopted and is not the user's. @returns how many there were */
  killAll(): number {
    return this.#hunt(() => true);
  }

  /** True while a member of the family can be found, a child or an orphan. */
  isAlive(family: Family): boolean {
    if (this.adoptedOf(family).length > 0 || isGroupAlive(family.groupId)) return true;
    // The last of the group may have ended between the two looks.
    this.lookAfresh();
    return this.adoptedOf(family).length > 0;
  }

  /** A process that has just ended may have left others: a list that was made before does not have them. */
  lookAfresh(): void {
    this.#collectedAt = Number.NEGATIVE_INFINITY;
  }

  /** Collects zombies among the adopted and returns the living ones that belong to `family`. */
  adoptedOf(family: Family): ProcStat[] {
    return this.#collect().filter((orphan) => this.#belongsTo(orphan, family));
  }

  /**
   * Ends the adopted that belong to no live family: the first time with TERM, the next time in a
   * row with KILL, since new ones are mostly children of the old. Catches processes that left their family at the moment
   * in which it ended, and reaps zombies.
   * @returns how many there were
   */
  endStrays(): number {
    this.lookAfresh();
    const strays = this.#collect().filter(({ pid }) => this.#isStray(pid));
    if (this.#hasAsked && strays.length > 0) this.#hunt((pid) => this.#isStray(pid));
    else for (const { pid } of strays) ask(pid);
    this.#hasAsked = strays.length > 0;
    return strays.length;
  }

  #isStray(pid: number): boolean {
    const orphan = readProcStat(pid);
    if (orphan === undefined) return false;
    for (const family of this.#families.values()) {
      if (this.#mayBelongTo(orphan, family)) return false;
    }
    return true;
  }

  #hunt(isPrey: (pid: number) => boolean): number {
    this.lookAfresh();
    return huntChildren({
      isSpared: (pid) => this.#isStartedHere(pid) || !this.#isOurs(pid) || !isPrey(pid),
      reap: (pid) => this.#reap(pid),
    });
  }

  /** When many commands end at once they share one look: the list of children is slow to read then. */
  #collect(): readonly ProcStat[] {
    const now = performance.now();
    if (now - this.#collectedAt < collectEveryMs) return this.#living;
    this.#collectedAt = now;
    this.#living = this.#readAdopted();
    return this.#living;
  }

  #readAdopted(): readonly ProcStat[] {
    let living: readonly ProcStat[] = [];
    // A process that has become a zombie may have left an heir behind the place that was read.
    for (let look = 0; look < looksMax; look++) {
      const reapedBefore = this.#reaped;
      living = this.#readAdoptedOnce();
      if (this.#reaped === reapedBefore) break;
    }
    return living;
  }

  #readAdoptedOnce(): ProcStat[] {
    const living: ProcStat[] = [];
    for (const pid of listOwnChildren()) {
      if (this.#isStartedHere(pid)) continue;
      const stat = readProcStat(pid);
      if (stat === undefined) continue;
      // The first thread of a process may have ended before the others: it looks like a zombie but is not one.
      if (stat.state === "Z" && this.#reap(pid)) continue;
      if (this.#isOurs(pid)) living.push(stat);
    }
    return living;
  }

  #isStartedHere(pid: number): boolean {
    return this.#directChildren.has(pid) || spared.has(pid);
  }

  #isOurs(pid: number): boolean {
    if (this.#strangers.has(pid) || !this.#isDescendant(pid) || this.#isSpared(pid)) return false;
    const mark = this.#handOverMark;
    if (mark === undefined || readProcVariable(pid, handOverVariable) !== mark) return true;
    this.#strangers.add(pid);
    return false;
  }

  #isSpared(pid: number): boolean {
    const instanceId = this.#sparedInstance;
    if (instanceId === undefined) return false;
    if (isMarkOf(instanceId, readProcVariable(pid, ownerVariable))) return true;
    return loadLimitMarks()?.isOf(pid, ownerMark(instanceId, 0)) !== undefined;
  }

  /** The first process of a container is given orphans that it never started: the mark shows which are its own. */
  #isDescendant(pid: number): boolean {
    if (process.pid !== 1) return true;
    if (readProcVariable(pid, ownerVariable) !== undefined) return true;
    return loadLimitMarks()?.isOf(pid, this.#lastMark) !== undefined;
  }

  #reap(pid: number): boolean {
    if (loadLibc()?.reap(pid) !== true) return false;
    this.#reaped += 1;
    this.#strangers.delete(pid);
    return true;
  }

  /** Each look of a hunt asks for all: the quickest first. */
  #isOf(pid: number, family: Family): boolean {
    const known = loadLimitMarks()?.isOf(pid, family.mark);
    if (known !== undefined) return known;
    const stat = readProcStat(pid);
    return stat !== undefined && this.#belongsTo(stat, family);
  }

  #mayBelongTo(orphan: ProcStat, family: Family): boolean {
    return knownToBelong(orphan, family) ?? startTicksOf(family) <= orphan.startTicks;
  }

  #belongsTo(orphan: ProcStat, family: Family): boolean {
    return knownToBelong(orphan, family) ?? this.#isOnlyPossibleFamily(orphan, family);
  }

  /**
   * An orphan that has neither of the two marks any more is taken for the family's when its leader lives and no
   * other was alive to start it; else it is a stray once no family may claim it.
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

function ask(pid: number): void {
  signalProcess(pid, "SIGTERM");
  signalProcess(pid, "SIGCONT");
}

/** Undefined when neither its group nor a mark shows its family. */
function knownToBelong({ pid, groupId }: ProcStat, family: Family): boolean | undefined {
  if (groupId === family.groupId) return true;
  const known = loadLimitMarks()?.isOf(pid, family.mark);
  if (known !== undefined) return known;
  const mark = readProcVariable(pid, ownerVariable);
  return mark === undefined ? undefined : mark === family.mark;
}

/** How often adopted processes are looked for. */
const lookMs = 1_000;

/**
 * Ends and reaps processes without a live parent at intervals, as long as there may be any: while commands are live, and until
 * a look finds nothing that was adopted. An idle server is not woken for it.
 */
export class StrayWatch implements Disposable {
  readonly #orphanage: Pick<Orphanage, "endStrays" | "hasAdopted">;
  readonly #isAnyLive: () => boolean;
  readonly #lookMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isLasting = false;
  #isClosed = false;
  readonly #onChildEnd = (): void => this.begin();

  /** @param isAnyLive whether a command is live */
  constructor(
    orphanage: Pick<Orphanage, "endStrays" | "hasAdopted">,
    isAnyLive: () => boolean,
    everyMs = lookMs,
  ) {
    this.#orphanage = orphanage;
    this.#isAnyLive = isAnyLive;
    this.#lookMs = everyMs;
    // The first process of a container is given the orphans of programs that it has not started: nobody else reaps them.
    if (process.pid === 1) process.on("SIGCHLD", this.#onChildEnd);
  }

  /** A command starts, or a program of the user's has ended that may have left others. */
  begin(): void {
    if (this.#isClosed) return;
    this.#timer ??= setInterval(() => this.#look(), this.#lookMs).unref();
  }

  /** Something starts whose end is not known here, and that may leave orphans: from now on the watch goes on. */
  beginLasting(): void {
    this.#isLasting = true;
    this.begin();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    process.off("SIGCHLD", this.#onChildEnd);
    this.#stop();
  }

  #look(): void {
    this.#orphanage.endStrays();
    if (this.#isLasting || this.#isAnyLive() || this.#orphanage.hasAdopted()) return;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
