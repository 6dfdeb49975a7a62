import type { McpTask } from "./mcp-task.ts";

/** The results that one owner's tasks keep, oldest first. */
interface Share {
  chars: number;
  readonly tasks: Set<McpTask>;
}

/** Whose results take up how much room; decides which one goes when there is no more. */
export class KeptResults {
  readonly #shares = new Map<string, Share>();
  #chars = 0;

  /** Characters of all of them. */
  get chars(): number {
    return this.#chars;
  }

  /** Takes note of a task whose state has changed: it may keep a result from now on. */
  note(task: McpTask): void {
    const { ownerId, storedChars } = task;
    if (storedChars === 0) return;
    const share = this.#shares.get(ownerId) ?? { chars: 0, tasks: new Set() };
    if (share.tasks.has(task)) return;
    this.#shares.set(ownerId, share);
    share.tasks.add(task);
    share.chars += storedChars;
    this.#chars += storedChars;
  }

  remove(task: McpTask): void {
    const share = this.#shares.get(task.ownerId);
    if (share?.tasks.delete(task) !== true) return;
    share.chars -= task.storedChars;
    this.#chars -= task.storedChars;
    if (share.tasks.size === 0) this.#shares.delete(task.ownerId);
  }

  /** The oldest of the owner that takes up the most, so that nobody pushes out what others keep; never `spared`. */
  nextToGo(spared: McpTask): McpTask | undefined {
    let next: McpTask | undefined;
    let most = 0;
    for (const { chars, tasks } of this.#shares.values()) {
      if (chars <= most) continue;
      const [first, second] = tasks;
      const oldest = first === spared ? second : first;
      if (oldest === undefined) continue;
      next = oldest;
      most = chars;
    }
    return next;
  }
}
