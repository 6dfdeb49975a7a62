import { describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync, sign } from "node:crypto";

import { readProgram, readRelease, type ReleaseReader } from "../../src/update/release.ts";
import { programText } from "./program-text.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
const others = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" });

const file = "scorpiox-code-linux-x64";
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The files of a release, by name. */
type Files = Record<string, Uint8Array>;

const program = text(programText("2.0.0"));

/** A release as `scripts/build.ts` makes one; `change` damages it before or after it is signed. */
function release(
  change: {
    readonly before?: (files: Files) => void;
    readonly after?: (files: Files) => void;
    readonly key?: typeof keys.privateKey;
  } = {},
): Files {
  const files: Files = {
    [file]: program,
    [`${file}.gz`]: Bun.gzipSync(new Uint8Array(program)),
    [`${file}.zst`]: Bun.zstdCompressSync(program),
  };
  const facts = (name: string) => {
    const bytes = files[name] ?? new Uint8Array();
    return { file: name, bytes: bytes.length, sha256: sha256(bytes) };
  };
  const artifact = { ...facts(file), archives: [facts(`${file}.gz`), facts(`${file}.zst`)] };
  files["manifest.json"] = text(JSON.stringify({ version: "2.0.0", artifacts: [artifact] }));
  change.before?.(files);
  const rows = Object.entries(files).map(([name, bytes]) => `${sha256(bytes)}  ${name}\n`);
  files["SHA256SUMS"] = text(rows.join(""));
  files["SHA256SUMS.sig"] = sign("sha256", files["SHA256SUMS"], change.key ?? keys.privateKey);
  change.after?.(files);
  return files;
}

async function served(files: Files, key: string = publicKey): Promise<string> {
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const bytes = files[new URL(request.url).pathname.slice(1)];
      return bytes === undefined
        ? new Response("no", { status: 404 })
        : new Response(new Uint8Array(bytes));
    },
  });
  const reader: ReleaseReader = { folder: `http://127.0.0.1:${server.port}`, fetch };
  const found = await readRelease(reader, key);
  const wanted = found.programs.find((one) => one.file === file);
  if (wanted === undefined) throw new Error("no such program");
  const bytes = await readProgram(reader, wanted, () => undefined);
  return `${found.version} ${found.isSigned} ${new TextDecoder().decode(bytes)}`;
}

describe("[IN11] a release", () => {
  test("is read, whichever archives it has", async () => {
    expect(await served(release())).toBe(`2.0.0 true ${programText("2.0.0")}`);
    const bare = release({
      before: (files) => {
        const artifact = { file, bytes: program.length, sha256: sha256(program) };
        files["manifest.json"] = text(JSON.stringify({ version: "2.0.0", artifacts: [artifact] }));
      },
    });
    expect(await served(bare)).toBe(`2.0.0 true ${programText("2.0.0")}`);
  });

  test("is not called signed by a build without a key", async () => {
    const unsigned = release({ after: (files) => delete files["SHA256SUMS.sig"] });
    expect(await served(unsigned, "")).toStartWith("2.0.0 false ");
  });

  const flip =
    (name: string, at = 5) =>
    (files: Files): void => {
      const bytes = new Uint8Array(files[name] ?? []);
      bytes[at < 0 ? bytes.length + at : at]! ^= 1;
      files[name] = bytes;
    };
  const cut =
    (name: string, keep: number) =>
    (files: Files): void => {
      files[name] = (files[name] ?? new Uint8Array()).slice(0, keep);
    };
  const put =
    (name: string, value: string | Uint8Array) =>
    (files: Files): void => {
      files[name] = typeof value === "string" ? text(value) : value;
    };
  const without =
    (name: string) =>
    (files: Files): void =>
      void delete files[name];
  const resummed =
    (change: (files: Files) => void) =>
    (files: Files): void => {
      change(files);
      const names = Object.keys(files).filter((name) => !name.startsWith("SHA256SUMS"));
      files["SHA256SUMS"] = text(
        names.map((name) => `${sha256(files[name]!)}  ${name}\n`).join(""),
      );
    };
  const manifest = (facts: unknown) => put("manifest.json", JSON.stringify(facts));

  const signature = /signature of SHA256SUMS is not of this project's release key/;
  const checksum = /is not as released: expected SHA-256/;

  test.each<[string, Parameters<typeof release>[0], RegExp]>([
    ["signed by another key", { key: others.privateKey }, signature],
    [
      "no signature",
      { after: without("SHA256SUMS.sig") },
      /Cannot get .*SHA256SUMS\.sig: HTTP status 404/,
    ],
    ["an empty signature", { after: put("SHA256SUMS.sig", "") }, signature],
    ["a signature that is cut", { after: cut("SHA256SUMS.sig", 40) }, signature],
    [
      "a signature of other bytes",
      { after: put("SHA256SUMS.sig", sign("sha256", text("x"), keys.privateKey)) },
      signature,
    ],
    ["one bit of the signature", { after: flip("SHA256SUMS.sig", -1) }, signature],
    ["one bit of the checksums", { after: flip("SHA256SUMS") }, signature],
    [
      "checksums with a line more",
      {
        after: (files) =>
          put("SHA256SUMS", Buffer.concat([files["SHA256SUMS"]!, text("\n")]))(files),
      },
      signature,
    ],
    ["checksums that are cut", { after: cut("SHA256SUMS", 70) }, signature],
    ["no checksums", { after: without("SHA256SUMS") }, /Cannot get .*SHA256SUMS: HTTP status 404/],
    ["all of it by somebody else", { after: resummed(put(file, "#!/bin/sh\n")) }, signature],
    ["one bit of the manifest", { after: flip("manifest.json") }, checksum],
    ["another manifest", { after: manifest({ version: "3.0.0", artifacts: [] }) }, checksum],
    [
      "no manifest",
      { after: without("manifest.json") },
      /Cannot get .*manifest\.json: HTTP status 404/,
    ],
    [
      "a signed manifest of something else",
      { before: manifest({ hello: 1 }) },
      /manifest\.json is not a manifest of a release/,
    ],
    [
      "a signed manifest that is no JSON",
      { before: put("manifest.json", "{") },
      /is not a manifest of a release/,
    ],
    [
      "a signed manifest with another checksum",
      {
        before: manifest({
          version: "2.0.0",
          artifacts: [{ file, bytes: 1, sha256: "0".repeat(64) }],
        }),
      },
      /manifest\.json has another checksum of/,
    ],
    ["one bit of the archive", { after: flip(`${file}.zst`, 9) }, checksum],
    ["an archive that is cut", { after: cut(`${file}.zst`, 20) }, checksum],
    [
      "an archive that is longer",
      { after: put(`${file}.zst`, new Uint8Array(1_000)) },
      /is larger than released/,
    ],
    ["no archive", { after: without(`${file}.zst`) }, /Cannot get .*\.zst: HTTP status 404/],
    [
      "a signed archive of another program",
      {
        before: (files) => {
          const packed = Bun.zstdCompressSync(text("#!/bin/sh\necho other\n"));
          files[`${file}.zst`] = packed;
          const archive = { file: `${file}.zst`, bytes: packed.length, sha256: sha256(packed) };
          manifest({
            version: "2.0.0",
            artifacts: [
              { file, bytes: program.length, sha256: sha256(program), archives: [archive] },
            ],
          })(files);
        },
      },
      /has another size than released|is not as released/,
    ],
    [
      "a signed archive that is none",
      {
        before: (files) => {
          files[`${file}.zst`] = text("not packed");
          const archive = { file: `${file}.zst`, bytes: 10, sha256: sha256(text("not packed")) };
          manifest({
            version: "2.0.0",
            artifacts: [
              { file, bytes: program.length, sha256: sha256(program), archives: [archive] },
            ],
          })(files);
        },
      },
      /cannot be unpacked/,
    ],
  ])("%s is refused", async (_name, change, message) => {
    expect(served(release(change))).rejects.toThrow(message);
  });

  test.each(["ftp://example.test", "http://example.test", "/tmp/release"])(
    "%s is no folder",
    async (folder) => {
      expect(readRelease({ folder, fetch }, publicKey)).rejects.toThrow(
        /must begin with https:\/\/ or file:\/\//,
      );
    },
  );
});
