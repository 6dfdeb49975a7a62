import { expect, setDefaultTimeout, test } from "bun:test";

import { Server } from "./harness/server.ts";

setDefaultTimeout(60_000);

const pairs = 1_000;
const inFlight = 16;

test("[cancel.silence] U-race: a call that is cancelled as it ends is answered once at most", async () => {
  await using server = new Server();
  await server.initialize();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < pairs) {
      const number = next++;
      const id = `race-${number}`;
      const isShell = number % 4 === 0;
      const call = isShell
        ? { name: "Bash", arguments: { command: "true" } }
        : { name: "ListBgTasks", arguments: {} };
      server.start("tools/call", call, id);
      // From at once to some ms later: before, while and after the reply is made.
      await Bun.sleep(isShell ? (number % 12) / 4 : (number % 8) / 16);
      server.notify("notifications/cancelled", { requestId: id });
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
  // A call made after all of them: what they were still to be answered has been by then.
  await server.call("Bash", { command: "sleep 0.3; echo after" });
  const replies = new Map<unknown, number>();
  for (const { id } of server.messages) {
    if (String(id).startsWith("race-")) replies.set(id, (replies.get(id) ?? 0) + 1);
  }
  expect([...replies.values()].filter((count) => count !== 1)).toEqual([]);
  expect(server.stderr).toBe("");
});
