import type { StateScope } from "../../../base/server-events.ts";
import { LookFile } from "../look-file.ts";
import { revisionQuery } from "./task-table.ts";

/** Looks whether the tasks of a scope have changed, in whichever process. */
export class TaskLook implements Disposable {
  readonly #file: LookFile;

  constructor(path: string) {
    this.#file = new LookFile(path);
  }

  /** Counts changes; undefined while the file cannot be read. Never throws and never waits; see `LookFile`. */
  revision({ workspace, owner }: StateScope): number | undefined {
    const sight = this.#file.first<{ revision: number }>(revisionQuery, workspace, owner);
    return sight.kind === "seen" ? (sight.row?.revision ?? 0) : undefined;
  }

  [Symbol.dispose](): void {
    this.#file.close();
  }
}
