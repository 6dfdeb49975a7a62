import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { createRelease, type Fault, hostFile } from "./fake-release.ts";
import { createScratch, installer, runCommand, runInstaller } from "./run-installer.ts";

/** Starts a program and asks it for its version, as often as wanted. */
function startProgram(path: string) {
  const child = Bun.spawn([path], { stdin: "pipe", stdout: "pipe", stderr: "ignore" });
  const reader = child.stdout.getReader();
  return {
    async version(): Promise<string | undefined> {
      await child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize"}\n');
      await child.stdin.flush();
      const { value } = await reader.read();
      return /"version":"([^"]*)"/.exec(new TextDecoder().decode(value))?.[1];
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await child.stdin.end();
      await child.exited;
    },
  };
}

/** Flips one bit in the middle of a file. */
function tamper(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = bytes[middle]! ^ 1;
  writeFileSync(path, bytes);
}

/** Each JSON object that the installer printed, in order. */
function printedObjects(stdout: string): unknown[] {
  return [...stdout.matchAll(/^\{\n[^]*?^\}$/gm)].map(([text]) => JSON.parse(text) as unknown);
}

describe.skipIf(process.platform === "win32")("install.sh from a release", () => {
  test("installs for the user alone, proves it and prints what to paste", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const run = await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: release.url });
    expect({ code: run.exitCode, stderr: run.stderr }).toEqual({ code: 0, stderr: run.stderr });
    const folder = join(scratch.path, ".scorpiox");
    const command = join(folder, "scorpiox-code");
    expect(readdirSync(folder)).toEqual(["scorpiox-code"]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(command).mode & 0o777).toBe(0o700);
    expect(readFileSync(command)).toEqual(readFileSync(release.file));
    for (const step of [
      "checksum",
      "handshake, version 1.0.0",
      "tools/list, 1 tools",
      "Bash ran",
    ]) {
      expect(run.stderr).toContain(step);
    }
    expect(run.stdout).toContain(
      `claude mcp add -s user scorpiox-code -- ${command} --client claude-code\n`,
    );
    const entry = (client: string): object => ({ command, args: ["--client", client] });
    expect(printedObjects(run.stdout)).toEqual([
      { mcpServers: { "scorpiox-code": entry("claude-desktop") } },
      { mcpServers: { "scorpiox-code": entry("cursor") } },
      { servers: { "scorpiox-code": { type: "stdio", ...entry("vscode") } } },
    ]);
  });

  test("connects the clients that SCORPIOX_CONNECT names, with the program that it has installed", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const env = { HOME: scratch.path, SCORPIOX_RELEASE_URL: release.url };
    const run = await runInstaller({ ...env, SCORPIOX_CONNECT: "claude-code cursor" });
    expect(run.exitCode).toBe(0);
    expect(run.stdout).toBe("asked: install claude-code cursor --create --yes\n");
    const all = await runInstaller({ ...env, SCORPIOX_CONNECT: "all" });
    expect(all.stdout).toBe("asked: install --create --yes\n");
  });

  test("works when the script comes through a pipe", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const env = { HOME: scratch.path, SCORPIOX_RELEASE_URL: release.url };
    const run = await runCommand(["sh"], env, Bun.file(installer));
    expect(run.exitCode).toBe(0);
    expect(readdirSync(join(scratch.path, ".scorpiox"))).toEqual(["scorpiox-code"]);
  });

  test("downloads over HTTP, and says which URL failed", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) =>
        url.includes("/good/")
          ? new Response(Bun.file(join(release.folder, new URL(url).pathname.slice(6))))
          : new Response("no", { status: 404 }),
    });
    const base = `http://127.0.0.1:${server.port}`;
    const bad = await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: `${base}/bad` });
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toContain(`cannot get ${base}/bad/SHA256SUMS`);
    const good = await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: `${base}/good/` });
    expect(good.exitCode).toBe(0);
  });

  test("U-installer: refuses a file with one changed byte and keeps the old program", async () => {
    using scratch = createScratch();
    const env = { HOME: scratch.path };
    const old = createRelease(join(scratch.path, "1"), "1.0.0");
    await runInstaller({ ...env, SCORPIOX_RELEASE_URL: old.url });
    const changed = createRelease(join(scratch.path, "2"), "2.0.0");
    tamper(changed.file);
    const actual = new Bun.CryptoHasher("sha256").update(readFileSync(changed.file)).digest("hex");
    const run = await runInstaller({ ...env, SCORPIOX_RELEASE_URL: changed.url });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`expected ${changed.sha256}\n  actual   ${actual}`);
    const folder = join(scratch.path, ".scorpiox");
    expect(readdirSync(folder)).toEqual(["scorpiox-code"]);
    expect(readFileSync(join(folder, "scorpiox-code"))).toEqual(readFileSync(old.file));
  });

  test.each([
    ["no line for the file", `${"0".repeat(64)}  other\n`],
    ["a hash that is too short", `abc  ${hostFile}\n`],
    ["an empty file", ""],
  ])("refuses a SHA256SUMS with %s", async (_name, sums) => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    writeFileSync(join(release.folder, "SHA256SUMS"), sums);
    const run = await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: release.url });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`no SHA-256 for ${hostFile}`);
    expect(readdirSync(join(scratch.path, ".scorpiox"))).toEqual([]);
  });

  test.each(["ftp://example.org/x", "http://example.org/x", "http://127.0.0.1.example.org/x", "x"])(
    "refuses the release URL %s",
    async (url) => {
      using scratch = createScratch();
      const run = await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: url });
      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain("must start with https:// or file://");
    },
  );

  test("replaces a running program, which goes on, and keeps it as the previous one", async () => {
    using scratch = createScratch();
    const env = { HOME: scratch.path };
    const folder = join(scratch.path, ".scorpiox");
    const one = createRelease(join(scratch.path, "1"), "1.0.0");
    const two = createRelease(join(scratch.path, "2"), "2.0.0");
    await runInstaller({ ...env, SCORPIOX_RELEASE_URL: one.url });
    await using running = startProgram(join(folder, "scorpiox-code"));
    expect(await running.version()).toBe("1.0.0");
    expect((await runInstaller({ ...env, SCORPIOX_RELEASE_URL: two.url })).exitCode).toBe(0);
    expect(await running.version()).toBe("1.0.0");
    await using fresh = startProgram(join(folder, "scorpiox-code"));
    expect(await fresh.version()).toBe("2.0.0");
    expect(readdirSync(folder).sort()).toEqual(["scorpiox-code", "scorpiox-code.previous"]);
    expect(readFileSync(join(folder, "scorpiox-code.previous"))).toEqual(readFileSync(one.file));
    // The same again changes nothing, the previous one included.
    expect((await runInstaller({ ...env, SCORPIOX_RELEASE_URL: two.url })).exitCode).toBe(0);
    expect(readFileSync(join(folder, "scorpiox-code.previous"))).toEqual(readFileSync(one.file));
  });

  test.each<[Fault, string]>([
    ["dies", "ended before it answered"],
    ["no tools", "tools/list gave no tools"],
    ["Bash fails", "the Bash tool reported an error"],
    ["Bash lies", "the Bash tool gave another answer"],
  ])("puts the old program back when the new one %s", async (fault, message) => {
    using scratch = createScratch();
    const folder = join(scratch.path, ".scorpiox");
    const broken = createRelease(join(scratch.path, "2"), "2.0.0", fault);
    const onto = { HOME: scratch.path, SCORPIOX_RELEASE_URL: broken.url };
    const first = await runInstaller(onto);
    expect(first.exitCode).toBe(1);
    expect(first.stderr).toContain(message);
    expect(readdirSync(folder)).toEqual([]);
    const good = createRelease(join(scratch.path, "1"), "1.0.0");
    await runInstaller({ HOME: scratch.path, SCORPIOX_RELEASE_URL: good.url });
    expect((await runInstaller(onto)).exitCode).toBe(1);
    expect(readdirSync(folder)).toEqual(["scorpiox-code"]);
    expect(readFileSync(join(folder, "scorpiox-code"))).toEqual(readFileSync(good.file));
  });
});

describe.skipIf(process.platform === "win32")("install.sh and its folder", () => {
  test.each(["with spaces in it", 'it\'s "quoted" \\ here'])("installs into %s", async (name) => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const home = join(scratch.path, name);
    const run = await runInstaller({ SCORPIOX_HOME: home, SCORPIOX_RELEASE_URL: release.url });
    expect(run.exitCode).toBe(0);
    expect(printedObjects(run.stdout)[0]).toEqual({
      mcpServers: {
        "scorpiox-code": {
          command: join(home, "scorpiox-code"),
          args: ["--client", "claude-desktop"],
        },
      },
    });
  });

  test("prints a command for Claude Code that a shell reads back", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const home = join(scratch.path, "it's $HOME `here`");
    const run = await runInstaller({ SCORPIOX_HOME: home, SCORPIOX_RELEASE_URL: release.url });
    const line = run.stdout.split("\n").find((text) => text.startsWith("claude mcp add "));
    const script = `claude() { printf '%s\\n' "$@"; }; ${line}`;
    const { stdout } = await runCommand(["sh", "-c", script], {});
    const command = [join(home, "scorpiox-code"), "--client", "claude-code"];
    expect(stdout.trimEnd().split("\n")).toEqual([
      "mcp",
      "add",
      "-s",
      "user",
      "scorpiox-code",
      "--",
      ...command,
    ]);
  });

  test.each<[string, Record<string, string>]>([
    ["unset", {}],
    ["empty", { HOME: "", SCORPIOX_HOME: "" }],
  ])("says what to set when HOME is %s", async (_name, env) => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const run = await runInstaller({ ...env, SCORPIOX_RELEASE_URL: release.url });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("HOME is not set");
  });

  test.each([0o777, 0o1777, 0o702])(
    "refuses a folder where others put files (mode %d)",
    async (mode) => {
      using scratch = createScratch();
      const release = createRelease(join(scratch.path, "release"), "1.0.0");
      const folder = join(scratch.path, "shared");
      mkdirSync(folder);
      chmodSync(folder, mode);
      const run = await runInstaller({ SCORPIOX_HOME: folder, SCORPIOX_RELEASE_URL: release.url });
      expect([run.exitCode, run.stderr]).toEqual([
        1,
        expect.stringContaining(`install: everybody may write to ${folder}: run chmod o-w on it`),
      ]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test("works in a home whose name ends a line, and that a link leads to", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const home = join(scratch.path, "two\nlines -n 'x' $(id)");
    mkdirSync(home);
    symlinkSync(home, join(scratch.path, "link"));
    for (const HOME of [home, join(scratch.path, "link")]) {
      const run = await runInstaller({ HOME, SCORPIOX_RELEASE_URL: release.url });
      expect([run.exitCode, readdirSync(join(home, ".scorpiox"))]).toEqual([0, ["scorpiox-code"]]);
    }
  });

  test("install.ps1 goes nowhere that is not https, whoever sends it there", () => {
    const text = readFileSync(join(dirname(installer), "install.ps1"), "utf8");
    const reading = text.slice(
      text.indexOf("$request.GetResponse()"),
      text.indexOf("GetResponseStream"),
    );
    expect(reading).toContain("if ($response.ResponseUri.Scheme -ne 'https') { throw ");
  });

  test("leaves the mode of a folder that was there", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const home = join(scratch.path, "shared");
    mkdirSync(home, { mode: 0o755 });
    await runInstaller({ SCORPIOX_HOME: home, SCORPIOX_RELEASE_URL: release.url });
    expect(statSync(home).mode & 0o777).toBe(0o755);
  });

  const asRoot = process.getuid?.() === 0;
  const unprivileged = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  test.skipIf(asRoot && Bun.which("setpriv") === null)("refuses a read-only home", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    const home = join(scratch.path, "home");
    mkdirSync(home, { mode: 0o555 });
    chmodSync(scratch.path, 0o755);
    // From a pipe: another user may not read the checkout.
    const command = [...(asRoot ? unprivileged : []), "sh"];
    const env = { HOME: home, SCORPIOX_RELEASE_URL: release.url };
    const run = await runCommand(command, env, Bun.file(installer));
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`cannot create ${home}/.scorpiox: Permission denied`);
    expect(readdirSync(home)).toEqual([]);
  });

  test("leaves nothing behind when the file cannot be written whole", async () => {
    using scratch = createScratch();
    const release = createRelease(join(scratch.path, "release"), "1.0.0");
    // Files of at most two blocks stand for a disk without room.
    const script = `ulimit -f 2; exec sh "${installer}"`;
    const env = { HOME: scratch.path, SCORPIOX_RELEASE_URL: release.url };
    const run = await runCommand(["sh", "-c", script], env);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(`cannot get ${release.url}/${hostFile}`);
    expect(readdirSync(join(scratch.path, ".scorpiox"))).toEqual([]);
  });
});
