import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** Other systems adopt no orphans and have other programs. */
const linuxTest = test.skipIf(process.platform !== "linux");
const hasScript = Bun.which("script") !== null && Bun.which("setsid") !== null;
const scriptTest = test.skipIf(process.platform !== "linux" || !hasScript);

const forger = join(import.meta.dir, "../fixtures/forged-terminal.ts");

async function serverIn(home: TempFolder): Promise<Server> {
  // Off, so that what is tried is not asked about for being what it is.
  const server = new Server({ home, env: { SCORPIOX_POLICY_CAUTIONS: "false" } });
  await server.initialize("2025-11-25", "claude-code");
  return server;
}

const toldBy = async (server: Server, command: string): Promise<string> =>
  textOf(await server.call("Bash", { command }));

/** The same command, as one runs it who does not want to be known. */
const disguises: readonly [name: string, disguise: (command: string) => string][] = [
  ["plain", (command) => command],
  ["without the mark", (command) => `env -u SCORPIOX_OWNER ${command}`],
  ["without an environment, in the place of the shell", (command) => `exec env -i ${command}`],
  [
    "a daemon in a terminal of its own",
    (command) => `setsid -f env -i HOME="$HOME" PATH="$PATH" script -qec '${command}' /dev/null`,
  ],
];

/** Each disguise is tried at one of both doors in the suite, and at both in the long run. */
const atDoor = (door: 0 | 1): typeof disguises =>
  disguises.filter((_disguise, index) => isLongRun || index % 2 === door);

describe("a command", () => {
  scriptTest.each(atDoor(1))(
    "[attach.person] does not answer its own question (docs/internals/security-review.md#consent): %s",
    async (_, disguise) => {
      using home = new TempFolder();
      await using server = await serverIn(home);
      const runFolder = home.at(".scorpiox/run");
      const log = home.at("log");
      await eventually(
        "its socket",
        () =>
          existsSync(runFolder) && readdirSync(runFolder).some((name) => name.endsWith(".json")),
      );
      for (const mode of ["terminal", "look"]) {
        const forge = `${process.execPath} ${forger} ${runFolder} ${log}.${mode} ${mode}`;
        await server.call("BackgroundBash", { command: `${disguise(forge)}; sleep 30` });
        await eventually(
          "the end of its connection",
          () =>
            existsSync(`${log}.${mode}`) &&
            readFileSync(`${log}.${mode}`, "utf8").includes("closed"),
        );
      }
      expect(readFileSync(`${log}.terminal`, "utf8")).toContain('{"type":"refused","reason":"');
      // Not before: what cannot be known of the disguises would be asked about too.
      home.write(
        ".scorpiox/policy.jsonc",
        JSON.stringify({ rules: [{ tool: "Bash", match: "touch", action: "ask" }] }),
      );
      const told = await eventually("the rule", async () => {
        const text = await toldBy(server, `touch -c ${home.at("owned")}`);
        return text !== "(no output)" && text;
      });
      expect(told).toContain("this client cannot ask the user");
      expect(await toldBy(server, `touch ${home.at("owned")}`)).toContain("cannot ask the user");
      expect(existsSync(home.at("owned"))).toBe(false);
      await eventually("it on stderr", () =>
        server.stderr.includes("tried to attach as a terminal, where it could have answered"),
      );
    },
  );

  scriptTest.each(atDoor(0))(
    "[commands.person] does not configure what may run, nor approve it (docs/internals/security-review.md#consent): %s",
    async (_, disguise) => {
      using home = new TempFolder();
      const project = home.folder("project");
      home.write(
        "project/.mcp.json",
        JSON.stringify({ mcpServers: { theirs: { command: "touch", args: [home.at("ran")] } } }),
      );
      await using server = await serverIn(home);
      const tried = [
        "config set POLICY_CAUTIONS=false --scope claude",
        "mcp approve --all --yes",
        "mcp add mine -- touch mine",
        "mcp secrets list",
        "hooks approve --yes",
        "profile off",
      ];
      for (const [index, words] of tried.entries()) {
        const said = home.at(`said${index}`);
        const script = home.write(
          `try${index}.sh`,
          `cd ${project}; ${productBinary} ${words} >${said}.draft 2>&1; mv ${said}.draft ${said}\n`,
        );
        const command = disguise(`/bin/sh ${script}`).replace("env -i", `env -i HOME="$HOME"`);
        await server.call("BackgroundBash", { command: `${command}; sleep 30` });
        await eventually("what it says", () => existsSync(said));
        expect(readFileSync(said, "utf8")).toContain(
          "A person has to run it in a terminal of their own.",
        );
      }
      expect(
        [".claude/scorpiox-env.txt", ".scorpiox/trust.json", ".scorpiox/mcp_servers.json"].filter(
          (path) => existsSync(home.at(path)),
        ),
      ).toEqual([]);
    },
  );

  scriptTest(
    "[commands.person] is known below a server whose executable it has renamed and copied",
    async () => {
      using home = new TempFolder();
      const binary = home.at("bin/scorpiox-code");
      mkdirSync(home.at("bin"));
      copyFileSync(productBinary, binary);
      await using server = new Server({
        home,
        binary,
        env: { SCORPIOX_POLICY_CAUTIONS: "false" },
      });
      await server.initialize();
      const said = home.at("said");
      const script = home.write(
        "try.sh",
        `${home.at("bin/copy")} hooks approve --yes >${said}.draft 2>&1; mv ${said}.draft ${said}\n`,
      );
      const moved = `mv ${binary} ${home.at("bin/other")}; cp ${home.at("bin/other")} ${home.at("bin/copy")}`;
      const daemon = `setsid -f env -i HOME="$HOME" PATH="$PATH" /bin/sh ${script}`;
      await server.call("BackgroundBash", { command: `${moved}; ${daemon}; sleep 30` });
      await eventually("what it says", () => existsSync(said));
      expect(readFileSync(said, "utf8")).toContain(
        "A person has to run it in a terminal of their own.",
      );
    },
  );

  linuxTest("[commands.person] may look at what there is", async () => {
    using home = new TempFolder();
    await using server = await serverIn(home);
    expect(await toldBy(server, `${productBinary} config get POLICY_CAUTIONS`)).toContain("true");
    expect(await toldBy(server, `${productBinary} help config set`)).toContain("Usage:");
  });
});
