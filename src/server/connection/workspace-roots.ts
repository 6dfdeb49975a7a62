import { rootsReplyMsMax } from "../../base/limits.ts";
import { startTimer } from "../../base/timer.ts";
import { isObject } from "../../protocol/json-rpc.ts";
import type { ClientRequests } from "./client-requests.ts";
import type { Outbox } from "./outbox.ts";

/** A late list of roots is still used if it comes within this; calls wait `rootsReplyMsMax` only. */
const lateReplyMsMax = 60_000;

/** More than any editor has open; each is looked up for each file that is read. */
const rootsMax = 100;

/** The directory that a legacy client offers as its first `file://` root, asked for once (docs/spec/legacy.md#sessions). */
export class WorkspaceRoots {
  readonly #requests: ClientRequests;
  readonly #fallbackDir: string;
  #folders: readonly string[] = [];
  #waiting: Promise<void> | undefined;
  /** How often the client was asked. */
  #asked = 0;

  constructor(requests: ClientRequests, fallbackDir: string) {
    this.#requests = requests;
    this.#fallbackDir = fallbackDir;
  }

  /** The first root, or the fallback when there is none or the client takes too long. Asked on `lane`. */
  async directory(lane: Outbox): Promise<string> {
    const [first = this.#fallbackDir] = await this.folders(lane);
    return first;
  }

  /** The answer of `directory` if it is known without asking the client. */
  get known(): string {
    return this.#folders[0] ?? this.#fallbackDir;
  }

  /** All roots that are folders of this machine; none when the client takes too long. Asked on `lane`. */
  async folders(lane: Outbox): Promise<readonly string[]> {
    if (this.#waiting === undefined) {
      this.#asked += 1;
      this.#waiting = this.#ask(lane, this.#asked);
    }
    await this.#waiting;
    return this.#folders;
  }

  /** The list has changed: the next call asks again. */
  forget(): void {
    this.#waiting = undefined;
  }

  /** Resolves when the client has answered, or has had its time. */
  #ask(lane: Outbox, number: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = startTimer(rootsReplyMsMax, resolve);
    const take = (folders: readonly string[]): void => {
      // A late answer must not undo a newer one: commands would run in another folder.
      if (number === this.#asked) this.#folders = folders;
      timer.stop();
      resolve();
    };
    this.#requests.request(lane, "roots/list", undefined, lateReplyMsMax).then(
      (result) => take(foldersIn(result)),
      () => take([]),
    );
    return promise;
  }
}

function foldersIn(result: unknown): readonly string[] {
  if (!isObject(result) || !Array.isArray(result.roots)) return [];
  return (result.roots as readonly unknown[]).slice(0, rootsMax).flatMap((root) => {
    const path = isObject(root) ? pathOf(root.uri) : undefined;
    return path === undefined ? [] : [path];
  });
}

/** Undefined for anything but a usable `file:` URI; roots come from outside. */
function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file://")) return undefined;
  try {
    const path = Bun.fileURLToPath(uri);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}
