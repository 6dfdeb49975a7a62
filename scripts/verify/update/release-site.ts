/** Releases as `scripts/build.ts` makes them, signed or damaged, and a web server on loopback that has one of them. */
import { createHash, type KeyObject, sign } from "node:crypto";

import { hostTarget } from "../../build/targets.ts";

/** The files of a release by name. */
export type Files = Map<string, Uint8Array>;

/** The executable of this machine in a release. */
export const hostFile = hostTarget()?.file ?? "";

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export interface ReleaseOptions {
  readonly version: string;
  readonly key: KeyObject;
  /** Its name in the release; absent: that of this machine. */
  readonly file?: string;
  /** Changes files before the list of checksums is made and signed. */
  readonly before?: (files: Files) => void;
  /** Changes files afterwards. */
  readonly after?: (files: Files) => void;
}

/** A program, packed once for all releases that have it. */
export interface PackedProgram {
  readonly bytes: Uint8Array;
  readonly packed: Uint8Array;
}

export function packProgram(bytes: Uint8Array): PackedProgram {
  return { bytes, packed: Bun.zstdCompressSync(new Uint8Array(bytes), { level: 1 }) };
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function makeRelease(program: PackedProgram, options: ReleaseOptions): Files {
  const { version, key, file = hostFile } = options;
  const archive = `${file}.zst`;
  const facts = (name: string, bytes: Uint8Array): object => ({
    file: name,
    bytes: bytes.length,
    sha256: sha256(bytes),
  });
  const artifact = {
    ...facts(file, program.bytes),
    archives: [facts(archive, program.packed)],
  };
  const files: Files = new Map([
    [archive, program.packed],
    ["manifest.json", bytesOf(JSON.stringify({ version, artifacts: [artifact] }))],
  ]);
  options.before?.(files);
  writeSums(files, `${sha256(program.bytes)}  ${file}\n`);
  files.set("SHA256SUMS.sig", sign("sha256", files.get("SHA256SUMS") ?? new Uint8Array(), key));
  options.after?.(files);
  return files;
}

/** @param others lines for files that the release does not have, as the program itself */
export function writeSums(files: Files, others: string): void {
  const names = [...files.keys()].filter((name) => !name.startsWith("SHA256SUMS"));
  const lines = names.map((name) => `${sha256(files.get(name) ?? new Uint8Array())}  ${name}\n`);
  files.set("SHA256SUMS", bytesOf(others + lines.join("")));
}

/** Answers instead of the file; undefined: the file. */
export type Answer = (name: string, files: Files) => Response | undefined;

export class ReleaseSite implements Disposable {
  files: Files = new Map();
  answer: Answer = () => undefined;
  readonly url: string;
  /** Says that much follows, sends less, and hangs up. */
  readonly cutOff: string;
  readonly #server: Bun.Server<undefined>;
  readonly #cutter: Bun.TCPSocketListener;

  constructor() {
    this.#cutter = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          socket.end(`HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(1_000)}`);
        },
      },
    });
    this.cutOff = `http://127.0.0.1:${this.#cutter.port}/`;
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        const name = new URL(url).pathname.slice(1);
        const bytes = this.files.get(name);
        return (
          this.answer(name, this.files) ??
          (bytes === undefined
            ? new Response("no", { status: 404 })
            : new Response(new Uint8Array(bytes)))
        );
      },
    });
    this.url = `http://127.0.0.1:${this.#server.port}`;
  }

  [Symbol.dispose](): void {
    void this.#server.stop(true);
    this.#cutter.stop(true);
  }
}
