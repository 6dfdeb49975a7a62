import { statSync } from "node:fs";
import { isAbsolute } from "node:path";

import { messageOf } from "../base/errors.ts";
import { skillListMsMax } from "../base/limits.ts";
import { startTimer } from "../base/timer.ts";
import { startIn, type StartUp } from "../cli/start-up.ts";
import type { ClientContext } from "../calls/call.ts";
import type { ClientPlace } from "../upstream/upstreams.ts";

export interface FollowedProjectParts {
  readonly start: StartUp;
  /** Told of each move; must not be slow to return. */
  readonly onMove: (place: ClientPlace) => Promise<void>;
  readonly warn: (message: string) => void;
}

/**
 * The project of the one client that this process serves: that of the first folder here that it offers, else that in which the
 * process was started. The servers of other people's projects are told of the one that counts now.
 */
export class FollowedProject {
  readonly #parts: FollowedProjectParts;
  #folders: readonly string[] = [];
  #start: StartUp;
  /** The client has named its folders, and not said that they have changed. */
  #isKnown = false;
  #moving: Promise<void> = Promise.resolve();

  constructor(parts: FollowedProjectParts) {
    this.#parts = parts;
    this.#start = parts.start;
  }

  /** As it would be, had it begun in the present project. */
  get start(): StartUp {
    return this.#start;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  /**
   * Undefined when there is nothing to wait for. Asks a client where it works that can say so, once until it says that this
   * has changed; waits for a moment only. Never rejects.
   */
  follow(client: ClientContext): Promise<void> | undefined {
    if (this.#isKnown || client.roots === undefined || client.isRemote === true) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = startTimer(skillListMsMax, resolve);
    void this.#follow(client).then(() => {
      timer.stop();
      resolve();
    });
    return promise;
  }

  /** The client says that it offers other folders: it is asked again. */
  forget(): void {
    this.#isKnown = false;
  }

  async #follow(client: ClientContext): Promise<void> {
    try {
      const folders = ((await client.roots?.()) ?? []).filter((folder) => isAbsolute(folder));
      if (folders.join("\0") !== this.#folders.join("\0")) this.#move(folders);
      await this.#moving;
      // One that was too slow may name some later.
      this.#isKnown = folders.length > 0;
    } catch (error) {
      this.#parts.warn(`The servers of the project could not be switched: ${messageOf(error)}`);
    }
  }

  #move(folders: readonly string[]): void {
    const { start, onMove } = this.#parts;
    // One that is not here (another machine's, a container's) holds no project, and no server could work in it.
    const first = folders.find(isFolder);
    this.#folders = folders;
    this.#start = first === undefined ? start : startIn(start, first);
    this.#moving = onMove({ projectDir: this.#start.dirs.projectDir ?? null, folders });
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
