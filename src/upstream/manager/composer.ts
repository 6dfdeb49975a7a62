import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamPublishMs } from "../../base/upstream-limits.ts";
import { printTold, toldOf, type ToldPlace } from "../cache/told-servers.ts";
import { writePrivate } from "../cache/write-private.ts";
import { composeSnapshot } from "../catalogue/compose-snapshot.ts";
import type { ServerView } from "../catalogue/compose-tools.ts";
import { IndexFile } from "../search/index-file.ts";
import type { ServerInfo } from "../server-state.ts";
import type { UpstreamSnapshot, SearchedTool } from "../snapshot.ts";
import { earlierNamesOf, type LockReading } from "../trust/lock/read-lock.ts";
import type { UpstreamEvent } from "../upstreams.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
import type { UpstreamHost } from "../worker/upstream-work.ts";
import { ListKeeper, type ListSources } from "./list-keeper.ts";
import type { SearchState } from "./tool-search.ts";

export interface ComposerParts {
  readonly options: UpstreamOptions;
  readonly views: () => readonly ServerView[];
  readonly lock: () => LockReading;
  /** Undefined while the servers do not follow from it yet. */
  readonly sources: () => ListSources | undefined;
  /** The index file was written or removed; the next state has its path. */
  readonly onIndex: () => void;
  readonly onProblem: (problem: string) => void;
}

/** Composes the state of all servers for the main thread and for searches, and writes the index file for it. */
export class Composer implements AsyncDisposable {
  readonly #parts: ComposerParts;
  readonly #index: IndexFile;
  /** For the workspace and project in which this process started. */
  #told: ToldFile;
  #lists: ListKeeper;
  #state: SearchState | undefined;
  /** The tools to search, as one array while nothing in it changes: the search index built from it is large. */
  #searched: readonly SearchedTool[] = [];
  #isDeferredForGood = false;
  #indexFile: string | undefined;
  #isClosed = false;

  constructor(parts: ComposerParts) {
    this.#parts = parts;
    this.#index = new IndexFile(parts.onProblem);
    this.#told = new ToldFile(parts.options.told);
    this.#lists = new ListKeeper(parts.options.keptLists, parts.options.env);
  }

  /** The current state. */
  get state(): SearchState {
    return this.#state ?? this.compose();
  }

  /** A server has changed. */
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

  /** The configuration has changed, which ends earlier decisions about deferral (DF2). */
  decideAgain(): void {
    this.#isDeferredForGood = false;
  }

  /** Stops keeping texts for the next start: from now on they belong to another project. */
  leavePlace(): void {
    this.#told = new ToldFile(undefined);
    this.#lists = new ListKeeper(undefined, {});
  }

  /** Removes the index file, unless another process needs it. */
  async [Symbol.asyncDispose](): Promise<void> {
    // A short run may have learned something that it had no time to publish.
    this.#keepTold(this.state);
    this.#isClosed = true;
    await this.#told[Symbol.asyncDispose]();
    await this.#lists[Symbol.asyncDispose]();
    if (!this.#keepsIndex) return;
    const { projectDir } = this.#parts.options.dirs;
    await this.#index.update({ tools: [], introductions: [], isAnyHidden: false, projectDir });
  }

  /** A short command writes no index: it would be removed before anyone could read it. */
  get #keepsIndex(): boolean {
    const { isPassive, isBrief } = this.#parts.options;
    return isPassive !== true && isBrief !== true;
  }

  /** Keeps nothing while the servers are not known. */
  #keepTold(state: SearchState): void {
    if (this.#isClosed || state.snapshot.servers.length === 0) return;
    this.#told.keep(state.snapshot);
    const sources = this.#parts.sources();
    if (sources !== undefined) this.#lists.keep(state, sources);
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

/** Saves the texts about servers that the next start shows before it has contacted any server. */
class ToldFile implements AsyncDisposable {
  readonly #place: ToldPlace | undefined;
  #written: string | undefined;
  #work: Promise<void> = Promise.resolve();

  /** @param place undefined: no later start reads them */
  constructor(place: ToldPlace | undefined) {
    this.#place = place;
  }

  /** Writes changed texts. With a full disk the next start shows older ones. */
  keep(snapshot: Omit<UpstreamSnapshot, "revision">): void {
    const place = this.#place;
    if (place === undefined) return;
    const text = printTold(toldOf(snapshot), place);
    if (text === this.#written) return;
    this.#written = text;
    this.#work = this.#work.then(() => writePrivate(place.file, text)).catch(() => {});
  }

  /** Resolves when everything is written. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#work;
  }
}

type Changed = Extract<UpstreamEvent, { kind: "snapshot" }>["changed"];
type ListName = Changed[number];

/** The parts of a snapshot that clients see, as texts to compare. */
type Faces = Readonly<Record<ListName | "rest", string>>;

/** Publishes a new snapshot to the main thread after changes, ten times a second at most. */
export class Publisher implements Disposable {
  readonly #host: UpstreamHost;
  readonly #compose: () => Omit<UpstreamSnapshot, "revision">;
  #faces: Faces | undefined;
  #revision = 0;
  #timer: Timer | undefined;
  /** Starts with the current time, so that everything known at the start goes into one snapshot. */
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

  /** Publishes at once, for the first snapshot. */
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
    // Clients do not see changes of hidden tools (DF5, CN14).
    tools: JSON.stringify([snapshot.isDeferred, tools.flatMap(({ listing }) => listing ?? [])]),
    prompts: JSON.stringify(prompts.map(({ listing }) => listing)),
    resources: JSON.stringify([resources, templates]),
    servers: JSON.stringify(servers.map(stateFacts)),
    rest: JSON.stringify([rest, tools.map(({ listing: _listing, ...hidden }) => hidden)]),
  };
}

/** Without the facts that change with each call or each second. */
function stateFacts(info: ServerInfo): unknown {
  const { name, state, reason, pid, era, tools, resources, prompts, blocked, starts } = info;
  return { name, state, reason, pid, era, tools, resources, prompts, blocked, starts };
}
