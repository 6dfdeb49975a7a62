import { expect } from "bun:test";

import { textOf, toolNames } from "./messages.ts";
import { Server } from "./server.ts";
import type { TempFolder } from "./temp-folder.ts";

/** What a client does with the command that it was given: the handshake, the list, a call. */
export async function expectServes(
  home: TempFolder,
  [binary = "", ...args]: readonly string[],
): Promise<void> {
  await using server = new Server({ home, binary, args });
  await server.initialize();
  expect(toolNames(await server.request("tools/list", {}))).toContain("Bash");
  expect(textOf(await server.call("Bash", { command: "echo works" }))).toBe("works\n");
}
