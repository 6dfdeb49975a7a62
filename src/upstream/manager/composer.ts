import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamPublishMs } from "../../base/upstream-limits.ts";
import { printTold, toldOf, type ToldPlace } from "../cache/told-servers.ts";
import { writePrivate } from "../cache/write-private.ts";
import { composeSnapshot } from "../catalogue/compose-snapshot.ts";
import type { ServerView } from "../catalogue/name-table.ts";
import { IndexFile } from "../deferred/index-file.ts";
import type { SearchedTool } from "../search/tool-fields.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import { earlierNamesOf, type LockReading } from "../trust/lock/read-lock.ts";
import type { UpstreamEvent } from "../upstreams.ts";
import type { UpstreamHost, UpstreamOptions } from "../worker/upstream-options.ts";
import type { SearchState } from "./tool-search.ts";

export interface ComposerParts {
  readonly options: UpstreamOptions;
  readonly views: () => readonly ServerView[];
  readonly lock: () => LockReading;
  /** The index file was written, or removed: the next state names it. */
  readonly onIndex: () => void;
  readonly onProblem: (problem: string) => void;
}

/** Makes what the main thread and searches see of all servers, and keeps the index file that goes with it. */
export class Composer implements AsyncDisposable {
  readonly #parts: ComposerParts;
  readonly #index: IndexFile;
  /** Of the place that we were started in. */
  #told: ToldFile;
  #state: SearchState | undefined;
  /** The same array as long as nothing in it changes: what is made of it is large. */
  #searched: readonly SearchedTool[] = [];
  #isDeferredForGood = false;
  #indexFile: string | undefined;
  #isClosed = false;

  constructor(parts: ComposerParts) {
    this.#parts = parts;
    this.#index = new IndexFile(parts.onProblem);
    this.#told = new ToldFile(parts.options.told);
  }

  /** As it is now. */
  get state(): SearchState {
    return this.#state ?? this.compose();
  }

  /** Something of a server is not as it was. */
  invalidate(): void {
    this.#state = undefined;
  }

  compose(): SearchState {
    const { options, views, lock } = this.#parts;
    const { snapshot, isDeferredForGood, ...composed } = composeSnapshot({
      views: views(),
      toolNameMax: options.toolNameMax,
      defer: options.defer,
      wasDeferred: this.#isDeferredForGood,
      earlierNamesOf: (tool) => earlierNamesOf(lock(), tool),
    });
    this.#isDeferredForGood = isDeferredForGood;
    const indexFile = this.#indexFile === undefined ? {} : { indexFile: this.#indexFile };
    if (!areSame(this.#searched, composed.searched)) this.#searched = composed.searched;
    const state = { snapshot: { ...snapshot, ...indexFile }, searched: this.#searched };
    this.#state = state;
    void this.#writeIndex(state);
    this.#keepTold(state);
    return state;
  }

  /** The configuration has changed: what was decided by the old one does not hold (DF2). */
  decideAgain(): void {
    this.#isDeferredForGood = false;
  }

  /** What is known from now on is of another workspace than the next start asks for. */
  leavePlace(): void {
    this.#told = new ToldFile(undefined);
  }

  /** Removes the index file, unless another process needs it. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A short run has learnt something too, which it had no time to publish.
    this.#keepTold(this.state);
    this.#isClosed = true;
    await this.#told[Symbol.asyncDispose]();
    if (!this.#keepsIndex) return;
    const { projectDir } = this.#parts.options.dirs;
    await this.#index.update({ tools: [], introductions: [], isAnyHidden: false, projectDir });
  }

  /** Nobody could read one of a command: it is gone with the command. */
  get #keepsIndex(): boolean {
    const { isPassive, isBrief } = this.#parts.options;
    return isPassive !== true && isBrief !== true;
  }

  /** Nothing while it is not known which servers there are. */
  #keepTold({ snapshot }: SearchState): void {
    if (!this.#isClosed && snapshot.servers.length > 0) this.#told.keep(snapshot);
  }

  async #writeIndex({ snapshot, searched }: SearchState): Promise<void> {
    if (this.#isClosed || !this.#keepsIndex) return;
    const { introductions, tools } = snapshot;
    const { projectDir } = this.#parts.options.dirs;
    const path = await this.#index.update({
      tools: searched,
      introductions,
      isAnyHidden: tools.some(({ listing }) => listing === undefined),
      projectDir,
    });
    if (path === this.#indexFile || this.#isClosed) return;
    this.#indexFile = path;
    this.#parts.onIndex();
  }
}

function areSame(before: readonly SearchedTool[], after: readonly SearchedTool[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ server, tool, listing }, at) => {
      const other = after[at];
      return server === other?.server && tool === other.tool && listing === other.listing;
    })
  );
}

/** Keeps for the next start what it is to say of the servers before it has looked at one. */
class ToldFile implements AsyncDisposable {
  readonly #place: ToldPlace | undefined;
  #written: string | undefined;
  #work: Promise<void> = Promise.resolve();

  /** @param place undefined: nobody will ask */
  constructor(place: ToldPlace | undefined) {
    this.#place = place;
  }

  /** Writes what has changed. A disk that is full costs the next start some words. */
  keep(snapshot: Omit<UpstreamSnapshot, "revision">): void {
    const place = this.#place;
    if (place === undefined) return;
    const text = printTold(toldOf(snapshot), place);
    if (text === this.#written) return;
    this.#written = text;
    this.#work = this.#work.then(() => writePrivate(place.file, text)).catch(() => {});
  }

  /** Resolves when all is written. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#work;
  }
}

type Changed = Extract<UpstreamEvent, { kind: "snapshot" }>["changed"];
type ListName = Changed[number];

/** What of a snapshot clients are shown, as texts that can be compared. */
type Faces = Readonly<Record<ListName | "rest", string>>;

/** Gives the main thread a new snapshot when something has changed, ten times a second at most. */
export class Publisher implements Disposable {
  readonly #host: UpstreamHost;
  readonly #compose: () => Omit<UpstreamSnapshot, "revision">;
  #faces: Faces | undefined;
  #revision = 0;
  #timer: Timer | undefined;
  /** What is known at once goes into one snapshot, which is published as soon as that is all. */
  #publishedAt = performance.now();
  #isClosed = false;

  constructor(host: UpstreamHost, compose: () => Omit<UpstreamSnapshot, "revision">) {
    this.#host = host;
    this.#compose = compose;
  }

  /** Something may have changed. */
  later(): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    const waitMs = Math.max(0, this.#publishedAt + upstreamPublishMs - performance.now());
    this.#timer = startTimer(waitMs, () => this.now());
  }

  /** At once: for the first one. */
  now(): void {
    if (this.#isClosed) return;
    this.#timer?.stop();
    this.#timer = undefined;
    const snapshot = this.#compose();
    const faces = facesOf(snapshot);
    const before = this.#faces;
    const changed = listNames.filter((name) => before?.[name] !== faces[name]);
    if (before !== undefined && changed.length === 0 && before.rest === faces.rest) return;
    this.#faces = faces;
    this.#publishedAt = performance.now();
    this.#host.publish({ revision: ++this.#revision, ...snapshot });
    this.#host.notify({ kind: "snapshot", changed });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.stop();
  }
}

const listNames: readonly ListName[] = ["tools", "prompts", "resources", "servers"];

function facesOf(snapshot: Omit<UpstreamSnapshot, "revision">): Faces {
  const { servers, tools, prompts, resources, templates, ...rest } = snapshot;
  return {
    // What is hidden can change without a client seeing it (DF5, CN14).
    tools: JSON.stringify([snapshot.isDeferred, tools.flatMap(({ listing }) => listing ?? [])]),
    prompts: JSON.stringify(prompts.map(({ listing }) => listing)),
    resources: JSON.stringify([resources, templates]),
    servers: JSON.stringify(servers.map(standingFacts)),
    rest: JSON.stringify([rest, tools.map(({ listing: _listing, ...hidden }) => hidden)]),
  };
}

/** Without what changes with each call and each second. */
function standingFacts(info: ServerInfo): unknown {
  const { name, state, reason, pid, era, tools, resources, prompts, blocked, starts } = info;
  return { name, state, reason, pid, era, tools, resources, prompts, blocked, starts };
}
