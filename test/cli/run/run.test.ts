import { describe, expect, test } from "bun:test";

import { run } from "../fake-io.ts";
import type { CommandRunInput } from "../fake-io.ts";

const home = "home/.scorpiox/scorpiox-env.txt";
const project = "project/.scorpiox/scorpiox-env.txt";
const say = (...lines: readonly string[]): string =>
  lines.map((line) => `scorpiox-code: ${line}\n`).join("");

interface CliCase extends CommandRunInput {
  readonly argv: string;
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

const cases: readonly CliCase[] = [
  // Wrong usage: the message names what was wrong, and nothing goes to stdout.
  {
    argv: "serv",
    exitCode: 2,
    stderr: say("error: There is no command serv. Did you mean serve? See: scorpiox-code help"),
  },
  {
    argv: "xyzzy",
    exitCode: 2,
    stderr: say("error: There is no command xyzzy. See: scorpiox-code help"),
  },
  {
    argv: "config gte",
    exitCode: 2,
    stderr: say(
      "error: There is no command config gte. Did you mean config get? See: scorpiox-code help",
    ),
  },
  {
    argv: "profile",
    exitCode: 2,
    stderr: say("error: profile is incomplete. Commands: profile list, profile use, profile off"),
  },
  {
    argv: "--strictconfig",
    exitCode: 2,
    stderr: say(
      "error: There is no flag --strictconfig here. Did you mean --strict-config? See: scorpiox-code help serve",
    ),
  },
  {
    argv: "-x",
    exitCode: 2,
    stderr: say("error: There is no flag -x here. See: scorpiox-code help serve"),
  },
  {
    argv: "--bogus",
    terminals: ["stdin"],
    exitCode: 2,
    stderr: say("error: There is no flag --bogus here. See: scorpiox-code help serve"),
  },
  {
    argv: "mcp add -y fs npx server",
    exitCode: 2,
    stderr: say(
      "error: There is no flag -y here. If it belongs to the command, put -- before the command. See: scorpiox-code help mcp add",
    ),
  },
  { argv: "--cwd", exitCode: 2, stderr: say("error: --cwd needs a value: --cwd DIR") },
  { argv: "--cwd=", exitCode: 2, stderr: say("error: --cwd needs a value: --cwd DIR") },
  { argv: "tools --json=1", exitCode: 2, stderr: say("error: --json takes no value.") },
  {
    argv: "tools --format xml",
    exitCode: 2,
    stderr: say("error: --format xml is not possible: it takes mcp, openai, anthropic."),
  },
  {
    argv: "serve extra",
    exitCode: 2,
    stderr: say("error: serve: extra is one argument too many. Usage: scorpiox-code serve [FLAGS]"),
  },
  {
    argv: "profile use",
    exitCode: 2,
    stderr: say(
      "error: profile use: an argument is missing. Usage: scorpiox-code profile use NAME [--scope user|claude]",
    ),
  },
  // Starting.
  { argv: "", exitCode: 0 },
  { argv: "serve", terminals: ["stdin"], exitCode: 0 },
  {
    argv: "--cwd ../nowhere",
    exitCode: 2,
    stderr: say("error: --cwd nowhere does not exist."),
  },
  {
    argv: "--cwd file",
    files: { "project/file": "" },
    exitCode: 2,
    stderr: say("error: --cwd project/file is not a directory."),
  },
  {
    argv: "--cwd file/below",
    files: { "project/file": "" },
    exitCode: 2,
    stderr: say("error: --cwd project/file/below does not exist."),
  },
  {
    argv: "--config nope.txt",
    exitCode: 2,
    stderr: say(
      "error: project/nope.txt: there is no such file. Correct the path after --config, or remove the flag.",
      "error: Not started: a file that --config names cannot be used.",
    ),
  },
  {
    argv: "",
    files: { [home]: "TOOLS=x\n" },
    exitCode: 0,
    stderr: say(
      `warning: ${home}:1: TOOLS="x" is refused: it must be one of 1, true, yes, on, 0, false, no, off. Using false instead.`,
    ),
  },
  {
    argv: "--strict-config",
    files: { [home]: "TOLS=1\n" },
    exitCode: 2,
    stderr: say(
      `warning: ${home}:1: TOLS is not a key of this version; it is ignored. Did you mean TOOLS?`,
      "error: Not started: --strict-config, and 1 problem(s).",
    ),
  },
  { argv: "--strict-config", files: { [home]: "TOOLS=1\n" }, exitCode: 0 },
  {
    argv: "--strict-config",
    files: { "project/.mcp.json": '{"mcpServers":{"a":{}}}' },
    exitCode: 0,
  },
  {
    argv: "--strict-config --config s.json",
    files: { "project/s.json": '{"mcpServers":{"a":{}}}' },
    exitCode: 2,
    stderr: say(
      'warning: project/s.json:1: server "a" has neither a command nor a url; it is ignored.',
      "error: Not started: --strict-config, and 1 problem(s) with MCP servers.",
    ),
  },
  {
    argv: "--strict-config --config s.json",
    files: {
      "project/.mcp.json": '{"mcpServers":{"a":{}}}',
      "project/s.json": '{"b":{"command":"x"}}',
    },
    exitCode: 0,
  },
  { argv: "--config s.toml", files: { "project/s.toml": "not = TOML" }, exitCode: 0 },
  {
    argv: "--config nope.toml",
    exitCode: 2,
    stderr: say(
      "error: project/nope.toml: there is no such file. Correct the path after --config, or remove the flag.",
      "error: Not started: a file that --config names cannot be used.",
    ),
  },
  {
    argv: "--defer sometimes",
    exitCode: 2,
    stderr: say("error: --defer sometimes is not possible: it takes auto, on, off."),
  },
  // Version.
  { argv: "version", exitCode: 0, stdout: "scorpiox-code 1.2.3\n" },
  { argv: "--version", exitCode: 0, stdout: "scorpiox-code 1.2.3\n" },
  // Configuration.
  {
    argv: "config get TOOLS",
    files: { [home]: "TOOLS=off\n" },
    exitCode: 0,
    stdout: "false\n",
  },
  {
    argv: "config get TOOLS --show-source",
    files: { [home]: "TOOLS=off\n" },
    exitCode: 0,
    stdout: `false  # user: ${home}:1\n`,
  },
  {
    argv: "config get STREAMING --json",
    env: { STREAMING: "0" },
    exitCode: 0,
    stdout:
      '{\n  "key": "STREAMING",\n  "value": "false",\n  "source": {\n    "level": "environment",\n    "variable": "STREAMING"\n  },\n  "use": "used"\n}\n',
  },
  {
    argv: "config get TOOLS --scope project",
    files: { [home]: "TOOLS=off\n" },
    exitCode: 3,
    stderr: say("error: TOOLS is not set."),
  },
  { argv: "config get SHELL_PATH", exitCode: 3, stderr: say("error: SHELL_PATH is not set.") },
  {
    argv: "config get TOLS",
    exitCode: 3,
    stderr: say("error: There is no key TOLS. Did you mean TOOLS?"),
  },
  {
    argv: "config list --scope user --all --show-source",
    files: { [home]: "TOOLS=maybe\nXYZ=x\n" },
    exitCode: 0,
    stdout: `TOOLS=maybe  # user: ${home}:1\nXYZ=x        # user: ${home}:2; not used by this version\n`,
    stderr: say(
      `warning: ${home}:1: TOOLS="maybe" is refused: it must be one of 1, true, yes, on, 0, false, no, off. Using false instead.`,
      `warning: ${home}:2: XYZ is not a key of this version; it is ignored.`,
    ),
  },
  {
    argv: "config set TOOLS 2",
    exitCode: 2,
    stderr: say(
      'error: TOOLS="2" is refused: it must be one of 1, true, yes, on, 0, false, no, off.',
    ),
  },
  {
    argv: "config set TOOLS",
    exitCode: 2,
    stderr: say("error: config set: the value of TOOLS is missing."),
  },
  {
    argv: "config set TOLS 0",
    exitCode: 3,
    stderr: say("error: There is no key TOLS. Did you mean TOOLS?"),
  },
  {
    argv: "config set SHELL_PATH /bin/sh --scope project",
    exitCode: 2,
    stderr: say(
      "error: SHELL_PATH is refused: a project's file may not set it. Set it in your own file.",
    ),
  },
  {
    argv: "config set TOOLS 1 --scope project",
    exitCode: 2,
    stderr: say(
      "error: TOOLS is refused: a project's file may only switch it off. Set it in your own file.",
    ),
  },
  {
    argv: "config set SANDBOX off --scope project",
    exitCode: 2,
    stderr: say(
      "error: SANDBOX is refused: a project's file may only make it stricter. Set it in your own file.",
    ),
  },
  {
    argv: "config set SANDBOX workspace-write --scope project",
    exitCode: 0,
    stderr: say(`SANDBOX is set in ${project}`),
  },
  {
    argv: "config set TOOLS 0 --scope project",
    cwd: "home",
    exitCode: 2,
    stderr: say(
      "error: There is no project here: the home directory and the root directory are not projects. Use --scope user.",
    ),
  },
  { argv: "config set TOOLS=0", exitCode: 0, stderr: say(`TOOLS is set in ${home}`) },
  {
    argv: "config set MCP_SERVER fs:npx:-y,x",
    exitCode: 0,
    stderr: say(`MCP_SERVER is set in ${home}`),
  },
  { argv: "config set MCP_X opus", exitCode: 3, stderr: say("error: There is no key MCP_X.") },
  {
    argv: "config set STREAMING 0 --scope claude",
    files: { [project]: "STREAMING=1\n" },
    exitCode: 0,
    stderr: say(
      "STREAMING is set in home/.claude/scorpiox-env.txt",
      `STREAMING=true from another place overrides it here (project: ${project}:1)`,
    ),
  },
  {
    argv: "config set TOOLS 0",
    files: { [home]: { dir: true } },
    exitCode: 1,
    stderr: say(`error: ${home} is a directory; it was not changed.`),
  },
  {
    argv: "config remove TOOLS",
    exitCode: 3,
    stderr: say(`error: TOOLS is not set in ${home}`),
  },
  // Profiles.
  {
    argv: "profile use wrok",
    files: { "home/.scorpiox/scorpiox-env/work.txt": "" },
    exitCode: 3,
    stderr: say("error: There is no profile wrok. Did you mean work?"),
  },
  {
    argv: "profile use zzz",
    files: { "home/.scorpiox/scorpiox-env/work.txt": "" },
    exitCode: 3,
    stderr: say("error: There is no profile zzz. There are: work"),
  },
  {
    argv: "profile use work",
    exitCode: 3,
    stderr: say(
      "error: There is no profile work. A profile is a file: home/.scorpiox/scorpiox-env/<name>.txt",
    ),
  },
  {
    argv: "profile use x --scope project",
    exitCode: 2,
    stderr: say("error: --scope project is not possible: it takes user, claude."),
  },
  {
    argv: "profile list",
    files: {
      "home/.scorpiox/scorpiox-env/a.txt": "",
      "home/.scorpiox/scorpiox-env/b.txt": "",
      [home]: "ACTIVE_PROFILE=b\n",
    },
    exitCode: 0,
    stdout: "    a  home/.scorpiox/scorpiox-env/a.txt\n  * b  home/.scorpiox/scorpiox-env/b.txt\n",
  },
  { argv: "profile list", exitCode: 0, stderr: say("There are no profiles.") },
  { argv: "profile list --json", exitCode: 0, stdout: "[]\n" },
  { argv: "profile off", exitCode: 0, stderr: say(`no profile was selected in ${home}`) },
];

describe("runCommandLine()", () => {
  test.each(cases)("$argv -> $exitCode", async (row) => {
    const { exitCode, stdout, stderr } = await run(row.argv.split(" ").filter(Boolean), row);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: row.exitCode,
      stdout: row.stdout ?? "",
      stderr: row.stderr ?? "",
    });
  });

  test.each([[["help"]], [["--help"]], [["-h"]]])("%j lists the commands", async (argv) => {
    const { exitCode, stdout, stderr } = await run(argv);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("  config       Configuration keys: list, get, set, remove\n");
  });

  test("shows help instead of serving a terminal", async () => {
    const { exitCode, stdout, served } = await run([], { terminals: ["stdin"] });
    expect([exitCode, served]).toEqual([0, undefined]);
    expect(stdout).toStartWith("scorpiox-code 1.2.3: ");
  });

  test.each([
    [["help", "config", "set"], "Usage: scorpiox-code config set KEY VALUE"],
    [["config", "set", "--help"], "Usage: scorpiox-code config set KEY VALUE"],
    [["serve", "-h"], "Usage: scorpiox-code serve [FLAGS]"],
    [["help", "config"], "Usage: scorpiox-code config COMMAND"],
    [["config", "--help"], "Usage: scorpiox-code config COMMAND"],
  ])("%j explains it", async (argv, usage) => {
    const { exitCode, stdout, stderr } = await run(argv);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout).toStartWith(usage);
  });

  test("serves with directory, configuration and limits", async () => {
    const files = { "other/.git": "", "project/extra.txt": "STREAMING=0\n" };
    const argv = ["--cwd", "../other", "--config=extra.txt", "--client", "claude-code"];
    const { served } = await run(argv, { files });
    expect(served?.cwdFlag).toEndWith("/other");
    expect(served?.dirs.projectDir).toEndWith("/other");
    expect(served?.config.settings.streaming).toBe(false);
    expect(served?.clients.limitsFor("claude-ai").answerMs).toBe(115_000);
  });

  test("warns of an unknown --client and serves", async () => {
    const { exitCode, stderr, served } = await run(["--client", "nobody"]);
    expect([exitCode, served === undefined]).toEqual([0, false]);
    expect(stderr).toStartWith("scorpiox-code: warning: --client nobody is not known;");
  });

  test("prints no stack when a service fails", async () => {
    const { exitCode, stderr } = await run(["tools"], {
      get tools(): never {
        throw new Error("broken");
      },
    });
    expect([exitCode, stderr]).toEqual([1, "scorpiox-code: error: broken\n"]);
  });

  test.each([
    [{}, "\u001b[31merror: \u001b[0m"],
    [{ NO_COLOR: "1" }, "error: "],
  ])("colours on a terminal with %j", async (env, prefix) => {
    const { stderr } = await run(["xyzzy"], { env, terminals: ["stderr"] });
    expect(stderr).toStartWith(`${prefix}There is no command`);
  });
});
