import type { Connection } from "./connection.ts";

const listMsMax = 10_000;

/** Waits until a server lists a tool. @throws Error when it does not within 10 s */
export async function untilListed(server: Connection, tool: string): Promise<void> {
  const deadline = Date.now() + listMsMax;
  while (Date.now() < deadline) {
    if (JSON.stringify(server.call("tools/list").body).includes(`"${tool}"`)) return;
    await Bun.sleep(20);
  }
  throw new Error(`the tool ${tool} is not listed`);
}
