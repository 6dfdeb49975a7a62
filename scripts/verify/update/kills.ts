/** Updates and rollbacks that are killed with SIGKILL: by what they ask of the server, write, start, and change. */
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { ended, type InstalledCopy } from "./installed-copy.ts";
import { hostFile, type ReleaseSite } from "./release-site.ts";

const archive = `${hostFile}.zst`;

/** A moment at which the process is killed. */
export interface Place {
  readonly name: string;
  readonly how: "update" | "rollback";
  /** The server has been asked for this file, and has sent this share of it. */
  readonly asked?: readonly [file: string, share: number];
  /** True when the moment has come; looked at all the time. */
  readonly when?: (copy: InstalledCopy, pid: number) => boolean;
  /** The n-th system call of this kind, as strace counts and names them. */
  readonly call?: readonly [pattern: string, count: number];
}

const shares = [0, 0.25, 0.5, 0.75, 0.99] as const;

export const places: readonly Place[] = [
  ...["SHA256SUMS", "SHA256SUMS.sig", "manifest.json"].map((file) => asked(file, 0)),
  ...shares.map((share) => asked(archive, share)),
  { name: "the new file is there", how: "update", when: isStaged(0) },
  { name: "the new file is written by half", how: "update", when: isStaged(60_000_000) },
  called("update", "fsync", 1),
  called("update", "chmod", 1),
  { name: "the new program is started", how: "update", when: isTried },
  called("update", "link", 1),
  called("update", "rename", 1),
  called("update", "rename", 2),
  called("update", "unlink", 1),
  { name: "the copy is there", how: "rollback", when: isStaged(0) },
  called("rollback", "chmod", 1),
  { name: "the copy is started", how: "rollback", when: isTried },
  called("rollback", "link", 1),
  called("rollback", "rename", 1),
  called("rollback", "rename", 2),
];

function asked(file: string, share: number): Place {
  const how = share === 0 ? "is asked for" : `has come by ${share * 100} %`;
  return { name: `${file} ${how}`, how: "update", asked: [file, share] };
}

function called(how: Place["how"], name: string, count: number): Place {
  const which = count === 1 ? "" : `, number ${count}`;
  return { name: `${name}()${which}`, how, call: [name, count] };
}

function stagedFile(copy: InstalledCopy): string | undefined {
  const name = copy.files().find((one) => one.includes(".update-new."));
  return name === undefined ? undefined : join(dirname(copy.path), name);
}

function isStaged(bytes: number): (copy: InstalledCopy) => boolean {
  return (copy) => {
    const file = stagedFile(copy);
    return file !== undefined && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) >= bytes;
  };
}

/** Whether a child runs the new file. */
function isTried(_copy: InstalledCopy, pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
      .filter((child) => child !== "")
      .some((child) => readlinkSync(`/proc/${child}/exe`).includes(".update-new."));
  } catch {
    return false; // ended between two looks
  }
}

/** Runs it until it is killed. @returns whether it was, and what lay there then */
export async function killAt(
  place: Place,
  copy: InstalledCopy,
  site: ReleaseSite,
): Promise<{ readonly isKilled: boolean; readonly files: readonly string[] }> {
  const { call, when } = place;
  const [pattern = "", count = 0] = call ?? [];
  const set = `/^${pattern}`;
  const inject = ["-e", `trace=${set}`, "-e", `inject=${set}:signal=KILL:when=${count}`];
  const tracer = ["strace", "-f", "-qq", "-o", "/dev/null", ...inject];
  const words = place.how === "rollback" ? ["update", "--rollback"] : ["update"];
  const child = Bun.spawn([...(call === undefined ? [] : tracer), copy.path, ...words], {
    cwd: copy.home.path,
    env: copy.env(site.url),
    stdio: ["ignore", "pipe", "pipe"],
  });
  answerUntil(place, site, () => child.kill("SIGKILL"));
  const end = ended(child);
  if (when !== undefined) {
    while (isLiving(child) && stagedFile(copy) === undefined) await Bun.sleep(0);
    // The server is not needed any more, and what is waited for may last milliseconds.
    while (isProcess(child.pid) && !when(copy, child.pid)) continue;
    child.kill("SIGKILL");
  }
  await end;
  site.answer = () => undefined;
  return { isKilled: child.signalCode === "SIGKILL", files: copy.files() };
}

function isLiving({ exitCode, signalCode }: Bun.Subprocess): boolean {
  return exitCode === null && signalCode === null;
}

/** Without waiting for the event of its end. A process that has ended and was not waited for has no executable. */
function isProcess(pid: number): boolean {
  try {
    return readlinkSync(`/proc/${pid}/exe`) !== "";
  } catch {
    return false;
  }
}

/** The server sends as much as it is to send, and then kills. */
function answerUntil({ asked: wanted }: Place, site: ReleaseSite, kill: () => void): void {
  if (wanted === undefined) return;
  const [file, share] = wanted;
  site.answer = (name, files) => {
    if (name !== file) return undefined;
    const bytes = files.get(name) ?? new Uint8Array();
    let at = 0;
    const end = Math.floor(bytes.length * share);
    const chunk = 1024 * 1024;
    return new Response(
      new ReadableStream({
        pull(controller) {
          if (at >= end) return kill();
          controller.enqueue(bytes.subarray(at, Math.min(end, at + chunk)));
          at += chunk;
        },
      }),
    );
  };
}
