import { type Cancellation, startTimer, type Timer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { rootsReplyMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import { encodeNotification, encodeRequest, type Params } from "../../protocol/json-rpc.ts";
import type { ResponseMessage } from "../../protocol/message.ts";
import type { Outbox } from "./replies.ts";

interface PendingRequest {
  readonly lane: Outbox;
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: AppError) => void;
  readonly timer: Timer;
}

/** The id of the n-th request of a connection. */
export type RequestIds = (number: number) => string;

/** Requests from us to a legacy client. Modern clients are never asked anything (docs/spec/modern.md#questions). */
export class ClientRequests {
  readonly #pending = new Map<string, PendingRequest>();
  readonly #ids: RequestIds;
  #lastNumber = 0;

  /** @param ids in a fleet: the ids tell which replica waits for the answer */
  constructor(ids: RequestIds = (number) => `server-${number}`) {
    this.#ids = ids;
  }

  /**
   * The client's result, unchecked. Goes out on `lane`: that of the request it belongs to (docs/spec/legacy.md#streams).
   * @throws AppError `cancelled` when no answer came within `timeoutMs` or the connection ended,
   *   `system` when the client answered with an error.
   */
  request(
    lane: Outbox,
    method: string,
    params: Params | undefined,
    timeoutMs: number,
    cancellation?: Cancellation,
  ): Promise<unknown> {
    this.#lastNumber += 1;
    const id = this.#ids(this.#lastNumber);
    return new Promise((resolve, reject) => {
      const late = `the client did not answer ${method} within ${timeoutMs} ms`;
      const timer = startTimer(timeoutMs, () => this.#giveUp(id, "timed out", late));
      this.#pending.set(id, { lane, method, resolve, reject, timer });
      lane.send(encodeRequest(id, method, params));
      cancellation?.onCancel(() => this.#giveUp(id, "no longer needed", "the call was cancelled"));
    });
  }

  /** Takes a response of the client; one that matches nothing is ignored (docs/spec/legacy.md#which-era). */
  settle(response: ResponseMessage): void {
    if (typeof response.id !== "string") return;
    const pending = this.#take(response.id);
    if (pending === undefined) return;
    if (response.error === undefined) return pending.resolve(response.result);
    const detail = JSON.stringify(response.error).slice(0, 200);
    pending.reject(new AppError("system", `the client refused ${pending.method}: ${detail}`));
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const id of this.#pending.keys()) {
      this.#take(id)?.reject(new AppError("cancelled", "the connection has ended"));
    }
  }

  #giveUp(id: string, reason: string, message: string): void {
    const pending = this.#take(id);
    if (pending === undefined) return;
    const params = { requestId: id, reason };
    pending.lane.send(encodeNotification("notifications/cancelled", params));
    pending.reject(new AppError("cancelled", message));
  }

  #take(id: string): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.timer.stop();
    return pending;
  }
}

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
  /** The client has been asked, and has answered or had its time. */
  isKnown = false;
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
    const waiting = this.#waiting;
    await waiting;
    if (waiting === this.#waiting) this.isKnown = true;
    return this.#folders;
  }

  /** The list has changed: the next call asks again. */
  forget(): void {
    this.#waiting = undefined;
    this.isKnown = false;
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
