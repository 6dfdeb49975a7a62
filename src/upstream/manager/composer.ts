import { printTold, toldOf, type ToldPlace } from "../cache/told-servers.ts";
import { writePrivate } from "../cache/write-private.ts";
import { composeSnapshot } from "../catalogue/compose-snapshot.ts";
import type { ServerView } from "../catalogue/server-view.ts";
import { IndexFile } from "../deferred/index-file.ts";
import type { SearchedTool } from "../search/searched-tool.ts";
import type { UpstreamSnapshot } from "../snapshot.ts";
import { earlierNamesOf, type LockReading } from "../trust/lock/read-lock.ts";
import type { UpstreamOptions } from "../worker/upstream-options.ts";
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
export class Composer {
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
  async close(): Promise<void> {
    // A short run has learnt something too, which it had no time to publish.
    this.#keepTold(this.state);
    this.#isClosed = true;
    await this.#told.close();
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
class ToldFile {
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
  close(): Promise<void> {
    return this.#work;
  }
}
