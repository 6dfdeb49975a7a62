import { textOf } from "../../../test/e2e/harness/messages.ts";
import type { Server } from "../../../test/e2e/harness/server.ts";
import { nobody, UserHome } from "./user-home.ts";

export function makeHome(): UserHome {
  return new UserHome(process.getuid?.() === 0 ? { uid: nobody } : {});
}

/** Prints numbered lines of varying length until a file is there, and how it ends shows that it was told so. */
export const printer = `
import os, sys, time
number = 0
while not os.path.exists(sys.argv[1]):
    for _ in range(5):
        print(number, "x" * (number % 97), flush=True)
        number += 1
    time.sleep(0.02)
sys.exit(7)
`;

/** What a client has read of the printer, line for line. */
export class Reading {
  next = 0;
  bytes = 0;

  /** The output of a task without the line about its state; throws where a byte is missing or was there already. */
  take(text: string): string {
    const lines = text.split("\n");
    const state = lines.pop() ?? "";
    if (!/^Task \d+: /.test(state)) throw new Error(`no state at the end: ${text.slice(-200)}`);
    for (const line of lines) {
      if (/^\(no (?:new )?output/.test(line)) continue;
      const wanted = `${this.next} ${"x".repeat(this.next % 97)}`;
      if (line !== wanted) throw new Error(`line ${this.next} is "${line.slice(0, 120)}"`);
      this.next += 1;
      this.bytes += line.length + 1;
    }
    return state;
  }
}

export async function startKept(client: Server, command: string): Promise<number> {
  const text = textOf(await client.call("BackgroundBash", { command, keep: true }));
  const id = Number(/task_id: (\d+)/.exec(text)?.[1]);
  if (!Number.isInteger(id)) throw new Error(`it was not kept: ${text}`);
  return id;
}

export async function readKept(client: Server, id: number, waitMs = 200): Promise<string> {
  return textOf(await client.call("ReadBgOutput", { task_id: id, wait_ms: waitMs }));
}

export async function killed(server: Server): Promise<void> {
  server.signal("SIGKILL");
  await server.exited;
}
