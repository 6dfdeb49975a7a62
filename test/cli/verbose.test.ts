import { describe, expect, test } from "bun:test";

import { commandListings } from "../../src/cli/run/registry.ts";
import { TempTree } from "../config/temp-tree.ts";
import { run, runIn } from "./fake-io.ts";

const secret = "s3cr3t-and-long-0123456789";
const files = {
  "home/.scorpiox/config.toml":
    `[mcp.servers.docs]\nurl = "https://me:${secret}@docs.test/mcp?api_key=${secret}"\n` +
    `[mcp.servers.tool]\ncommand = "tool"\nargs = ["--token", "${secret}"]\nenv = { TOKEN = "${secret}" }\n`,
  "home/.scorpiox/scorpiox-env.txt": "STREAMING=off\n",
};

const without = (text: string): string => text.replace(/took .*/, "took T");

describe("--verbose", () => {
  test.each([["--verbose"], ["-v"]])(
    "%s says on stderr what is read, and how long it took",
    async (flag) => {
      const { exitCode, stdout, stderr } = await run(["config", "get", "STREAMING", flag], {
        files,
        env: { SCORPIOX_HOOKS_ENABLED: secret },
      });
      expect([exitCode, stdout]).toEqual([0, "false\n"]);
      expect(without(stderr).split("\n")).toEqual(
        expect.arrayContaining([
          "scorpiox-code: version 1.2.3, /home/you/.scorpiox/scorpiox-code",
          "scorpiox-code: folder home/.scorpiox",
          "scorpiox-code: project project",
          "scorpiox-code: reads home/.scorpiox/scorpiox-env.txt",
          "scorpiox-code: reads home/.scorpiox/config.toml",
          "scorpiox-code: no file home/.claude/scorpiox-env.txt",
          "scorpiox-code: variables: SCORPIOX_HOOKS_ENABLED",
          "scorpiox-code: took T",
        ]),
      );
    },
  );

  test("every command knows it", async () => {
    for (const { name } of commandListings) {
      const { exitCode, stdout } = await run([...name.split(" "), "-v", "--help"]);
      expect([name, exitCode, stdout.includes("--verbose")]).toEqual([name, 0, true]);
    }
  });

  test("names servers without their secrets", async () => {
    const asked = await run(["mcp", "diff", "-v"], {
      files,
      catalogues: {
        docs: { kind: "unreachable", reason: "gone" },
        tool: { kind: "unreachable", reason: "gone" },
      },
    });
    expect(asked.stderr).not.toContain(secret);
    expect(asked.stderr.split("\n")).toEqual(
      expect.arrayContaining([
        "scorpiox-code: docs connects to https://***@docs.test/mcp?api_key=*** (home/.scorpiox/config.toml)",
        "scorpiox-code: tool starts tool --token *** (home/.scorpiox/config.toml)",
      ]),
    );
  });

  test("install names the files that it looked for", async () => {
    using tree = new TempTree({ "home/.cursor/mcp.json": "{}\n" });
    const { stderr } = await runIn(tree, ["install", "cursor", "--dry-run", "-v"]);
    expect(stderr).toContain("scorpiox-code: Cursor: looked for home/.cursor/mcp.json\n");
  });

  test("of a command behind mcp add it is the command's own", async () => {
    using tree = new TempTree();
    const words = ["mcp", "add", "box", "docker", "run", "-v", "/data:/data", "image"];
    const { exitCode, stdout } = await runIn(tree, [...words], {});
    expect([exitCode, stdout.split("\n")]).toEqual([
      0,
      expect.arrayContaining(['args = ["run", "-v", "/data:/data", "image"]']),
    ]);
  });

  test("JSON stays as it is", async () => {
    const [plain, verbose] = [
      await run(["mcp", "list", "--json"], { files }),
      await run(["mcp", "list", "--json", "--verbose"], { files }),
    ];
    expect(verbose.stdout).toBe(plain.stdout);
  });
});
