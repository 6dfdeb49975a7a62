import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../e2e/harness/conditions.ts";
import { processesWith } from "../e2e/harness/processes.ts";
import { createRelease, type FakeRelease, hostFile, packRelease } from "./fake-release.ts";
import {
  createScratch,
  installer,
  type InstallerRun,
  runCommand,
  runInstaller,
} from "./run-installer.ts";

interface Answer {
  readonly status: number;
  /** The first byte of the file that is given. */
  readonly from: number;
  /** How much of what is promised is sent; then the connection ends, or says no more. */
  readonly share: 1 | 0.5;
  readonly after: "ends" | "hangs";
}

type Answering = (from: number) => Answer;

/** A release on loopback that gives its archive as a test wants it; `asked` has the first byte of each request for it. */
class ReleaseSite implements Disposable {
  readonly asked: number[] = [];
  readonly #listener: Bun.TCPSocketListener<undefined>;

  constructor(release: FakeRelease, answers: readonly Answering[]) {
    this.#listener = Bun.listen({
      port: 0,
      hostname: "127.0.0.1",
      socket: {
        data: (socket, bytes) => {
          const request = bytes.toString();
          const name = /^GET \/(\S+)/.exec(request)?.[1] ?? "";
          const file = readFileSync(join(release.folder, name));
          if (name === "SHA256SUMS") return send(socket, file, whole(0));
          const from = Number(/^range: bytes=(\d+)-/im.exec(request)?.[1] ?? 0);
          this.asked.push(from);
          const answer = answers[this.asked.length - 1] ?? answers.at(-1) ?? whole;
          return send(socket, file, answer(from));
        },
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.port}`;
  }

  [Symbol.dispose](): void {
    this.#listener.stop(true);
  }
}

function send(socket: Bun.Socket, file: Buffer, { status, from, share, after }: Answer): void {
  const body = status < 300 ? file.subarray(from) : Buffer.from("no");
  const head = [`HTTP/1.1 ${status} -`, `Content-Length: ${body.length}`, "Connection: close"];
  if (status === 206) head.push(`Content-Range: bytes ${from}-${file.length - 1}/${file.length}`);
  const sent = body.subarray(0, Math.floor(body.length * share));
  socket.write(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), sent]));
  if (after === "ends") socket.end();
}

const whole: Answering = (from) => {
  return { status: from === 0 ? 200 : 206, from, share: 1, after: "ends" };
};
const withoutParts: Answering = () => whole(0);
const brokenOff: Answering = (from) => ({ ...whole(from), share: 0.5 });
const stalled: Answering = (from) => ({ ...brokenOff(from), after: "hangs" });
const refusal =
  (status: number): Answering =>
  () => ({ ...whole(0), status });

interface Yard {
  readonly home: string;
  readonly release: FakeRelease;
  readonly archiveBytes: number;
}

function createYard(path: string, endings: readonly ("gz" | "zst")[] = ["gz"]): Yard {
  const release = createRelease(join(path, "release"), "1.0.0");
  // What curl has got and not written yet, some kilobytes, is lost with it.
  const ballast = randomBytes(200_000).toString("base64");
  writeFileSync(release.file, `${readFileSync(release.file, "utf8")}# ${ballast}\n`);
  packRelease(release, endings);
  return { home: path, release, archiveBytes: Bun.file(`${release.file}.gz`).size };
}

function install({ home }: Yard, site: { readonly url: string }): Promise<InstallerRun> {
  return runInstaller({
    HOME: home,
    SCORPIOX_RELEASE_URL: site.url,
    SCORPIOX_STALL_SECONDS: "1",
  });
}

const installedIn = ({ home }: Yard): string[] => readdirSync(join(home, ".scorpiox")).sort();

describe.skipIf(process.platform === "win32" || Bun.which("curl") === null)(
  "install.sh downloads",
  () => {
    test("what is packed, checks it, and unpacks it", async () => {
      using scratch = createScratch();
      const yard = createYard(scratch.path);
      using site = new ReleaseSite(yard.release, [whole]);
      const run = await install(yard, site);
      expect({ code: run.exitCode, asked: site.asked }).toEqual({ code: 0, asked: [0] });
      expect(installedIn(yard)).toEqual(["scorpiox-code"]);
      expect(run.stderr).toContain("checksum: ");
    });

    test.skipIf(Bun.which("zstd") === null)("the smaller form where zstd is there", async () => {
      using scratch = createScratch();
      const yard = createYard(scratch.path, ["gz", "zst"]);
      using site = new ReleaseSite(yard.release, [whole]);
      const names: string[] = [];
      const run = await runCommand(["sh", "-x", installer], {
        HOME: yard.home,
        SCORPIOX_RELEASE_URL: site.url,
      });
      names.push(
        ...run.stderr.matchAll(/archive=(\S+\.(?:gz|zst))/g).map(([, name]) => name ?? ""),
      );
      expect({ code: run.exitCode, names }).toEqual({ code: 0, names: [`${hostFile}.zst`] });
    });

    test.each<[string, readonly Answering[], (bytes: number) => readonly number[]]>([
      ["that breaks off is taken up there", [brokenOff, whole], (n) => [0, n >> 1]],
      ["that stalls is taken up there", [stalled, whole], (n) => [0, n >> 1]],
      [
        "that breaks off twice is taken up twice",
        [brokenOff, brokenOff, whole],
        (n) => [0, n >> 1, (n >> 1) + ((n - (n >> 1)) >> 1)],
      ],
      [
        "from a server that gives no parts begins again",
        [brokenOff, withoutParts, withoutParts],
        (n) => [0, n >> 1, 0],
      ],
      ["that is refused for the moment is tried again", [refusal(503), whole], () => [0, 0]],
    ])("a download %s", async (_name, answers, asked) => {
      using scratch = createScratch();
      const yard = createYard(scratch.path);
      using site = new ReleaseSite(yard.release, answers);
      const run = await install(yard, site);
      expect({ code: run.exitCode, asked: site.asked, said: run.stderr }).toEqual({
        code: 0,
        asked: [...asked(yard.archiveBytes)],
        said: run.stderr,
      });
      expect(installedIn(yard)).toEqual(["scorpiox-code"]);
    });

    test("an answer that stays no is told at once", async () => {
      using scratch = createScratch();
      const yard = createYard(scratch.path);
      using site = new ReleaseSite(yard.release, [refusal(403)]);
      const run = await install(yard, site);
      expect({ code: run.exitCode, asked: site.asked }).toEqual({ code: 1, asked: [0] });
      expect(run.stderr).toContain(`install: cannot get ${site.url}/${hostFile}.gz: `);
      expect(installedIn(yard)).toEqual([]);
    });

    test("what an installer that was interrupted has got, the next one goes on with", async () => {
      using scratch = createScratch();
      const yard = createYard(scratch.path);
      using site = new ReleaseSite(yard.release, [stalled, whole]);
      const child = Bun.spawn(["sh", installer], {
        env: { PATH: process.env["PATH"], HOME: yard.home, SCORPIOX_RELEASE_URL: site.url },
        stdio: ["ignore", "ignore", "ignore"],
      });
      await eventually("the download", () => site.asked.length === 1);
      await Bun.sleep(1_500); // curl writes what it has: nothing tells from outside
      child.kill("SIGTERM");
      // Its curl ends with the stall, or with the site.
      for (const { pid } of processesWith(site.url)) process.kill(pid, "SIGTERM");
      await child.exited;
      const left = installedIn(yard);
      expect(left.map((name) => name.replace(/[0-9a-f]{64}/, "SUM"))).toEqual([
        ".scorpiox-code.part.SUM",
      ]);
      const run = await install(yard, site);
      expect({ code: run.exitCode, from: site.asked[1] }).toEqual({
        code: 0,
        from: expect.any(Number),
      });
      expect(site.asked[1]).toBeGreaterThan(yard.archiveBytes >> 2);
      expect(installedIn(yard)).toEqual(["scorpiox-code"]);
    });

    test("an archive that is not what was released is not unpacked, and not kept", async () => {
      using scratch = createScratch();
      const yard = createYard(scratch.path);
      writeFileSync(
        `${yard.release.file}.gz`,
        Bun.gzipSync(Buffer.from("#!/bin/sh\necho other\n")),
      );
      using site = new ReleaseSite(yard.release, [whole]);
      const run = await install(yard, site);
      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(`install: ${hostFile}.gz is not what was released`);
      expect(installedIn(yard)).toEqual([]);
    });
  },
);

test.skipIf(process.platform === "win32")(
  "install.sh from a pipe says that it is from no release, and touches nothing",
  async () => {
    using scratch = createScratch();
    const run = await runCommand(["sh"], { HOME: scratch.path }, Bun.file(installer));
    expect(run.exitCode).toBe(1);
    expect(run.stderr.trimEnd().split("\n").at(-1)).toStartWith(
      "install: this install.sh is not from a release",
    );
    expect(readdirSync(join(scratch.path, ".scorpiox"))).toEqual([]);
  },
);
