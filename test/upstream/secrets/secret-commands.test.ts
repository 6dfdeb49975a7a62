import { expect, test } from "bun:test";
import { existsSync } from "node:fs";

import { KeptOutputs } from "../../../src/upstream/config/expand-launch.ts";
import { runSecretCommand } from "../../../src/upstream/secrets/run-secret-command.ts";
import { eventually } from "../../e2e/harness/conditions.ts";
import { allGone, isAlive, sleepers, uniqueSeconds } from "../../e2e/harness/processes.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const isPosix = process.platform !== "win32";
const env = { PATH: process.env["PATH"], MINE: "mine", SCORPIOX_TOKEN: "ours" };
const run = (command: string): Promise<string> => runSecretCommand(command, { env, cwd: "/" });

test.if(isPosix).each([
  ["echo a; echo b >&2", "a\n"],
  ["echo $MINE$SCORPIOX_TOKEN", "mine\n"],
  // It has no input to wait for.
  ["cat; pwd", "/\n"],
  ["printf 'é'", "é"],
])("%s", async (command, output) => {
  expect(await run(command)).toBe(output);
});

test.if(isPosix).each([
  ["echo canary; echo canary >&2; exit 3", "it ended with exit code 3"],
  ["yes canary", "it writes more than 65536 bytes"],
  ["kill -9 $$", "it was ended"],
])("%s fails, and says nothing of what it wrote", async (command, text) => {
  const failure = await run(command).catch((error: unknown) => String(error));
  expect(failure).toContain(text);
  expect(failure).not.toContain("canary");
});

test.if(isPosix)("a shell that is missing is named", async () => {
  const wrong = { env: { ...env, SHELL_PATH: "/nowhere/zsh" }, cwd: "/" };
  expect(await runSecretCommand("true", wrong).catch(String)).toContain(
    "the shell /nowhere/zsh does not exist; set SHELL_PATH to an existing shell",
  );
});

test.if(isPosix)("nothing of a command is left when it has ended", async () => {
  const output = await run("sleep 100 >/dev/null 2>&1 & echo $!");
  const pid = Number(output);
  await eventually("its end", () => !isAlive(pid));
});

test.if(isPosix)("one that is cancelled ends, with what holds its pipe open", async () => {
  const ending = new AbortController();
  const marker = uniqueSeconds();
  const command = `setsid sh -c "trap '' TERM; sleep ${marker}; :" & sleep ${marker}`;
  const output = runSecretCommand(command, { env, cwd: "/", signal: ending.signal });
  const failure = output.catch((error: unknown) => error);
  await eventually("two sleepers", () => sleepers(marker) === 2);
  ending.abort();
  expect(await failure).toMatchObject({ code: "cancelled" });
  await allGone(marker);
  const again = runSecretCommand("true", { env, cwd: "/", signal: ending.signal });
  expect(await again.catch((error: unknown) => error)).toMatchObject({ code: "cancelled" });
});

test.if(isPosix)("none begins when the server is killed in the moment of its start", async () => {
  using folder = new TempFolder();
  const began = folder.at("began");
  const marker = uniqueSeconds();
  const source = Bun.resolveSync(
    "../../../src/upstream/secrets/run-secret-command.ts",
    import.meta.dir,
  );
  const command = `echo >${began}; trap '' TERM; sleep ${marker}`;
  // The first program that it starts is the guardian, the second the command.
  const script = `
    const { runSecretCommand } = await import(${JSON.stringify(source)});
    const spawn = Bun.spawn;
    let started = 0;
    Bun.spawn = (...words) => {
      const child = spawn(...words);
      if (++started === 2) process.kill(process.pid, "SIGKILL");
      return child;
    };
    await runSecretCommand(process.env.COMMAND, { env: process.env, cwd: "/" });
  `;
  const server = Bun.spawn([process.execPath, "-e", script], { env: { ...env, COMMAND: command } });
  await server.exited;
  expect(server.signalCode).toBe("SIGKILL");
  await allGone(marker);
  expect(existsSync(began)).toBe(false);
});

test("outputs are kept for a while, failures are not", async () => {
  let now = 0;
  const ran: string[] = [];
  const outputs = new KeptOutputs(
    (command) => {
      ran.push(command);
      return command === "bad" ? Promise.reject(new Error("no")) : Promise.resolve(command);
    },
    () => now,
  );
  expect(await Promise.all([outputs.get("a"), outputs.get("a"), outputs.get("b")])).toEqual([
    "a",
    "a",
    "b",
  ]);
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(outputs.get("bad")).rejects.toThrow("no");
    await Bun.sleep(0);
  }
  now = 11 * 60_000;
  await outputs.get("a");
  expect(ran).toEqual(["a", "b", "bad", "bad", "a"]);
});
