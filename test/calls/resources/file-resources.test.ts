import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { Cancellation } from "../../../src/base/cancellation.ts";
import type { ClientContext, RequestContext } from "../../../src/calls/call.ts";
import { type Change, Changes } from "../../../src/calls/features.ts";
import { FileResources } from "../../../src/calls/resources/file-resources.ts";
import { readWholeFile } from "../../../src/calls/resources/workspace-file.ts";

let folder: string;
let root: string;
let changes: Changes;
let files: FileResources;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-files-")));
  root = join(folder, "root");
  mkdirSync(join(root, "src"), { recursive: true });
  changes = new Changes();
  files = new FileResources(changes, 5);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const rootless = (): ClientContext => ({
  id: "client",
  limits: { answerMs: 0, resultCharsMax: 30_000 },
  workspaceDir: () => Promise.resolve(root),
});
const client = (more: Partial<ClientContext> = {}): ClientContext => ({
  ...rootless(),
  roots: () => Promise.resolve([join(folder, "gone"), root]),
  ...more,
});
const read = (uri: string, who = client()) => {
  const context = { version: "2025-11-25", client: who, cancellation: new Cancellation() } as const;
  return files.read(uri, context satisfies RequestContext);
};
const uriOf = (path: string): string => pathToFileURL(join(root, path)).href;

describe("FileResources.read()", () => {
  test.each([
    ["src/a b.ts", "const a = 1;\n", { mimeType: "text/javascript", text: "const a = 1;\n" }],
    ["LICENSE", "Grüße\r\n", { mimeType: "text/plain", text: "Grüße\r\n" }],
    ["empty", "", { mimeType: "text/plain", text: "" }],
    ["a.bin", new Uint8Array([0, 1, 255]), { mimeType: "application/octet-stream", blob: "AAH/" }],
    ["a.png", new Uint8Array([137, 80]), { mimeType: "image/png", blob: "iVA=" }],
  ])("gives %s", async (path, bytes, expected) => {
    writeFileSync(join(root, path), bytes);
    expect(await read(uriOf(path))).toEqual({ contents: [{ uri: uriOf(path), ...expected }] });
  });

  test("gives a link that stays inside", async () => {
    writeFileSync(join(root, "a.txt"), "text");
    symlinkSync(join(root, "a.txt"), join(root, "link.txt"));
    expect((await read(uriOf("link.txt")))?.contents[0]).toMatchObject({ text: "text" });
  });

  test("has no others: outside, the store, missing, folders, FIFOs, foreign and malformed URIs", async () => {
    const secret = join(folder, "secret.txt");
    writeFileSync(secret, "secret");
    mkdirSync(join(folder, "root-2"));
    writeFileSync(join(folder, "root-2/secret.txt"), "secret");
    symlinkSync(secret, join(root, "link.txt"));
    symlinkSync(folder, join(root, "linked"));
    Bun.spawnSync(["mkfifo", join(root, "fifo")]);
    writeFileSync(join(root, "scorpiox.db-wal"), "text");
    const uris = [
      pathToFileURL(secret).href,
      pathToFileURL(join(folder, "root-2/secret.txt")).href,
      `${pathToFileURL(root).href}/../secret.txt`,
      `${pathToFileURL(root).href}/%2e%2e/secret.txt`,
      ...["link.txt", "linked/secret.txt", "missing", "src", "fifo", "scorpiox.db-wal", ""].map(
        uriOf,
      ),
      `file://elsewhere${join(root, "src")}`,
      "file:///%00",
      "file:///%zz",
      "https://example.org/",
      join(root, "link.txt"),
    ];
    for (const uri of uris) expect([uri, await read(uri)]).toEqual([uri, undefined]);
  });

  test("has none for clients that offer no roots, or may sit elsewhere", async () => {
    writeFileSync(join(root, "a.txt"), "text");
    const clients = [rootless(), client({ isRemote: true })];
    for (const who of clients) {
      expect(await read(uriOf("a.txt"), who)).toBeUndefined();
      expect(files.canSubscribe(uriOf("a.txt"), who)).toBe(false);
      expect(await files.templates(who)).toEqual([]);
    }
    expect(await files.templates(client())).toHaveLength(1);
  });

  test("a file has at most 5 MiB", async () => {
    const most = 5 * 1024 * 1024;
    writeFileSync(join(root, "most"), "x".repeat(most));
    writeFileSync(join(root, "more"), "x".repeat(most + 1));
    expect((await read(uriOf("most")))?.contents).toHaveLength(1);
    expect(read(uriOf("more"))).rejects.toThrow(`a resource may have ${most}`);
  });
});

describe("FileResources.watch()", () => {
  const nextChange = (): Promise<Change> => {
    const { promise, resolve } = Promise.withResolvers<Change>();
    const stop = changes.listen((change) => {
      stop();
      resolve(change);
    });
    return promise;
  };

  test("tells when the file is written to, replaced and removed", async () => {
    const path = join(root, "a.txt");
    const uri = uriOf("a.txt");
    writeFileSync(path, "one");
    const end = files.watch(uri, client());
    const told = { kind: "resource", uri, clientId: "client", isSeenByAll: true } as const;
    // The first look is what later ones are held against: written again until that was before it.
    const written = nextChange();
    for (let text = "two"; (await Promise.race([written, Bun.sleep(30)])) === undefined;) {
      writeFileSync(path, (text += " more"));
    }
    expect(await written).toEqual(told);
    const acts = [
      () => {
        writeFileSync(`${path}.new`, "three");
        renameSync(`${path}.new`, path);
      },
      () => rmSync(path),
    ];
    for (const act of acts) {
      const change = nextChange();
      act();
      expect(await change).toEqual(told);
    }
    end();
  });

  test("tells nothing after its end, and nothing of what is outside", async () => {
    const secret = join(folder, "secret.txt");
    for (const path of [secret, join(root, "a.txt"), join(root, "b.txt")]) writeFileSync(path, "1");
    const seen: Change[] = [];
    changes.listen((change) => seen.push(change));
    files.watch(pathToFileURL(secret).href, client());
    files.watch(uriOf("a.txt"), client())();
    const end = files.watch(uriOf("b.txt"), client());
    const expected = {
      kind: "resource",
      uri: uriOf("b.txt"),
      clientId: "client",
      isSeenByAll: true,
    } as const;
    for (let text = "22"; seen.length === 0; text += "2") {
      await Bun.sleep(30);
      for (const path of [secret, join(root, "a.txt"), join(root, "b.txt")]) {
        writeFileSync(path, text);
      }
      await Bun.sleep(30);
    }
    expect(seen).toEqual(seen.map(() => expected));
    end();
  });
});

test("a folder on the way that has become a link meanwhile is not followed", async () => {
  mkdirSync(join(folder, "outside"));
  writeFileSync(join(folder, "outside/a.txt"), "secret");
  symlinkSync(join(folder, "outside"), join(root, "sub"));
  expect(await readWholeFile(join(root, "sub/a.txt"))).toBeUndefined();
  expect(await readWholeFile(join(folder, "outside/a.txt"))).toEqual({
    kind: "text",
    text: "secret",
  });
});
