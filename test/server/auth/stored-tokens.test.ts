import { describe, expect, test } from "bun:test";

import { Authorizer } from "../../../src/server/auth/authorizer.ts";
import { StoredTokens } from "../../../src/server/auth/stored-tokens.ts";
import { FileTokenStore } from "../../../src/state/tokens/file-token-store.ts";
import { makeToken, tokenDigest, type TokenRecord } from "../../../src/state/tokens/token-store.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { TestClock } from "./test-clock.ts";

const minute = 60_000;

/** A store with tokens of the labels, and what a server knows of them. Nothing happens by timers. */
class Setting implements AsyncDisposable {
  readonly folder = new TempFolder();
  readonly store = new FileTokenStore(this.folder.at("http-tokens.json"));
  readonly clock = new TestClock();
  readonly warnings: string[] = [];
  readonly changes: number[] = [];
  readonly #opened: StoredTokens[] = [];

  async add(label: string, more: Partial<TokenRecord> = {}): Promise<string> {
    const token = makeToken();
    const createdAtMs = this.clock.wallMs();
    await this.store.add({ digest: tokenDigest(token), label, createdAtMs, ...more });
    return token;
  }

  async open(): Promise<StoredTokens> {
    const { clock } = this;
    const warn = (message: string): void => void this.warnings.push(message);
    const never = 1_000_000_000;
    const tokens = await StoredTokens.open(this.store, {
      warn,
      clock,
      lookMs: never,
      useMs: never,
    });
    tokens.onChange = () => void this.changes.push(1);
    this.#opened.push(tokens);
    return tokens;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const tokens of this.#opened) await tokens[Symbol.asyncDispose]();
    this.folder[Symbol.dispose]();
  }
}

describe("TM4: StoredTokens", () => {
  test("finds the principal of a token, with its rights", async () => {
    await using setting = new Setting();
    const ada = await setting.add("ada", { scopes: ["a"], servers: ["github"] });
    const ben = await setting.add("ben");
    const tokens = await setting.open();
    expect([
      tokens.find(ada),
      tokens.find(ben),
      tokens.find(makeToken()),
      tokens.find("x"),
    ]).toEqual([
      {
        kind: "accepted",
        principal: {
          id: "token:ada",
          label: "ada",
          scopes: new Set(["a"]),
          servers: new Set(["github"]),
        },
      },
      { kind: "accepted", principal: { id: "token:ben", label: "ben", scopes: undefined } },
      undefined,
      undefined,
    ]);
    expect([...tokens.principalIds]).toEqual(["token:ada", "token:ben"]);
  });

  test("a revoked token ends what it opened at the next look", async () => {
    await using setting = new Setting();
    const ada = await setting.add("ada");
    const tokens = await setting.open();
    const found = tokens.find(ada);
    const { principal } = found ?? {};
    if (principal === undefined) throw new Error("not found");
    expect(tokens.stateOf(principal)).toBe("valid");
    await setting.store.revoke("ada", setting.clock.wallMs());
    await tokens.look();
    expect(setting.changes).toEqual([1]);
    expect(tokens.stateOf(principal)).toBe("revoked");
    expect(tokens.find(ada)).toEqual({
      kind: "ended",
      principal,
      reason: "The token of ada was revoked.",
    });
    await tokens.look();
    expect(setting.changes).toEqual([1]);
  });

  test("a token that expires is refused, and what it opened may be taken up again", async () => {
    await using setting = new Setting();
    const expiresAtMs = setting.clock.wallMs() + minute;
    const ada = await setting.add("ada", { expiresAtMs });
    const tokens = await setting.open();
    const principal = tokens.find(ada)?.principal;
    if (principal === undefined) throw new Error("not found");
    setting.clock.advance(minute - 1);
    expect([tokens.find(ada)?.kind, tokens.stateOf(principal)]).toEqual(["accepted", "valid"]);
    setting.clock.advance(1);
    expect([tokens.find(ada), tokens.stateOf(principal)]).toEqual([
      { kind: "ended", principal, reason: "The token of ada has expired." },
      "expired",
    ]);
  });

  test("of the tokens of a principal one that counts is enough", async () => {
    await using setting = new Setting();
    const { clock, store } = setting;
    const states = (): unknown[] =>
      ["token:ada", "token:ben", "token:eve"].map((id) => tokens.stateOfId(id));
    await setting.add("ada");
    await setting.add("ben", { expiresAtMs: clock.wallMs() + minute });
    const tokens = await setting.open();
    expect(states()).toEqual(["valid", "valid", undefined]);
    clock.advance(minute);
    await store.revoke("ada", clock.wallMs());
    await tokens.look();
    expect(states()).toEqual(["revoked", "expired", undefined]);
    await setting.add("ada");
    await tokens.look();
    expect(states()).toEqual(["valid", "expired", undefined]);
  });

  test("both tokens of a rotation are one principal, until the grace is over", async () => {
    await using setting = new Setting();
    const { clock } = setting;
    const old = await setting.add("ada");
    const tokens = await setting.open();
    const token = makeToken();
    const digest = tokenDigest(token);
    await setting.store.rotate({ label: "ada", digest, nowMs: clock.wallMs(), graceMs: minute });
    await tokens.look();
    const ids = [old, token].map((each) => [
      tokens.find(each)?.kind,
      tokens.find(each)?.principal.id,
    ]);
    expect(ids).toEqual([
      ["accepted", "token:ada"],
      ["accepted", "token:ada"],
    ]);
    clock.advance(minute);
    expect([tokens.find(old), tokens.find(token)?.kind]).toMatchObject([
      { kind: "ended", reason: "The token of ada was replaced by another one." },
      "accepted",
    ]);
  });

  test("a principal stays the same object while its rights are", async () => {
    await using setting = new Setting();
    const ada = await setting.add("ada");
    const tokens = await setting.open();
    const before = tokens.find(ada)?.principal;
    await setting.add("ben");
    await tokens.look();
    expect(tokens.find(ada)?.principal).toBe(before as never);
  });

  test("uses are written together, with the last time of each", async () => {
    await using setting = new Setting();
    const { clock, store } = setting;
    const ada = await setting.add("ada");
    await setting.add("ben");
    const tokens = await setting.open();
    tokens.find(ada);
    clock.advance(5);
    tokens.find(ada);
    expect((await store.list()).map(({ usedAtMs }) => usedAtMs)).toEqual([undefined, undefined]);
    await tokens.writeUses();
    const used = (await store.list()).map(({ label, usedAtMs }) => [label, usedAtMs]);
    expect(used).toEqual([
      ["ada", clock.wallMs()],
      ["ben", undefined],
    ]);
    const version = await store.version();
    await tokens.writeUses();
    expect(await store.version()).toBe(version);
  });

  test("while the store is damaged the tokens stay, with one warning; a store that is gone has none", async () => {
    await using setting = new Setting();
    const ada = await setting.add("ada");
    const tokens = await setting.open();
    const text = await Bun.file(setting.store.place).text();
    await Bun.write(setting.store.place, "{");
    await tokens.look();
    await tokens.look();
    expect([tokens.find(ada)?.kind, setting.warnings]).toEqual([
      "accepted",
      [expect.stringContaining("is damaged")],
    ]);
    await Bun.write(setting.store.place, text);
    await tokens.look();
    await Bun.file(setting.store.place).delete();
    await tokens.look();
    expect(tokens.find(ada)).toBeUndefined();
  });

  test("a client hears the same of a token that has ended and of one that never was; the log does not", async () => {
    await using setting = new Setting();
    const expiresAtMs = setting.clock.wallMs();
    const [ada, ben] = [await setting.add("ada"), await setting.add("ben", { expiresAtMs })];
    await setting.store.revoke("ada", setting.clock.wallMs());
    const stored = await setting.open();
    const authorizer = new Authorizer({ kind: "protected", stored });
    const answers = [ada, ben, makeToken()].map((token) => {
      const headers = new Headers({ authorization: `Bearer ${token}` });
      const answer = authorizer.authorize({ url: "https://h.test/mcp", headers });
      if (answer instanceof Promise || answer.kind === "ok") throw new Error("accepted");
      return answer;
    });
    const heard = answers.map(({ status, headers, body }) =>
      JSON.stringify([status, headers, body]),
    );
    expect(new Set(heard).size).toBe(1);
    expect(answers.map(({ log }) => log)).toEqual([
      { owner: "token:ada", reason: "The token of ada was revoked." },
      { owner: "token:ben", reason: "The token of ben has expired." },
      undefined,
    ]);
  });
});
