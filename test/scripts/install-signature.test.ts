import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { requireReleaseKey } from "../../scripts/build/release-key.ts";
import { writeInstallers } from "../../scripts/build/release-files.ts";
import { createRelease } from "./fake-release.ts";
import { createScratch, type InstallerRun, runCommand } from "./run-installer.ts";

const root = join(import.meta.dir, "../..");
/** Of the system: what stands before it in PATH may be a wrapper that needs a home. */
const findTool = (name: string): string | null =>
  Bun.which(name, { PATH: "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin" });
const hasTools = ["openssl", "setsid"].every((tool) => findTool(tool) !== null);
const releaseUrl = "https://github.com/someone/scorpiox-code/releases/latest/download";

/** What the installer, a program of the fake release and the tests below start. */
const tools = (
  "awk bash cat chmod cmp cp cut date df dirname fold getconf grep head id kill ln ls mkdir mkfifo mktemp mv openssl " +
  "ps python3 rm sed setsid sh sha256sum shasum sleep sort stat sysctl tail tr uname wc"
).split(" ");

interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

function makeKeys(namedCurve = "P-256"): KeyPair {
  return generateKeyPairSync("ec", {
    namedCurve,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** A checkout that has the scripts of a release and this public key. */
function makeCheckout(folder: string, publicKey: string): string {
  mkdirSync(join(folder, "scripts/build"), { recursive: true });
  for (const file of ["install.sh", "install.ps1", "build/sign-release.sh"]) {
    cpSync(join(root, "scripts", file), join(folder, "scripts", file));
  }
  writeFileSync(join(folder, "scripts/release-key.pem"), publicKey);
  return folder;
}

function sign(checkout: string, folder: string, privateKey: string): Promise<InstallerRun> {
  const script = join(checkout, "scripts/build/sign-release.sh");
  return runCommand(["sh", script, folder], privateKey === "" ? {} : { RELEASE_KEY: privateKey });
}

/** A release of somebody, signed, and its installer; what it downloads comes out of a folder. */
class SignedRelease implements Disposable {
  readonly #scratch = createScratch();
  readonly folder = join(this.#scratch.path, "release");
  readonly keys = makeKeys();
  readonly home = join(this.#scratch.path, "home");
  readonly #tools = join(this.#scratch.path, "tools");

  static async create(publicKey?: string): Promise<SignedRelease> {
    const release = new SignedRelease();
    const { keys, folder } = release;
    const checkout = makeCheckout(join(release.#scratch.path, "checkout"), keys.publicKey);
    createRelease(folder, "1.0.0");
    mkdirSync(release.home);
    const facts = {
      repository: "someone/scorpiox-code",
      publicKey: publicKey ?? requireReleaseKey(checkout),
    };
    writeInstallers(checkout, folder, facts);
    expect(await sign(checkout, folder, keys.privateKey)).toMatchObject({ exitCode: 0 });
    return release;
  }

  /** Its tools are those of this machine, but for curl and those that it does not have. */
  async install(
    without: readonly string[] = [],
    env: Record<string, string> = {},
    before: readonly string[] = ["setsid", "-w"],
  ): Promise<InstallerRun> {
    this.#makeTools(without);
    const command = [...before, "/bin/sh", join(this.folder, "install.sh")];
    return await runCommand(command, { HOME: this.home, ...env, PATH: this.#tools });
  }

  get installed(): readonly string[] {
    return readdirSync(join(this.home, ".scorpiox"));
  }

  get downloads(): readonly string[] {
    return readFileSync(join(this.#scratch.path, "curl.log"), "utf8").trim().split("\n");
  }

  #makeTools(without: readonly string[]): void {
    mkdirSync(this.#tools, { recursive: true });
    for (const name of tools.filter((tool) => !without.includes(tool))) {
      const path = findTool(name);
      const place = join(this.#tools, name);
      if (path !== null && !existsSync(place)) symlinkSync(path, place);
    }
    const curl = join(this.#tools, "curl");
    const log = join(this.#scratch.path, "curl.log");
    const script = `#!/bin/sh
echo "$*" >>'${log}'
while [ $# -gt 1 ]; do [ "$1" = -o ] && to=$2; shift; done
cat "${this.folder}/\${1##*/}" >"$to" || exit 22
`;
    writeFileSync(curl, script, { mode: 0o755 });
  }

  [Symbol.dispose](): void {
    this.#scratch[Symbol.dispose]();
  }
}

/** Flips one bit in the middle of a file. */
function tamper(path: string): void {
  const bytes = readFileSync(path);
  const middle = bytes.length >> 1;
  bytes[middle] = bytes[middle]! ^ 1;
  writeFileSync(path, bytes);
}

describe.skipIf(!hasTools)("install.sh and the signature of a release", () => {
  test("one of the release key installs, by https alone", async () => {
    using release = await SignedRelease.create();
    const run = await release.install();
    expect({ code: run.exitCode, stderr: run.stderr }).toEqual({ code: 0, stderr: run.stderr });
    expect(run.stderr).toContain("signature: of this project's release key\n");
    expect(release.installed).toEqual(["scorpiox-code"]);
    expect(release.downloads.map((line) => line.split(" ").at(-1)?.split("/").at(-1))).toEqual([
      "SHA256SUMS",
      "SHA256SUMS.sig",
      expect.stringContaining("scorpiox-code-"),
    ]);
    for (const line of release.downloads) {
      expect(line).toContain("--proto =https --proto-redir =https");
      expect(line).toContain(` ${releaseUrl}/`);
    }
  });

  test.each(["SHA256SUMS", "SHA256SUMS.sig"])("one flipped bit in %s is refused", async (file) => {
    using release = await SignedRelease.create();
    tamper(join(release.folder, file));
    const run = await release.install([], { SCORPIOX_INSTALL_UNSIGNED: "1" });
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("is not of this project's release key. Nothing was installed.");
    expect(release.installed).toEqual([]);
  });

  test("one of another key is refused", async () => {
    const other = makeKeys().publicKey.replace(/-----[^\n]*\n|\n/g, "");
    using release = await SignedRelease.create(other);
    expect((await release.install()).stderr).toContain("is not of this project's release key");
    expect(release.installed).toEqual([]);
  });

  test.each<[what: string, without: readonly string[], publicKey: string | undefined]>([
    ["neither openssl nor cosign is installed", ["openssl"], undefined],
    ["this project has not set its release key yet", [], ""],
  ])("%s: without a terminal it stops, unless it was told", async (what, without, publicKey) => {
    using release = await SignedRelease.create(publicKey);
    const stopped = await release.install(without);
    expect(stopped.exitCode).toBe(1);
    expect(stopped.stderr).toContain(`the signature of this release cannot be checked: ${what}.`);
    expect(stopped.stderr).toContain("SCORPIOX_INSTALL_UNSIGNED=1");
    expect(release.installed).toEqual([]);
    const run = await release.install(without, { SCORPIOX_INSTALL_UNSIGNED: "1" });
    expect(run.exitCode).toBe(0);
    expect(run.stderr).toContain(`signature: not checked (${what}); the checksum is`);
  });

  test.skipIf(findTool("python3") === null).each([
    ["y", 0],
    ["n", 1],
    ["", 1],
  ])("without openssl a terminal is asked: %p ends with %p", async (answer, code) => {
    using release = await SignedRelease.create();
    const python = [
      "import os, pty, sys",
      "pid, fd = pty.fork()",
      "if pid == 0: os.execv(sys.argv[2], sys.argv[2:])",
      "text = b''",
      "while b'[y/N]' not in text: text += os.read(fd, 999)",
      "os.write(fd, sys.argv[1].encode() + b'\\n')",
      "try:",
      "    while os.read(fd, 999): pass",
      "except OSError: pass",
      "sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))",
    ].join("\n");
    const run = await release.install(["openssl"], {}, ["python3", "-c", python, answer]);
    expect({ code: run.exitCode, stderr: run.stderr }).toEqual({ code, stderr: run.stderr });
    expect(release.installed).toEqual(code === 0 ? ["scorpiox-code"] : []);
  });
});

describe.skipIf(!hasTools)("sign-release.sh", () => {
  test.each<[what: string, publicKey: string, privateKey: string, said: string]>([
    ["no public key yet", "Not yet set.", makeKeys().privateKey, "release-key.pem has no key yet"],
    ["no private key", makeKeys().publicKey, "", "RELEASE_KEY is not set"],
    ["a private key that is none", makeKeys().publicKey, "nonsense", "cannot sign"],
    ["another private key", makeKeys().publicKey, makeKeys().privateKey, "is not the private half"],
  ])("%s: it fails with the reason, and leaves no signature", async (_, publicKey, key, said) => {
    using scratch = createScratch();
    const folder = join(scratch.path, "release");
    createRelease(folder, "1.0.0");
    const run = await sign(makeCheckout(scratch.path, publicKey), folder, key);
    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain(said);
    expect(run.stderr + run.stdout).not.toContain("PRIVATE");
    expect(readdirSync(folder)).not.toContain("SHA256SUMS.sig");
  });
});

test.each<[what: string, text: string, said: string]>([
  ["none yet", readFileSync(join(root, "scripts/release-key.pem"), "utf8"), "has no key yet"],
  ["another curve", makeKeys("P-384").publicKey, "is no public key of ECDSA P-256"],
  ["a private key", makeKeys().privateKey, "is no public key of ECDSA P-256"],
])("requireReleaseKey() refuses %s", (_, text, said) => {
  using scratch = createScratch();
  const checkout = makeCheckout(scratch.path, text);
  expect(() => requireReleaseKey(checkout)).toThrow(said);
});
