import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createScratch, installer, runCommand } from "./run-installer.ts";

const tools =
  "sh awk cat cp cut date df dirname find getconf grep head id ln ls mkdir mktemp mv pwd rm sed tail tee tr uname wc";

/** A PATH with the system's tools, and the `programs` given as shell scripts; no Node, no npm, no Bun. */
function createPath(folder: string, programs: Record<string, string>): string {
  mkdirSync(folder, { recursive: true });
  for (const tool of tools.split(" ")) {
    const found = Bun.which(tool);
    if (found !== null && !(tool in programs)) symlinkSync(found, join(folder, tool));
  }
  writePrograms(folder, programs);
  return folder;
}

function writePrograms(folder: string, programs: Record<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
}

/** Our shell scripts in a folder that looks like a checkout. */
function createCheckout(folder: string): string {
  mkdirSync(join(folder, "scripts"), { recursive: true });
  for (const script of ["install.sh", "bootstrap.sh", "test.sh"]) {
    copyFileSync(join(dirname(installer), script), join(folder, "scripts", script));
  }
  writeFileSync(join(folder, "package.json"), '{\n  "name": "scorpiox-code"\n}\n');
  writeFileSync(join(folder, "scripts/build.ts"), "");
  mkdirSync(join(folder, "test/e2e"), { recursive: true });
  return folder;
}

describe.skipIf(process.platform === "win32")("install.sh in a checkout", () => {
  test.each<[string, Record<string, string>, string]>([
    ["without Node", {}, "Node.js 20 or newer is needed"],
    ["with an old Node", { node: "echo 18.20.4" }, "Node.js 18.20.4 is too old"],
    ["without npm", { node: "echo 20.1.0" }, "npm is needed to build from source"],
    [
      "when npm cannot install",
      { node: '[ "$1" = -p ] && echo 20.1.0', npm: "echo no network >&2; exit 1" },
      "npm could not install the packages",
    ],
    [
      "when Bun does not start",
      { node: '[ "$1" = -p ] && echo 20.1.0', npm: "exit 0" },
      "Bun does not start after installing",
    ],
  ])("says what is missing %s", async (_name, programs, message) => {
    using scratch = createScratch();
    const checkout = createCheckout(join(scratch.path, "checkout"));
    mkdirSync(join(checkout, "node_modules/bun"), { recursive: true });
    const PATH = createPath(join(scratch.path, "bin"), programs);
    const script = join(checkout, "scripts/install.sh");
    const run = await runCommand(["sh", script], { PATH, HOME: scratch.path });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(message);
    expect(run.stdout).toBe("");
  });
});

describe.skipIf(process.platform !== "linux")("install.sh on a system", () => {
  const uname = (system: string, machine: string) =>
    `if [ "$1" = -m ]; then echo ${machine}; else echo ${system}; fi`;

  test.each<[string, Record<string, string>, string]>([
    ["RISC-V", { uname: uname("Linux", "riscv64") }, "for processor riscv64"],
    ["FreeBSD", { uname: uname("FreeBSD", "amd64") }, "no scorpiox-code for FreeBSD"],
    ["Windows", { uname: uname("MINGW64_NT-10.0", "x86_64") }, "run scripts/install.ps1"],
    ["glibc 2.12", { getconf: "echo glibc 2.12" }, "glibc 2.12 is too old"],
    ["glibc 2.17", { getconf: "echo glibc 2.17" }, "HOME is not set"],
    ["glibc 3.0", { getconf: "echo glibc 3.0" }, "HOME is not set"],
    ["no glibc and no musl", { getconf: "exit 1", ls: "exit 1" }, "no C library"],
    [
      "musl without libstdc++",
      { getconf: "exit 1", ls: "case $1 in /lib/ld-musl*) ;; *) exit 1 ;; esac" },
      "apk add libstdc++",
    ],
    ["musl with libstdc++", { getconf: "exit 1", ls: "exit 0" }, "musl\n"],
  ])("with %s says so", async (_name, programs, message) => {
    using scratch = createScratch();
    const PATH = createPath(join(scratch.path, "bin"), programs);
    const run = await runCommand(["sh", installer], { PATH });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(message);
  });
});

describe.skipIf(process.platform === "win32")("test.sh", () => {
  const summary = (passed: number, failed: number) =>
    `echo ' ${passed} pass'; echo ' 2 skip'; echo ' ${failed} fail'; exit ${Math.sign(failed)}`;

  /** What it writes to stdout where the gate and `bun test` are these scripts. */
  const runTestScript = async (gate: string, bunTest: string): Promise<string> => {
    using scratch = createScratch();
    const checkout = createCheckout(join(scratch.path, "checkout"));
    writePrograms(join(checkout, "scripts"), { "gate.sh": gate });
    writePrograms(join(checkout, "node_modules/.bin"), {
      bun: `case $1 in test) ${bunTest} ;; --version) echo 1.4.5 ;; esac`,
    });
    const programs = {
      node: '[ "$1" = -e ] || echo 20.1.0',
      npm: "exit 1",
      ps: "",
      git: "",
      openssl: "",
    };
    const PATH = createPath(join(scratch.path, "bin"), programs);
    const run = await runCommand(["sh", join(checkout, "scripts/test.sh")], { PATH });
    expect(run.exitCode).toBe(run.stdout.includes(" passed, 0 failed, 4 skipped\n") ? 0 : 1);
    expect(run.stderr).not.toContain("not found");
    return run.stdout;
  };

  // The tests are run in two parts, each of which says this.
  test.each<[string, string, string, string]>([
    [
      "everything passes",
      "echo 'gate: lint passed'",
      summary(12, 0),
      "28 passed, 0 failed, 4 skipped",
    ],
    ["tests fail", "echo 'gate: lint passed'", summary(12, 3), "28 passed, 6 failed, 4 skipped"],
    [
      "the gate fails",
      "echo 'gate: lint failed'; exit 1",
      summary(12, 0),
      "27 passed, 1 failed, 4 skipped",
    ],
    ["the gate crashes", "exit 2", summary(12, 0), "27 passed, 1 failed, 4 skipped"],
    ["the test runner crashes", "", "kill -s KILL $$", "3 passed, 2 failed"],
    [
      "an error is outside of tests",
      "",
      "echo ' 5 pass'; echo ' 0 fail'; exit 1",
      "13 passed, 2 failed",
    ],
  ])("ends with the counts when %s", async (_name, gate, bunTest, lastLine) => {
    const stdout = await runTestScript(gate, bunTest);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(lastLine);
  });

  test.each<[string, string, readonly string[]]>([
    [
      "what did not run",
      "echo '(skip) reads > a page'; echo '(pass) adds'; echo '(skip) draws'; ",
      ["(skip) reads > a page", "(skip) draws", "(skip) reads > a page", "(skip) draws"],
    ],
    ["nothing when all ran", "echo '(pass) adds'; ", []],
  ])("names before the counts %s", async (_name, lines, named) => {
    const stdout = await runTestScript("echo 'gate: lint passed'", lines + summary(12, 0));
    const [, after = ""] = stdout.split(/ skipped, for want of .*:\n/);
    expect(after.split("\n").filter((line) => line.startsWith("(skip)"))).toEqual([...named]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe("28 passed, 0 failed, 4 skipped");
  });

  const report = (file: string): string =>
    `<testcase name="slow" file="${file}" line="2"><failure type="AssertionError"/></testcase>`;
  const crowd = "case $* in *junit*) ";
  const failed = (file: string, rest = ""): string =>
    `${crowd}echo '(fail) slow [3ms]'; ${rest} for word; do case $word in --reporter-outfile=*) ` +
    `echo '${report(file)}' >"\${word#*=}" ;; esac; done; ${summary(12, 1)} ;; esac;`;

  test.each<[string, string, string, boolean]>([
    ["passes alone", `${failed("a.test.ts")} ${summary(4, 0)}`, "30 passed, 0 failed", true],
    [
      "fails again",
      `${failed("a.test.ts")} echo "(fail) slow [9ms]"; ${summary(3, 1)}`,
      "28 passed, 2 failed",
      false,
    ],
    ["crashes alone", `${failed("a.test.ts")} exit 1`, "28 passed, 2 failed", false],
    [
      "stands beside an error between tests",
      `${failed("a.test.ts", "echo ' 1 error';")} ${summary(4, 0)}`,
      "28 passed, 2 failed",
      false,
    ],
    [
      "is in no report",
      `${crowd}${summary(12, 1)} ;; esac; ${summary(4, 0)}`,
      "28 passed, 2 failed",
      false,
    ],
  ])("runs a test that failed once more: one that %s", async (_name, bunTest, counts, isNamed) => {
    const stdout = await runTestScript("echo 'gate: lint passed'", bunTest);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(`${counts}, 4 skipped`);
    expect(stdout.includes("failed beside others and not alone:\n(fail) slow")).toBe(isNamed);
  });

  test("counts a step that nothing can go on without as a failure", async () => {
    using scratch = createScratch();
    const checkout = createCheckout(join(scratch.path, "checkout"));
    const PATH = createPath(join(scratch.path, "bin"), { ps: "", git: "" });
    const run = await runCommand(["sh", join(checkout, "scripts/test.sh")], { PATH });
    expect(run.stderr).toContain("Node.js 20 or newer is needed");
    expect(run.stdout.trimEnd().split("\n").at(-1)).toBe("0 passed, 1 failed");
    expect(run.exitCode).toBe(1);
  });
});
