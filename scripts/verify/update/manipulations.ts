/** Releases that are not what the owner of the key has released, and releases that are not for this machine. */
import { generateKeyPairSync, sign } from "node:crypto";

import { nextVersion, type Programs } from "./programs.ts";
import {
  type Answer,
  bytesOf,
  type Files,
  hostFile,
  makeRelease,
  type PackedProgram,
  packProgram,
  type ReleaseOptions,
  sha256,
  writeSums,
} from "./release-site.ts";

/** What the site has, and what the update has to say. */
export interface Manipulation {
  readonly name: string;
  readonly files: () => Files;
  readonly answer?: Answer;
  readonly said: RegExp;
  /** A release that is not newer is no failure. */
  readonly exitCode?: 0;
}

/** Makes the releases of one table from the program of the newer version. */
type Make = (options?: Partial<ReleaseOptions>, program?: PackedProgram) => Files;
type Change = (files: Files) => void;

const archive = `${hostFile}.zst`;
const signature = /signature of SHA256SUMS is not of this project's release key/;
const checksum = /is not as released: expected SHA-256/;
const missing = /HTTP status 404/;

const flip =
  (name: string, at: number): Change =>
  (files) => {
    const bytes = new Uint8Array(files.get(name) ?? []);
    const index = Math.floor(at * (bytes.length - 1));
    bytes[index] = (bytes[index] ?? 0) ^ 1;
    files.set(name, bytes);
  };
const cut =
  (name: string, share: number): Change =>
  (files) => {
    const bytes = files.get(name) ?? new Uint8Array();
    files.set(name, bytes.subarray(0, Math.floor(bytes.length * share)));
  };
const put =
  (name: string, value: string | Uint8Array): Change =>
  (files) =>
    void files.set(name, typeof value === "string" ? bytesOf(value) : value);
const without =
  (name: string): Change =>
  (files) =>
    void files.delete(name);

/** @param cutOff an address whose answers end too early */
export function manipulations(
  next: PackedProgram,
  { key, presentVersion }: Pick<Programs, "key" | "presentVersion">,
  cutOff: string,
): readonly Manipulation[] {
  const make: Make = (options, program = next) =>
    makeRelease(program, { version: nextVersion, key, ...options });
  return [
    ...ofSignature(make, key),
    ...ofHash(make),
    ...ofVersion(make, presentVersion),
    ...truncated(make),
    ...ofPlatform(make, next),
    ...ofProgram(make),
    ...ofServer(make, cutOff),
  ];
}

function ofSignature(make: Make, key: ReleaseOptions["key"]): readonly Manipulation[] {
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  const signatureFile = "SHA256SUMS.sig";
  const row = (name: string, after: Change, said = signature): Manipulation => ({
    name: `signature: ${name}`,
    files: () => make({ after }),
    said,
  });
  return [
    { name: "signature: of another key", files: () => make({ key: other }), said: signature },
    row("none", without(signatureFile), missing),
    row("empty", put(signatureFile, "")),
    row("of other bytes", put(signatureFile, sign("sha256", bytesOf("x"), key))),
    row("its first bit", flip(signatureFile, 0)),
    row("its last bit", flip(signatureFile, 1)),
    row("a bit of what it signs", flip("SHA256SUMS", 0.5)),
    row("a line more than it signs", (files) =>
      put(
        "SHA256SUMS",
        Buffer.concat([files.get("SHA256SUMS") ?? bytesOf(""), bytesOf("\n")]),
      )(files),
    ),
    row("everything else made again by somebody else", (files) => {
      put("manifest.json", `{"version":"${nextVersion}","artifacts":[]}`)(files);
      writeSums(files, "");
    }),
    row("the list of an older release, with its signature of another file", (files) => {
      const older = make({ version: "0.0.1" });
      put("SHA256SUMS", older.get("SHA256SUMS") ?? "")(files);
    }),
  ];
}

function ofHash(make: Make): readonly Manipulation[] {
  const manifest = (facts: unknown): Change => put("manifest.json", JSON.stringify(facts));
  const artifact = { file: hostFile, bytes: 1, sha256: "0".repeat(64) };
  const row = (name: string, options: Partial<ReleaseOptions>, said = checksum): Manipulation => ({
    name: `hash: ${name}`,
    files: () => make(options),
    said,
  });
  return [
    row("a bit of the manifest", { after: flip("manifest.json", 0.5) }),
    row("another manifest", { after: manifest({ version: "100.0.0", artifacts: [] }) }),
    row("the manifest of an older release", {
      after: (files) =>
        put("manifest.json", make({ version: "0.0.1" }).get("manifest.json")!)(files),
    }),
    row(
      "a signed manifest with another hash of the program",
      { before: manifest({ version: nextVersion, artifacts: [artifact] }) },
      /another checksum of/,
    ),
    row(
      "a signed manifest of something else",
      { before: manifest({ hello: 1 }) },
      /not a manifest of a release/,
    ),
    row(
      "a signed manifest that is no JSON",
      { before: put("manifest.json", "{") },
      /not a manifest of a release/,
    ),
    row("the first bit of the archive", { after: flip(archive, 0) }),
    row("a bit in the middle of the archive", { after: flip(archive, 0.5) }),
    row("the last bit of the archive", { after: flip(archive, 1) }),
    row("an archive of another program", {
      after: put(archive, packProgram(bytesOf("#!/bin/sh\n")).packed),
    }),
  ];
}

function ofVersion(make: Make, present: string): readonly Manipulation[] {
  return [present, "0.0.1", `${present}-rc.1`, `${present}+later`].map((version) => ({
    name: `version: ${version}`,
    files: () => make({ version }),
    said: /is the latest version/,
    exitCode: 0,
  }));
}

function truncated(make: Make): readonly Manipulation[] {
  const row = (name: string, file: string, share: number, said: RegExp): Manipulation => ({
    name: `truncated: ${name}`,
    files: () => make({ after: cut(file, share) }),
    said,
  });
  return [
    row("the list of checksums", "SHA256SUMS", 0.5, signature),
    row("the signature", "SHA256SUMS.sig", 0.5, signature),
    row("the manifest", "manifest.json", 0.5, checksum),
    row("the archive, by half", archive, 0.5, checksum),
    row("the archive, by its last bytes", archive, 0.999_999, checksum),
    row("the archive, to nothing", archive, 0, checksum),
  ];
}

function ofPlatform(make: Make, next: PackedProgram): readonly Manipulation[] {
  /** The same program, said to be for the processor with this number in ELF. */
  const arm = new Uint8Array(next.bytes);
  arm[18] = 0xb7;
  const row = (name: string, bytes: Uint8Array): Manipulation => ({
    name: `platform: a signed program ${name}`,
    files: () => make({}, packProgram(bytes)),
    said: /The new program does not start here/,
  });
  return [
    {
      name: "platform: programs for others alone",
      files: () => make({ file: "scorpiox-code-plan9-x64" }),
      said: new RegExp(`has no ${hostFile}`),
    },
    row("for arm64", arm),
    row("for Windows", bytesOf("MZ\u0090\u0000 This program cannot be run in DOS mode")),
    row("for macOS", new Uint8Array([0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1])),
  ];
}

function ofProgram(make: Make): readonly Manipulation[] {
  const row = (name: string, text: string, said: RegExp): Manipulation => ({
    name: `program: ${name}`,
    files: () => make({}, packProgram(bytesOf(`#!/bin/sh\n${text}\n`))),
    said,
  });
  const silent = /does not start here/;
  return [
    row("says an older version", "echo scorpiox-code 0.0.1", /says that it is 0\.0\.1/),
    row("says the name of another", `echo other ${nextVersion}`, silent),
    row("fails", "echo no >&2; exit 3", /does not start here \(exit code 3: no\)/),
    row("kills itself", "kill -9 $$", silent),
    row("is empty", "", silent),
    {
      name: "program: another one in a signed archive",
      files: () =>
        make({
          before: (files) => {
            const { packed } = packProgram(bytesOf("#!/bin/sh\n"));
            put(archive, packed)(files);
            const [artifact] = (
              JSON.parse(Buffer.from(files.get("manifest.json") ?? []).toString()) as {
                artifacts: { archives: object[] }[];
              }
            ).artifacts;
            const packedFacts = { file: archive, bytes: packed.length, sha256: sha256(packed) };
            const artifacts = [{ ...artifact, archives: [packedFacts] }];
            put("manifest.json", JSON.stringify({ version: nextVersion, artifacts }))(files);
          },
        }),
      said: /has another size than released/,
    },
  ];
}

function ofServer(make: Make, cutOff: string): readonly Manipulation[] {
  const instead =
    (file: string, answer: (bytes: Uint8Array) => Response): Answer =>
    (name, files) =>
      name === file ? answer(files.get(name) ?? new Uint8Array()) : undefined;
  const row = (name: string, answer: Answer, said: RegExp): Manipulation => ({
    name: `server: ${name}`,
    files: () => make(),
    answer,
    said,
  });
  return [
    row(
      "an error in place of the archive",
      instead(archive, () => new Response("no", { status: 500 })),
      /HTTP status 500/,
    ),
    row(
      "a page in place of the archive",
      instead(archive, () => new Response("<html>sign in</html>")),
      checksum,
    ),
    row(
      "an archive without end",
      instead(archive, () => new Response(endless())),
      /is larger than released/,
    ),
    row(
      "a connection that ends in the archive",
      instead(archive, () => Response.redirect(cutOff, 302)),
      /Cannot get .*socket connection was closed/,
    ),
    row(
      "a redirect to an address without encryption",
      instead(archive, () => Response.redirect("http://192.0.2.1/x", 302)),
      /Cannot get/,
    ),
    row(
      "a list of checksums without end",
      instead("SHA256SUMS", () => new Response(endless())),
      /is larger than released/,
    ),
  ];
}

function endless(): ReadableStream<Uint8Array> {
  const chunk = new Uint8Array(1024 * 1024);
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}
