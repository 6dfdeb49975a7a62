import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { contentsText } from "./harness/resources.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

describe("commands", () => {
  posixTest(
    "[bash.syntax] a syntax error is the user's, in each shell that may run it",
    async () => {
      await using server = new Server();
      await server.initialize();
      for (let round = 0; round < 3; round++) {
        const first = textOf(await server.call("Bash", { command: "echo (" }));
        expect(first).toMatch(/line 1: `echo \('\nexit code: 2$/);
        const third = textOf(await server.call("Bash", { command: "echo a\n\nb )" }));
        expect(third).toMatch(/^a\n.*line 3: `b \)'\nexit code: 2$/s);
      }
    },
  );

  posixTest.each([
    ["1 process was", "sleep 300 & echo done"],
    ["2 processes were", "sleep 300 & setsid sleep 300 & echo done"],
  ])("[bash.leftovers] %s ended", async (what, command) => {
    await using server = new Server();
    await server.initialize();
    expect(textOf(await server.call("Bash", { command }))).toBe(
      `done\n${what} ended that the command had left running. Start what is to go on with BackgroundBash.`,
    );
  });

  test.each([200_000, 600_000])(
    "[background.long-command] one of %d characters",
    async (length) => {
      await using server = new Server();
      await server.initialize();
      const command = `: '${"x".repeat(length)}'; echo up; sleep 300`;
      const started = await server.call("BackgroundBash", { command });
      expect(textOf(started)).toMatch(/^Started in the background as task_id: 1 /);
      const replies = [
        started,
        await server.call("ListBgTasks", {}),
        await server.call("ReadBgOutput", { task_id: 1, wait_ms: 10_000 }),
        await server.call("KillBgTask", { task_id: 1 }),
        await server.call("ListBgTasks", {}),
      ];
      expect(textOf(replies[1] ?? started)).toMatch(
        /^task_id 1: running for .*: : 'x{100,200}… \[[\d,]+ characters; all of them are in scorpiox:\/\/background\/1\]$/,
      );
      expect(textOf(replies[2] ?? started)).toMatch(/^up\nTask 1: running for /);
      expect(textOf(replies[3] ?? started)).toMatch(/^Task 1: killed /);
      for (const reply of replies) expect(JSON.stringify(reply).length).toBeLessThan(2_000);
      const whole = await server.request("resources/read", { uri: "scorpiox://background/1" });
      expect(contentsText(whole)).toContain(`\nCommand: ${command}\nOutput: 3 bytes`);
      const listed = await runProduct(server.home, ["bg", "list", "--json"]);
      expect([listed.exitCode, listed.stdout.length < 2_000]).toEqual([0, true]);
    },
  );
});

posixTest(
  "[start.fresh-homes] twelve at once, each with a command that is written down",
  async () => {
    for (let round = 0; round < 2; round++) {
      using home = new TempFolder();
      const said = Array.from({ length: 12 }, async () => {
        await using server = new Server({ home });
        await server.initialize();
        const replies = await Promise.all([
          server.call("Bash", { command: "sleep 0.5; echo a" }),
          server.call("TaskManager", { action: "create", query: "", text: "b" }),
        ]);
        return { texts: replies.map((reply) => textOf(reply).slice(0, 1)), stderr: server.stderr };
      });
      for (const heard of await Promise.all(said)) {
        expect(heard).toEqual({ texts: ["a", "T"], stderr: "" });
      }
    }
  },
);
