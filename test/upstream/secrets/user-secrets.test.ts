import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Keychain, type SystemSecrets } from "../../../src/upstream/secrets/keychain.ts";
import { checkSecretName } from "../../../src/upstream/secrets/secret-store.ts";
import { openUserSecrets, UserSecrets } from "../../../src/upstream/secrets/user-secrets.ts";

const root = mkdtempSync(join(tmpdir(), "scorpiox-secrets-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const newFolder = (): string => join(root, `f${++folders}`, "secrets");

/** A keychain in memory, with a limit like that of Windows. */
function fakeSecrets(): SystemSecrets & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    get: ({ service, name }) => Promise.resolve(kept.get(`${service}/${name}`) ?? null),
    set: ({ service, name, value }) => {
      if (value.length > 2_560) return Promise.reject(new Error("too long"));
      kept.set(`${service}/${name}`, value);
      return Promise.resolve();
    },
    delete: ({ service, name }) => Promise.resolve(kept.delete(`${service}/${name}`)),
  };
}

describe("without a keychain", () => {
  test("[GW-42] files that the user alone can read, whatever their name", async () => {
    const folder = newFolder();
    const secrets = new UserSecrets(folder, undefined);
    const names = ["TOKEN", "token", "a b/c@d", "..", "x".repeat(128)];
    for (const name of names) expect(await secrets.set(name, `value of ${name}`)).toBe("file");
    for (const name of names) expect(await secrets.get(name)).toBe(`value of ${name}`);
    expect(await secrets.get("other")).toBeUndefined();
    const rows = names.map((name) => ({ name, place: "file" as const }));
    expect(await secrets.list()).toEqual(rows.sort((a, b) => (a.name < b.name ? -1 : 1)));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(folder).filter((each) => each.endsWith(".secret"))) {
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
    }
  });

  test("a file that others could read is closed to them", async () => {
    const folder = newFolder();
    const secrets = new UserSecrets(folder, undefined);
    await secrets.set("A", "1");
    const file = join(folder, readdirSync(folder).find((each) => each.endsWith(".secret")) ?? "");
    chmodSync(file, 0o644);
    expect(await secrets.get("A")).toBe("1");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("a damaged file is named, without what is in it", async () => {
    const folder = newFolder();
    const secrets = new UserSecrets(folder, undefined);
    await secrets.set("A", "canary");
    const file = join(folder, readdirSync(folder).find((each) => each.endsWith(".secret")) ?? "");
    writeFileSync(file, readFileSync(file, "utf8").slice(0, -4));
    const failure = await secrets.get("A").catch((error: unknown) => String(error));
    expect(failure).toContain("it is damaged");
    expect(failure).not.toContain("canary");
  });

  test("removed, replaced, and what there is nothing of", async () => {
    const secrets = new UserSecrets(newFolder(), undefined);
    await secrets.set("A", "1");
    await secrets.set("A", "2");
    expect(await secrets.get("A")).toBe("2");
    expect([await secrets.remove("A"), await secrets.remove("A")]).toEqual([true, false]);
    expect(await secrets.list()).toEqual([]);
    expect(secrets.migrate()).rejects.toThrow("no keychain");
    expect(secrets.set("A", "x".repeat(300_000))).rejects.toThrow("at most");
  });

  test("many writers at once lose nothing", async () => {
    const folder = newFolder();
    const writers = Array.from({ length: 8 }, () => new UserSecrets(folder, undefined));
    await Promise.all(writers.map((secrets, index) => secrets.set(`n${index}`, "v")));
    expect((await new UserSecrets(folder, undefined).list()).length).toBe(8);
  });
});

describe("with a keychain", () => {
  test("names are listed, values are in no file", async () => {
    const folder = newFolder();
    const secrets = new UserSecrets(folder, new Keychain("s", fakeSecrets(), 2_400));
    expect(await secrets.set("A", "canary")).toBe("keychain");
    expect(await secrets.list()).toEqual([{ name: "A", place: "keychain" }]);
    expect(await secrets.get("A")).toBe("canary");
    for (const file of readdirSync(folder)) {
      expect(readFileSync(join(folder, file), "latin1")).not.toContain("canary");
    }
    expect(await secrets.remove("A")).toBeTrue();
    expect(await secrets.list()).toEqual([]);
  });

  test("files from before are used, then moved", async () => {
    const folder = newFolder();
    await new UserSecrets(folder, undefined).set("A", "old");
    const secrets = new UserSecrets(folder, new Keychain("s", fakeSecrets(), 2_400));
    expect(await secrets.get("A")).toBe("old");
    expect(await secrets.migrate()).toEqual(["A"]);
    expect(await secrets.list()).toEqual([{ name: "A", place: "keychain" }]);
    expect(await secrets.get("A")).toBe("old");
  });

  test.each([
    ["short", "x"],
    ["as long as one entry", "x".repeat(2_400)],
    ["long", "é".repeat(20_000)],
    ["like a mark of ours", "\u0001pieces:3:x"],
  ])("%s secrets come back as they were, and leave nothing", async (_, value) => {
    const system = fakeSecrets();
    const keychain = new Keychain("s", system, 2_400);
    await keychain.set("A", "y".repeat(9_000));
    await keychain.set("A", value);
    expect(await keychain.get("A")).toBe(value);
    expect(await keychain.remove("A")).toBeTrue();
    expect([...system.kept.keys()]).toEqual([]);
  });

  test("one that refuses is told of", async () => {
    const refusing: SystemSecrets = {
      ...fakeSecrets(),
      set: () => Promise.reject(new Error("locked")),
    };
    const secrets = new UserSecrets(newFolder(), new Keychain("s", refusing));
    expect(secrets.set("A", "1")).rejects.toThrow("The keychain refuses: locked");
  });

  test("one that is not there is not asked", async () => {
    const absent: SystemSecrets = {
      ...fakeSecrets(),
      get: () => Promise.reject(new Error("libsecret not available")),
    };
    const secrets = new UserSecrets(newFolder(), new Keychain("s", absent));
    expect(await secrets.set("A", "1")).toBe("file");
    expect(await secrets.get("A")).toBe("1");
  });
});

test("SCORPIOX_SECRETS=file asks no keychain", async () => {
  const dirs = { homeDir: root, scorpioxDir: join(root, "x") };
  expect(await openUserSecrets(dirs, { SCORPIOX_SECRETS: "file" }).place()).toBe("file");
});

test.each(["", " a", "a\nb", "${x}", "oauth:1", "x".repeat(129)])("%j is no name", (name) => {
  expect(() => checkSecretName(name)).toThrow("is not a valid name of a secret");
});
