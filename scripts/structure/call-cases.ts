import { existsSync, writeFileSync } from "node:fs";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { textOf } from "../../test/e2e/harness/messages.ts";
import type { ServerMessage } from "../../test/e2e/harness/server.ts";
import { taskIdOf } from "../../test/e2e/harness/told.ts";

/** Stands in the arguments of a marked call, or in what a command prints. */
export const marker = "m4rk3d-0f-th3-c4ll";

/** What a case has to work with. */
export interface Scene {
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ServerMessage>;
  /** A path in the server's home. */
  at(name: string): string;
}

/** A call whose way is looked at. */
export interface CallCase {
  readonly name: string;
  /** At most so many files entered, and so many that hand the arguments on. */
  readonly goals: { readonly entered: number; readonly handsOn: number };
  /** Makes what `perform` needs; is not recorded. */
  prepare?(): Promise<void>;
  /** Whether there is a place for the marker. */
  readonly hasArguments: boolean;
  /** @param isMarked whether the arguments hold the marker */
  perform(isMarked: boolean): Promise<ServerMessage>;
}

/** The other server, called `own`, and its one tool: it answers without what it was given. */
export const upstreamScript = {
  tools: [
    {
      name: "note",
      behaviour: "add",
      description: "Takes a note.",
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    },
  ],
};

/** A background command that prints a line each time it is let. */
class Printer {
  readonly #scene: Scene;
  readonly #go: string;
  #taskId = 0;

  /** @param name of its own among those of the scene */
  constructor(scene: Scene, name: string) {
    this.#scene = scene;
    this.#go = scene.at(name);
  }

  /** No word of the command holds what it prints: the two halves of `line`. */
  async start(line: string): Promise<void> {
    const half = Math.ceil(line.length / 2);
    const look = `until [ -e ${this.#go} ]; do sleep 0.02; done; rm ${this.#go}`;
    const print = `printf '%s%s\\n' ${line.slice(0, half)} ${line.slice(half)}`;
    const command = `while :; do ${look}; ${print}; done`;
    this.#taskId = taskIdOf(await this.#scene.call("BackgroundBash", { command }));
  }

  /** Has it print its line, after it was waited for. */
  async letPrint(): Promise<void> {
    await Bun.sleep(waitMs);
    writeFileSync(this.#go, "");
    await eventually("the command's look", () => !existsSync(this.#go));
  }

  /** A call that waits for the line. */
  async readLine(line: string, more: Readonly<Record<string, unknown>>): Promise<ServerMessage> {
    const args = { task_id: this.#taskId, wait_ms: 30_000, ...more };
    const reply = this.#scene.call("ReadBgOutput", args);
    await this.letPrint();
    if (!textOf(await reply).includes(line)) throw new Error("ReadBgOutput did not wait");
    return reply;
  }
}

/** So long a call waits before what it waits for comes: nothing outside tells when it has begun to. */
const waitMs = 200;

/** The bytes of background commands, by the marker in them. */
export class MarkedOutput {
  readonly #kept: Printer;
  readonly #read: Printer;

  constructor(scene: Scene) {
    this.#kept = new Printer(scene, "go-kept");
    this.#read = new Printer(scene, "go-read");
  }

  async start(): Promise<void> {
    await this.#kept.start(marker);
    await this.#read.start(marker);
  }

  /** From the pipe to where they are kept: nobody reads them. */
  keep(): Promise<void> {
    return this.#kept.letPrint();
  }

  /** From the pipe into the result of a call that waits for them. */
  async read(): Promise<void> {
    await this.#read.readLine(marker, {});
  }
}

/** The calls, in the order of the table. */
export function callCases(scene: Scene): readonly CallCase[] {
  const printer = new Printer(scene, "go");
  return [
    {
      name: "ListBgTasks",
      goals: { entered: 25, handsOn: 9 },
      hasArguments: false,
      perform: () => scene.call("ListBgTasks", {}),
    },
    {
      name: "Bash `echo hi`",
      goals: { entered: 45, handsOn: 9 },
      hasArguments: true,
      perform: (isMarked) =>
        scene.call("Bash", { command: isMarked ? `echo hi # ${marker}` : "echo hi" }),
    },
    {
      name: "ReadBgOutput that waits",
      goals: { entered: 45, handsOn: 9 },
      hasArguments: true,
      prepare: () => printer.start("a-line"),
      perform: (isMarked) =>
        printer.readLine("a-line", isMarked ? { filter: `line|${marker}` } : {}),
    },
    {
      name: "a tool of an upstream server",
      goals: { entered: 45, handsOn: 9 },
      hasArguments: true,
      perform: (isMarked) => scene.call("mcp__own__note", { text: isMarked ? marker : "text" }),
    },
  ];
}
