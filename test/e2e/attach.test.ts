import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { isAlive, processesWith } from "./harness/processes.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { Tmux } from "./harness/tmux.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** Without it there is no terminal to look at. */
const hasTmux = Bun.which("tmux") !== null;
const terminalTest = hasTmux ? posixTest : test.skip;

/** Those of other systems have other flags. */
const hasScript = process.platform === "linux" && Bun.which("script") !== null;
const scriptTest = hasScript ? terminalTest : test.skip;

/** What a terminal is before anything ran in it: cursor, no other screen, wrapping, and the line. */
const ordinary = "101 modes: opost isig icanon echo";

async function startServer(
  home: TempFolder,
  clientName = "claude-code",
  env: Readonly<Record<string, string>> = {},
): Promise<Server> {
  const server = new Server({ home, env });
  await server.initialize("2025-11-25", clientName);
  await eventually("its socket", () => socketsIn(home).some((name) => name.endsWith(".json")));
  return server;
}

function socketsIn(home: TempFolder): string[] {
  try {
    return readdirSync(home.at(".scorpiox/run"));
  } catch {
    return [];
  }
}

/** A terminal that the servers of this home know. */
async function attached(home: TempFolder): Promise<Tmux> {
  const terminal = new Tmux(home);
  const servers = socketsIn(home).filter((name) => name.endsWith(".json")).length;
  await terminal.attach(servers === 0 ? "tab next view" : `Servers ${servers}`);
  return terminal;
}

const options = ["PostgreSQL", "SQLite"];
const one = { question: "Which database?", header: "Database", options };
const several = {
  question: "Which caches?",
  header: "Caches",
  options: ["Pages", "Images"],
  multiSelect: true,
};

function ask(server: Server, ...questions: readonly object[]): string | number {
  const args = { questions_json: JSON.stringify(questions) };
  return server.start("tools/call", { name: "AskUserQuestion", arguments: args });
}

async function toldOf(server: Server, id: string | number): Promise<string> {
  return textOf(await server.reply(id));
}

/** Until keys count: a question that has just come takes none. */
const settle = (): Promise<void> => Bun.sleep(550);

describe("questions that are answered or refused", () => {
  /** No test leaves a question at it. */
  let terminal: Tmux;
  let server: Server;
  const home = new TempFolder();
  beforeAll(async () => {
    if (!hasTmux) return;
    server = await startServer(home);
    terminal = await attached(home);
  });
  afterAll(async () => {
    terminal?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  terminalTest(
    "[attach.answer] one choice, several, and words of one's own, in one go",
    async () => {
      const id = ask(server, one, several, { ...one, question: "Why?", header: "Reason" });
      await terminal.shows("claude-code asks");
      await settle();
      terminal.type("Down", "Enter", "Space", "Down", "Space", "Enter", "Down", "Down", "Enter");
      terminal.type("数据 ä", "Enter");
      await terminal.shows("No questions");
      expect((await toldOf(server, id)).split("\n\n")).toEqual([
        "Which database?\n- SQLite",
        "Which caches?\n- Pages\n- Images",
        "Why?\n- in their own words: 数据 ä",
      ]);
    },
  );

  terminalTest.each([
    ["d", "The user declined to answer", []],
    ["Escape", "The user closed the question without an answer", []],
    [
      "Escape",
      "The user closed the question without an answer",
      ["Down", "Down", "Enter", "words", "Escape"],
    ],
  ])("[attach.refuse] %s: %s", async (key, told, before) => {
    const id = ask(server, one);
    await terminal.shows("Which database?");
    await settle();
    if (before.length > 0) {
      terminal.type(...before);
      await terminal.shows("esc cancel");
      terminal.type(key);
      await terminal.shows("lose your input");
      terminal.type("y");
    } else {
      terminal.type(key);
    }
    expect(await toldOf(server, id)).toStartWith(told);
    await terminal.shows("No questions");
  });
});

describe("questions", () => {
  terminalTest(
    "[attach.first] two terminals: the answer of one takes it from the other",
    async () => {
      using home = new TempFolder();
      await using server = await startServer(home);
      using terminal = await attached(home);
      using other = await attached(home);
      const id = ask(server, one);
      await Promise.all([terminal.shows("Which database?"), other.shows("Which database?")]);
      await settle();
      terminal.type("Enter");
      await other.shows("answered in another terminal");
      expect(await toldOf(server, id)).toBe("Which database?\n- PostgreSQL");
    },
  );

  terminalTest("[attach.gone] a call that is cancelled takes its question back", async () => {
    using home = new TempFolder();
    await using server = await startServer(home);
    using terminal = await attached(home);
    const requestId = ask(server, one);
    await terminal.shows("Which database?");
    server.notify("notifications/cancelled", { requestId });
    await terminal.shows("The question was withdrawn");
  });
});

describe("a question that outlasts its call", () => {
  terminalTest(
    "[attach.answer] stays, and its answer is there when it is asked again",
    async () => {
      using home = new TempFolder();
      await using server = await startServer(home, "impatient", {
        SCORPIOX_CLIENT_BUDGET_MS: "1500",
      });
      using terminal = await attached(home);
      expect(await toldOf(server, ask(server, one))).toStartWith("pending: ");
      await terminal.shows("Which database?");
      terminal.type("Enter");
      await terminal.shows("Answered.");
      expect(await toldOf(server, ask(server, one))).toBe("Which database?\n- PostgreSQL");
    },
  );
});

describe("background tasks", () => {
  terminalTest(
    "[attach.output] output grows, hostile output is text, and x ends the task",
    async () => {
      using home = new TempFolder();
      using gate = new Gate();
      await using server = await startServer(home);
      using terminal = await attached(home);
      const hostile = "printf '\\033]0;evil\\007\\033[31mred\\033[0m\\n'";
      const command = `${gate.command("before", "after")}; ${hostile}; sleep 60`;
      await server.call("BackgroundBash", { command });
      terminal.type("2");
      await terminal.shows("●   1");
      terminal.type("Enter");
      await terminal.shows("\n before\n");
      gate.open();
      await terminal.shows("\n before\n after\n red\n");
      terminal.type("x");
      await terminal.shows("End background task 1");
      terminal.type("y");
      await terminal.shows("killed (");
      const listed = await server.call("ListBgTasks");
      expect(JSON.stringify(listed)).toContain("by the user, in a terminal");
    },
  );
});

describe("servers", () => {
  terminalTest(
    "[attach.servers] two at once; one that is killed goes, with its question",
    async () => {
      using home = new TempFolder();
      using terminal = await attached(home);
      await using server = await startServer(home);
      await using doomed = await startServer(home, "doomed");
      await terminal.shows("Servers 2");
      ask(doomed, { ...one, question: "Shall it live?" });
      await terminal.shows("Shall it live?");
      doomed.signal("SIGKILL");
      await terminal.shows("has ended");
      await terminal.shows("Servers 1");
      expect(terminal.screen).not.toContain("Shall it live?");
      await eventually("its socket to be removed", () => socketsIn(home).length === 2);
      expect(server.stderr).toBe("");
    },
  );

  posixTest("[attach.private] the socket is the user's alone, and gone at the end", async () => {
    using home = new TempFolder();
    {
      await using _server = await startServer(home);
      const modes = ["", ...socketsIn(home)].map(
        (name) => statSync(home.at(".scorpiox/run", name)).mode & 0o777,
      );
      expect(modes).toEqual([0o700, 0o600, 0o600]);
    }
    expect(socketsIn(home)).toEqual([]);
  });

  posixTest("[attach.read-only] the server works, and says once why it is not found", async () => {
    using home = new TempFolder();
    home.write(".scorpiox", "");
    await using server = new Server({ home });
    await server.initialize();
    await eventually("the warning", () => server.stderr.includes("attach"));
    const reply = await server.call("Bash", { command: "echo works" });
    expect(JSON.stringify(reply)).toContain("works");
    expect(server.stderr.match(/attach will not find/g)).toHaveLength(1);
  });

  posixTest("[attach.lists] bg list and callbacks list ask all of them", async () => {
    using home = new TempFolder();
    await using server = await startServer(home);
    await using other = await startServer(home);
    await server.call("BackgroundBash", { command: "sleep 60" });
    await other.call("BackgroundBash", { command: "exit 3" });
    await other.call("SetCallback", { action: "set", message: "look", delay_seconds: 100 });
    const listed = (): { state: string }[] =>
      (JSON.parse(run(home, "bg", "list", "--json")) as { tasks: { state: string }[] }).tasks;
    // A server listens from its first quiet moment on, and a command takes its time.
    const states = (): string =>
      listed()
        .map(({ state }) => state)
        .join();
    await eventually("both tasks", () => states() === "running,failed");
    const tasks = listed();
    expect(tasks).toMatchObject([
      { serverPid: server.pid, taskId: 1, command: "sleep 60", state: "running" },
      { serverPid: other.pid, taskId: 1, command: "exit 3", state: "failed", exitCode: 3 },
    ]);
    expect(run(home, "callbacks", "list")).toMatch(
      new RegExp(`^${other.pid}/stdio/0 {2}in [\\d.a-z ]+, 20 fires left {2}look\\n$`),
    );
  });
});

describe("the terminal after attach has ended", () => {
  let terminal: Tmux;
  const home = new TempFolder();
  beforeAll(() => {
    if (hasTmux) terminal = new Tmux(home);
  });
  afterAll(() => {
    terminal?.[Symbol.dispose]();
    home[Symbol.dispose]();
  });

  terminalTest.each<[how: string, code: number, end: (terminal: Tmux, pid: number) => void]>([
    ["q", 0, (terminal) => terminal.type("q")],
    ["Ctrl-C", 0, (terminal) => terminal.type("C-c")],
    ["SIGINT", 130, (_, pid) => process.kill(pid, "SIGINT")],
    ["SIGTERM", 143, (_, pid) => process.kill(pid, "SIGTERM")],
    ["SIGHUP", 129, (_, pid) => process.kill(pid, "SIGHUP")],
  ])("[attach.restore] is as it was after %s", async (_, code, end) => {
    await terminal.attach();
    end(terminal, attachPid());
    await terminal.shows(`code: ${code}`);
    expect(await terminal.modes()).toBe(ordinary);
  });
});

describe("the terminal", () => {
  terminalTest("[attach.restore] a window that is closed takes it along", async () => {
    using home = new TempFolder();
    let pid = 0;
    {
      using _terminal = await attached(home);
      pid = attachPid();
    }
    await eventually("its end", () => !isAlive(pid));
  });

  terminalTest(
    "[attach.restore] is as it was while it is suspended, and goes on after",
    async () => {
      using home = new TempFolder();
      await using server = await startServer(home);
      using terminal = await attached(home);
      terminal.type("C-z");
      await terminal.shows("Stopped");
      expect(await terminal.modes()).toContain("opost isig icanon echo");
      const id = ask(server, one);
      expect(await toldOf(server, id)).toStartWith("There is nowhere to show a question.");
      await terminal.command("fg", "Servers 1");
      terminal.type("q");
      expect(await terminal.modes()).toBe(ordinary);
    },
  );

  scriptTest(
    "[attach.restore] Ctrl-Z where no shell could have it go on: it goes on by itself",
    async () => {
      using home = new TempFolder();
      using terminal = new Tmux(home);
      const line = `clear; script -qec "${productBinary} attach" /dev/null; echo "code: $?"`;
      await terminal.command(line, "tab next view");
      terminal.type("C-z", "5");
      await terminal.shows("No server is running");
      terminal.type("q");
      await terminal.shows("code: 0");
    },
  );

  posixTest.each([
    ["no terminal", {}],
    ["TERM=dumb", { TERM: "dumb" }],
  ])("[attach.no-terminal] %s", async (_, env) => {
    using home = new TempFolder();
    const { exitCode, stderr, stdout } = Bun.spawnSync([productBinary, "attach"], {
      env: { ...testEnvironment(home.path), ...env },
      stdin: "ignore",
    });
    expect([exitCode, stdout.toString()]).toEqual([2, ""]);
    expect(stderr.toString()).toContain("attach needs a terminal");
  });

  terminalTest("[attach.sizes] any size, and hostile texts are shown as text", async () => {
    using home = new TempFolder();
    await using server = await startServer(home);
    using terminal = await attached(home);
    terminal.resize(40, 10);
    ask(server, {
      question: "Is \u001b]0;evil\u0007 \u202ethis fine? 数据库",
      options: [{ label: "\u001b[2Jyes", description: "x ".repeat(300) }, "no"],
    });
    await terminal.shows("\\u{1b}]0;evil\\u{7} \\u{202e}");
    for (const [columns, rows] of [
      [12, 2],
      [20, 4],
      [1, 1],
      [200, 60],
    ] as const) {
      terminal.resize(columns, rows);
      await terminal.screenThat(`${columns}×${rows}`, (screen) =>
        screen
          .trimEnd()
          .split("\n")
          .every((line) => Bun.stringWidth(line) <= columns),
      );
    }
    await terminal.shows("\\u{1b}[2Jyes");
  });
});

function run(home: TempFolder, ...args: string[]): string {
  const done = Bun.spawnSync([productBinary, ...args], { env: testEnvironment(home.path) });
  expect(done.stderr.toString()).toBe("");
  return done.stdout.toString();
}

/** Of the one that runs. */
function attachPid(): number {
  const [found] = processesWith(`${productBinary} attach`).filter(({ command }) =>
    command.startsWith(productBinary),
  );
  if (found === undefined) throw new Error("attach does not run");
  return found.pid;
}
