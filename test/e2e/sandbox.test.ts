import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSocket } from "node:dgram";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { productBinary } from "./harness/binary.ts";
import { canBeSomebody } from "./harness/bounded-server.ts";
import { eventually } from "./harness/conditions.ts";
import { testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { hasBubblewrap, hasLandlock, SandboxYard } from "./harness/sandbox-yard.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { writingCommands } from "./harness/writing-commands.ts";
import { onlyLong, shareOf } from "../fixtures/long-run.ts";

/** A test for each sandbox that there is on this machine; the others are skipped. */
const backends = [
  ["bubblewrap", hasBubblewrap],
  ["landlock", hasLandlock],
] as const;
const hasProcessTools = "prlimit renice chrt taskset ionice ipcmk ipcrm"
  .split(" ")
  .every((name) => Bun.which(name) !== null);
const nobody = 65_534;
const isLinux = process.platform === "linux";

/** The whole list is run by `bun run verify --only sandbox`. */
const fewOfThem = new Set(
  (
    "redirect,python,sed -i,truncate,mv a folder,rm -rf,mknod,git commit,link in TMPDIR,/proc/self/root," +
    "root of all processes,user namespace,daemon,helper by path,helper by a pair,helper by abstract name,outside,own folder"
  ).split(","),
);

describe.each(backends)("%s", (backend, isThere) => {
  const sandboxTest = test.skipIf(!isThere);
  const yardWith = async (env: Readonly<Record<string, string>>): Promise<SandboxYard> => {
    const yard = new SandboxYard({ env: { SCORPIOX_SANDBOX_BACKEND: backend, ...env } });
    await yard.ready();
    return yard;
  };
  /** For commands that change nothing, and that may not. */
  let readOnly: SandboxYard;
  /** For two tests, of which one may and does write. */
  let writing: SandboxYard;
  beforeAll(async () => {
    if (!isThere) return;
    readOnly = await yardWith({ SCORPIOX_SANDBOX: "read-only" });
    writing = await yardWith({ SCORPIOX_SANDBOX: "workspace-write" });
  });
  afterAll(async () => {
    if (!isThere) return;
    await readOnly[Symbol.asyncDispose]();
    await writing[Symbol.asyncDispose]();
  });

  sandboxTest(
    "[sandbox.plan] commands that write are held, and run again afterwards",
    async () => {
      const env = { SCORPIOX_SANDBOX_BACKEND: backend };
      await using yard = new SandboxYard({ env, hasHelper: true });
      await yard.ready();
      await yard.server.call("PlanMode", { action: "enter", goal: "look only" });
      const before = yard.lines("all");
      // In one sandbox: each in its own costs the start of one more.
      const few = writingCommands.filter(({ name }) => fewOfThem.has(name));
      const tried = await yard.bash(few.map(({ command }) => `(${command})`).join("\n"));
      expect(tried).toContain("sandbox: Ran read-only for plan mode");
      await yard.server.call("BackgroundBash", { command: "echo x > background.txt" });
      const reply = await yard.server.call("ReadBgOutput", { task_id: 1, wait_ms: 5_000 });
      expect(JSON.stringify(reply.result)).toMatch(/background\.txt: (?:Read-only|Permission)/);
      expect(yard.lines("all")).toEqual(before);
      const said = await yard.bash(
        'echo step >> .scorpiox/plans/*.md && tail -n 1 .scorpiox/plans/*.md; echo x > "$TMPDIR/x" && cat "$TMPDIR/x"',
      );
      const start = `step\nx\nsandbox: Ran read-only for plan mode (${backend}): only the plan file (in place) and $TMPDIR could be written.`;
      expect(said).toStartWith(start);
      await yard.server.call("PlanMode", { action: "reset" });
      expect(await yard.bash("echo y > new.txt && cat new.txt")).toBe("y\n");
    },
    testMsMax,
  );

  test.skipIf(!isThere || !canBeSomebody)(
    "[sandbox.user] holds for a user who is not root, whose commands have a limit of processes",
    async () => {
      const env = { SCORPIOX_SANDBOX_BACKEND: backend, SCORPIOX_SANDBOX: "read-only" };
      await using yard = new SandboxYard({ env, uid: nobody });
      await yard.ready();
      const said = await yard.bash("id -u; echo x > new.txt || echo held");
      expect(said).toMatch(/^65534\n(?:.*\n)?held\n/);
      expect(said).toContain(`sandbox: Ran in the sandbox read-only (${backend})`);
    },
  );

  sandboxTest("[sandbox.tmpdir] is private and gone after the command", async () => {
    const said = await readOnly.bash(
      'stat -c %a "$TMPDIR"; echo "$TMPDIR"; mkdir -p "$TMPDIR/a/b"; chmod 0 "$TMPDIR/a"',
    );
    const [mode, folder = ""] = said.split("\n");
    expect([mode, /scorpiox-tmp-\d+-\w+$/.test(folder)]).toEqual(["700", true]);
    await eventually("the folder is gone", () => !existsSync(folder));
  });

  sandboxTest(
    "[sandbox.end] exit codes, order and the ways to end are those of other commands",
    async () => {
      const ordered = "for i in 1 2 3; do echo o$i; echo e$i >&2; done; exit 3";
      expect(await readOnly.bash(ordered)).toStartWith(
        "o1\ne1\no2\ne2\no3\ne3\nexit code: 3\nsandbox: ",
      );
      expect(await readOnly.bash("yes | head -n 1")).toStartWith("y\nsandbox: ");
      // Asked before it is forced, and heard until it has ended.
      const polite = "trap 'echo bye; exit 0' TERM; echo hi; sleep 9 & wait";
      const asked = await readOnly.bash(polite, 300);
      expect(asked).toStartWith("hi\nbye\ntimed out after 300 ms");
      const seconds = uniqueSeconds();
      await readOnly.bash(`setsid -f sleep ${seconds}; sleep ${seconds} & echo done`);
      await allGone(`sleep ${seconds}`);
    },
    testMsMax,
  );

  sandboxTest("[sandbox.end] nothing survives the server's death", async () => {
    await using yard = await yardWith({ SCORPIOX_SANDBOX: "read-only" });
    const seconds = uniqueSeconds();
    const command = `trap '' TERM; setsid -f sleep ${seconds}; sleep ${seconds}`;
    await yard.server.call("BackgroundBash", { command });
    await eventually("both run", () => sleepers(seconds) === 2);
    yard.server.signal("SIGKILL");
    await allGone(`sleep ${seconds}`);
  });

  sandboxTest("[sandbox.end] a command that is handed over goes on within its bounds", async () => {
    const env = { SCORPIOX_SANDBOX: "read-only", SCORPIOX_CLIENT_BUDGET_MS: "2000" };
    await using yard = await yardWith(env);
    // The sandbox is tried before the first command, which is not to use up the second one's time.
    await yard.bash("true");
    const said = await yard.bash("echo one; sleep 2.5; echo two; echo x > new.txt; exit 4", 20_000);
    expect(said).toMatch(/^one\nStill running .* task_id: 1\..*\nsandbox: /s);
    const reply = await yard.server.call("ReadBgOutput", { task_id: 1, wait_ms: 5_000 });
    const rest = await yard.server.call("ReadBgOutput", { task_id: 1, wait_ms: 5_000 });
    expect(JSON.stringify([reply.result, rest.result])).toContain("two");
    expect(existsSync(join(yard.workspace, "new.txt"))).toBe(false);
  });

  sandboxTest("[sandbox.workspace] nobody sets what the kernel does, root neither", async () => {
    const settings = [
      "/proc/sys/kernel/core_pattern",
      "/proc/sys/vm/drop_caches",
      "/proc/sysrq-trigger",
    ];
    // Opened only: where it is not held the machine is to stay as it is.
    const open = settings.map((path) => `(exec 5>> ${path}) && echo open`).join("; ");
    expect(await writing.bash(open)).not.toContain("open\n");
  });

  sandboxTest.skipIf(!hasProcessTools)(
    "[sandbox.processes] limits, priorities and shared memory of others are out of reach",
    async () => {
      await using other = Bun.spawn(["sleep", "300"]);
      const shared = /\d+/.exec(Bun.spawnSync(["ipcmk", "-M", "64"]).stdout.toString())?.[0] ?? "";
      const before = stateOf(other.pid);
      const attempts = [
        `prlimit --pid ${other.pid} --nofile=7:7`,
        `renice -n 9 -p ${other.pid}`,
        `chrt --idle -p 0 ${other.pid}`,
        `taskset -p 1 ${other.pid}`,
        `ionice -c 3 -p ${other.pid}`,
        `ipcrm -m ${shared}`,
      ];
      try {
        expect(await readOnly.succeeding(attempts)).toEqual([]);
        expect(stateOf(other.pid)).toEqual(before);
      } finally {
        expect(Bun.spawnSync(["ipcrm", "-m", shared]).exitCode).toBe(0);
      }
    },
    testMsMax,
  );

  sandboxTest.skipIf(!hasProcessTools)("[sandbox.processes] a command sets its own", async () => {
    const commands = [
      "ulimit -S -n 64; ulimit -n",
      "echo $(($(nice -n 3 nice) - $(nice)))",
      "renice -n 19 -p 0 >&2; echo $?",
      "taskset 1 true; echo $?",
      "chrt --idle 0 true; echo $?",
      "ionice -c 3 true; echo $?",
      "prlimit --nofile=65:65 sh -c 'ulimit -n'",
      "prlimit --pid $$ --nofile -o SOFT --noheadings | wc -l",
    ];
    const said = await readOnly.bash(commands.map((text) => `(${text})`).join("; "));
    const lines = said.split("\n").filter((line) => /^\d+$/.test(line));
    expect(lines).toEqual(["64", "3", "0", "0", "0", "0", "65", "1"]);
  });

  sandboxTest("[sandbox.workspace] opens the workspace and nothing beside it", async () => {
    const yard = writing;
    const said = await yard.bash(
      'echo a > new.txt && git add new.txt && git commit -q -m second && git log --oneline | wc -l; echo x > "$OUTSIDE/x"; echo x >> ~/.bashrc; mkdir -p ~/.scorpiox/evil',
    );
    expect(said).toMatch(/^2\n/);
    expect([
      existsSync(join(yard.outside, "x")),
      existsSync(join(yard.home, ".scorpiox/evil")),
    ]).toEqual([false, false]);
  });
});

test.skipIf(!hasLandlock)(
  "[sandbox.workspace] landlock: a command that replaces this program replaces no sandbox",
  async () => {
    using base = new TempFolder();
    const [workspace, home] = [base.folder("workspace"), base.folder("home")];
    const binary = base.at("workspace", "program");
    cpSync(productBinary, binary);
    const env = { HOME: home, SCORPIOX_SANDBOX: "workspace-write" };
    await using server = new Server({
      binary,
      cwd: workspace,
      env: { ...env, SCORPIOX_SANDBOX_BACKEND: "landlock" },
    });
    await server.initialize();
    const evil = `printf '#!/bin/sh\\necho x > ${base.path}/evil' > other; chmod +x other; mv other program`;
    for (const command of [evil, "true"]) await server.call("Bash", { command });
    expect(readFileSync(binary, "latin1")).toStartWith("#!/bin/sh\n");
    expect(existsSync(base.at("evil"))).toBe(false);
  },
);

test.skipIf(!hasBubblewrap)(
  "[sandbox.workspace] a link in an open folder opens nothing more",
  async () => {
    using base = new TempFolder();
    const [workspace, home] = [base.folder("workspace"), base.folder("home")];
    const cache = base.at("workspace", "cache");
    await using server = new Server({
      cwd: workspace,
      env: { HOME: home, SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_WRITE: cache },
    });
    await server.initialize();
    await server.call("Bash", { command: `ln -s ${home} cache` });
    const reply = await server.call("Bash", { command: `echo x > ${home}/x` });
    expect(JSON.stringify(reply.result)).toContain(
      `SANDBOX=workspace-write cannot open ${cache} for writing: ${cache} is a symbolic link in ${workspace}`,
    );
    expect(existsSync(base.at("home", "x"))).toBe(false);
  },
);

describe("bubblewrap alone", () => {
  const yardWith = async (env: Readonly<Record<string, string>>): Promise<SandboxYard> => {
    const yard = new SandboxYard({ env });
    await yard.ready();
    return yard;
  };
  const bubblewrapTest = test.skipIf(!hasBubblewrap);

  bubblewrapTest("[sandbox.workspace] keeps what other programs run or believe", async () => {
    await using yard = await yardWith({ SCORPIOX_SANDBOX: "workspace-write" });
    const before = yard.lines("contents");
    const attempts = [
      "echo x > .git/hooks/pre-commit",
      "git config core.pager evil",
      "mv .git git && mkdir .git",
      "rm -rf .git/hooks .git/config .mcp.json .claude .scorpiox",
      "unlink .git/config",
      "echo x > .mcp.json",
      "echo x > mcp.lock",
      "ln -s /etc/passwd .mcp.json",
      "mkdir -p .claude/commands .scorpiox/hooks",
      "mv README.md .mcp.json",
    ];
    expect(await yard.succeeding(attempts)).toEqual([]);
    // Nor do the stand-ins stay.
    const isAsBefore = (): boolean => {
      try {
        return Bun.deepEquals(yard.lines("contents"), before);
      } catch {
        // One went while this looked.
        return false;
      }
    };
    await eventually("stand-ins are gone", isAsBefore).catch(() => {});
    expect(yard.lines("contents")).toEqual(before);
  });

  bubblewrapTest(
    "[sandbox.workspace] keeps what git, editors and clients believe, and lets them work",
    async () => {
      await using yard = await yardWith({ SCORPIOX_SANDBOX: "workspace-write" });
      const believed = [
        ".vscode/tasks.json",
        ".cursor/mcp.json",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".envrc",
        "mcp_servers.json",
        "workspaces/w/mcp_servers.json",
        ".agents/skills/s/SKILL.md",
      ];
      for (const name of believed) {
        mkdirSync(dirname(join(yard.workspace, name)), { recursive: true });
        writeFileSync(join(yard.workspace, name), "mine\n");
      }
      const library = join(yard.outside, "library");
      const commit = "git add -A && git commit -q -m ours";
      const setUp = [
        `git init -q ${library} && cd ${library} && echo x > a && ${commit}`,
        `cd ${yard.workspace} && git -c protocol.file.allow=always submodule --quiet add ${library} libs/sub`,
        `git config extensions.worktreeConfig true && ${commit}`,
        `git worktree add -q ${yard.outside}/tree`,
      ].join(" && ");
      const made = Bun.spawnSync(["sh", "-ec", setUp], {
        cwd: yard.workspace,
        env: { ...process.env, HOME: yard.home },
      });
      expect([made.exitCode, made.stderr.toString()]).toEqual([0, ""]);
      const before = yard.lines("contents");
      const module = ".git/modules/libs/sub";
      const attempts = [
        ...believed.map((name) => `echo evil > ${name}`),
        ...believed.map((name) => `rm ${name}`),
        "mv .vscode vscode",
        "mv workspaces w2",
        "ln -sf /etc/passwd .envrc",
        "mv README.md mcp_servers.json",
        `echo evil > ${module}/hooks/post-checkout`,
        `mv ${module} ${module}2`,
        "mv .git/modules .git/m",
        "git config --worktree core.pager evil",
        "echo evil > .git/config.worktree",
        "echo evil > .git/worktrees/tree/config.worktree",
        "mv .git/worktrees/tree .git/worktrees/t2",
      ];
      expect(await yard.succeeding(attempts)).toEqual([]);
      const standIns = [".mcp.json", "mcp.lock", ".claude", ".scorpiox"];
      const ofGit = [".git/config.worktree", ".git/worktrees/tree/config.worktree"];
      const isThere = (name: string): boolean => existsSync(join(yard.workspace, name));
      await eventually("stand-ins are gone", () => ![...standIns, ...ofGit].some(isThere));
      expect(yard.lines("contents")).toEqual(before);
      const work = [
        "echo more >> src/a.txt && git commit -qam third",
        "git worktree add -q inner && git worktree remove inner",
        "echo gone > libs/sub/a && git submodule --quiet update --force && cat libs/sub/a",
        "git -C libs/sub commit -q --allow-empty -m deeper && git add libs/sub && git commit -qm fourth",
        "git stash list && git gc -q && git fsck 2>&1 && git status --short && git log --oneline | wc -l",
      ];
      expect(await yard.bash(work.join(" && "))).toMatch(/^x\n4\n(?:took|sandbox: )/);
    },
    testMsMax,
  );

  bubblewrapTest.each([
    // The one that opens the home opens more than the two of which it is made.
    ...onlyLong<[Readonly<Record<string, string>>]>([
      [{ SCORPIOX_SANDBOX: "read-only" }],
      [{ SCORPIOX_SANDBOX: "workspace-write" }],
    ]),
    [{ SCORPIOX_SANDBOX_NETWORK: "off" }],
    [{ SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_WRITE: "~" }],
    // Plan mode.
    [{}],
  ])("[sandbox.secrets] %p: they are not read", async (env) => {
    await using yard = await yardWith(env);
    const isPlan = Object.keys(env).length === 0;
    if (isPlan) await yard.server.call("PlanMode", { action: "enter", goal: "look only" });
    const own = join(yard.home, ".scorpiox");
    const secrets = [
      "secrets/login-x",
      "run/deep/server.json",
      "run/hub-0a-0b/key",
      "principals/p/memory.json",
      "browser/p/Cookies",
      "http-token",
    ];
    for (const name of [...secrets, "elsewhere/state", "results/1.txt"]) {
      mkdirSync(dirname(join(own, name)), { recursive: true });
      writeFileSync(join(own, name), "the-content\n");
    }
    // The user's own link, to a place that commands can read.
    rmSync(join(own, "state.key"), { force: true });
    symlinkSync("elsewhere/state", join(own, "state.key"));
    const looks = ["cat", "head -c 99 -q", "cp -t $TMPDIR", "ln -L -t $TMPDIR"];
    const ways = [own, `/proc/self/root${own}`, `/proc/self/cwd/../home/.scorpiox`];
    const names = [...secrets, "state.key", "elsewhere/state"];
    const paths = ways.flatMap((way) => names.map((name) => `${way}/${name}`));
    // One process for all of them: that of each path costs more than the look.
    const all = paths.join(" ");
    const commands = looks.map((look) => `${look} ${all} 2>&1; true`);
    // What holds them away is not taken off, nor is what lies below it moved into sight.
    const tricks = [
      `umount ${own}/secrets`,
      `unshare -rm sh -c 'umount ${own}/secrets; umount -l ${own}/state.key'`,
      `unshare -rm mount --bind ${yard.home} /mnt`,
      `mv ${own}/secrets ${own}/moved`,
      `mv ${own} ${own}2; cat ${own}2/secrets/login-x; mv ${own}2 ${own}; false`,
      `chmod 777 ${own}/secrets`,
      `rm -rf ${own}/secrets`,
      `grep -rs the-content ${own}/secrets ${own}/run ${own}/principals ${own}/browser`,
    ];
    const script = tricks.map((text) => `${text} 2>&1 && echo did ${text}`);
    const made = 'for path in $(ls -A "$TMPDIR"); do echo "did make $path"; done';
    const end = `cat $TMPDIR/* ${own}/results/1.txt; true`;
    // From a file: a command that shows what it is after is asked about.
    writeFileSync(join(yard.workspace, "look.sh"), [...script, ...commands, made, end].join("\n"));
    const said = await yard.bash("bash look.sh 2>/dev/null");
    const seen = said.split("\n").filter((line) => /^the-content|^did (?!unshare)/.test(line));
    expect(seen).toEqual(["the-content"]);
    expect(names.map((name) => readFileSync(join(own, name), "utf8"))).toEqual(
      names.map(() => "the-content\n"),
    );
  });

  bubblewrapTest(
    "[sandbox.workspace] what stands in is never committed, nor missed by the next command",
    async () => {
      await using yard = await yardWith({ SCORPIOX_SANDBOX: "workspace-write" });
      const commit = "git add -A && git commit -q -m second; git show --format= --name-only HEAD";
      expect(await yard.bash(commit)).toMatch(/^link\n(?:took|sandbox: )/);
      for (let round = 0; round < shareOf(10); round++) {
        const said = await Promise.all([yard.bash("echo a"), yard.bash("echo a")]);
        expect(said.map((text) => text.split("\n")[0])).toEqual(["a", "a"]);
      }
    },
  );

  bubblewrapTest("[sandbox.workspace] a link in a protected place is refused", async () => {
    await using yard = await yardWith({ SCORPIOX_SANDBOX: "workspace-write" });
    Bun.spawnSync(["ln", "-s", "/nowhere", ".mcp.json"], { cwd: yard.workspace });
    expect(await yard.bash("echo never > new.txt")).toStartWith("The sandbox cannot protect ");
    expect(existsSync(join(yard.workspace, "new.txt"))).toBe(false);
  });

  bubblewrapTest.each([
    ["off", "Connection refused", ["sent"], "x\nsandbox: Ran in a network sandbox (bubblewrap)"],
    ["on", "connected", ["sent", "heard"], "x\n"],
  ])(
    "[sandbox.network] %s holds for TCP, UDP and sockets by path",
    async (network, tcp, udp, said) => {
      await using yard = await yardWith({ SCORPIOX_SANDBOX_NETWORK: network });
      using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
      using mailbox = await Mailbox.open();
      const connect = `(: > /dev/tcp/127.0.0.1/${listener.port}) 2>&1 && echo connected`;
      expect(await yard.bash(connect)).toContain(tcp);
      await yard.bash(`echo heard > /dev/udp/127.0.0.1/${mailbox.port}`);
      // Sent from here after it: what comes first has been waited for.
      await mailbox.send("sent");
      expect(mailbox.heard.sort()).toEqual([...udp].sort());
      expect(await yard.bash("echo x > free.txt && cat free.txt")).toStartWith(said);
      const unix = await yard.bash(
        `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die "$!"'`,
      );
      expect(unix.includes("Permission denied")).toBe(network === "off");
    },
  );

  bubblewrapTest(
    "[sandbox.end] a call that is cancelled while its sandbox starts leaves nothing",
    async () => {
      await using yard = await yardWith({ SCORPIOX_SANDBOX: "read-only" });
      await yard.bash("true");
      const seconds = uniqueSeconds();
      for (const ms of [0, 1, 2, 3, 5, 8]) {
        const args = { command: `sleep ${seconds}`, timeout: 60_000 };
        const requestId = yard.server.start("tools/call", { name: "Bash", arguments: args });
        await Bun.sleep(ms);
        yard.server.notify("notifications/cancelled", { requestId });
      }
      // Sooner than the grace of a command that is asked to end.
      await allGone(`sleep ${seconds}`, 1_500);
    },
  );
});

/** What others could change of a process: its limits, and its turn on the processors. */
function stateOf(pid: number): readonly string[] {
  const look = (...command: string[]): string => Bun.spawnSync(command).stdout.toString();
  const id = String(pid);
  return [
    readFileSync(`/proc/${pid}/limits`, "utf8"),
    look("ps", "-o", "ni=", "-p", id),
    look("chrt", "-p", id),
    look("taskset", "-p", id),
    look("ionice", "-p", id),
  ];
}

/** Hears datagrams. */
class Mailbox implements Disposable {
  readonly heard: string[] = [];
  readonly #socket = createSocket("udp4");

  static async open(): Promise<Mailbox> {
    const mailbox = new Mailbox();
    const { promise, resolve } = Promise.withResolvers<void>();
    mailbox.#socket.on("message", (text) => mailbox.heard.push(text.toString().trim()));
    mailbox.#socket.bind(0, "127.0.0.1", resolve);
    await promise;
    return mailbox;
  }

  get port(): number {
    return this.#socket.address().port;
  }

  async send(text: string): Promise<void> {
    this.#socket.send(text, this.port, "127.0.0.1");
    await eventually("it is heard", () => this.heard.includes(text));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }
}

describe.skipIf(!isLinux)("where it cannot be held", () => {
  const yards: SandboxYard[] = [];
  afterAll(() => Promise.all(yards.map((yard) => yard[Symbol.asyncDispose]())));

  test.each([
    [
      { SCORPIOX_SANDBOX: "read-only", SCORPIOX_SANDBOX_BACKEND: "seatbelt" },
      "SANDBOX=read-only cannot be enforced here, so nothing was run (seatbelt: it is not available on this system).",
    ],
    [
      { SCORPIOX_SANDBOX_NETWORK: "off", SCORPIOX_SANDBOX_BACKEND: "landlock" },
      "SANDBOX_NETWORK=off cannot be enforced here, so nothing was run (landlock: it cannot block the network).",
    ],
    [
      { SCORPIOX_SANDBOX: "readonly", SCORPIOX_SANDBOX_BACKEND: "seatbelt" },
      "SANDBOX=read-only cannot be enforced here",
    ],
  ])("[sandbox.refused] %p", async (env, text) => {
    const yard = new SandboxYard({ env });
    yards.push(yard);
    await yard.ready();
    expect(await yard.bash("echo x > new.txt")).toContain(text);
    expect(existsSync(join(yard.workspace, "new.txt"))).toBe(false);
    const background = await yard.server.call("BackgroundBash", { command: "echo x > new.txt" });
    expect(JSON.stringify(background.result)).toContain(text);
  });

  test("[sandbox.plan-unheld] plan mode runs all the same, and says so", async () => {
    const yard = new SandboxYard({ env: { SCORPIOX_SANDBOX_BACKEND: "seatbelt" } });
    yards.push(yard);
    await yard.ready();
    await yard.server.call("PlanMode", { action: "enter", goal: "look" });
    expect(await yard.bash("echo x")).toBe(
      "x\nsandbox: Plan mode is on, but nothing on this system stops commands from writing (seatbelt: it is not available on this system): run commands that only read.",
    );
  });
});
