import { expect, test } from "bun:test";

import { stateKeyEpochMs } from "../../../src/base/limits.ts";
import { FleetSecret } from "../../../src/fleet/engine/fleet-secret.ts";
import { StateSeal } from "../../../src/server/ask/state-seal.ts";

const [first, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(32));

test("FleetSecret: what one replica seals another opens, for an epoch more and not for longer", async () => {
  let now = 0;
  const sealing = new FleetSecret(
    () => first,
    () => now,
  );
  const opening = new FleetSecret(
    () => first,
    () => now,
  );
  const sealOf = (secret: FleetSecret): StateSeal =>
    new StateSeal(() => Promise.resolve(secret.stateKeys()));
  const sealed = await sealOf(sealing).seal("state", "purpose");
  const opened: (string | undefined)[] = [];
  for (const at of [-1, 0, stateKeyEpochMs, 2 * stateKeyEpochMs]) {
    now = at;
    opened.push(await sealOf(opening).open(sealed, "purpose"));
  }
  expect(opened).toEqual(["state", "state", "state", undefined]);
  now = 0;
  expect(await sealOf(opening).open(sealed, "other")).toBeUndefined();
});

test("FleetSecret: a new line first, and what the old one sealed and signed is still good", async () => {
  let text = first;
  const secret = new FleetSecret(() => text);
  const seal = new StateSeal(() => Promise.resolve(secret.stateKeys()));
  const [sealed, signed] = [await seal.seal("state", "p"), secret.sign("text", "p")];
  text = `${second}\n${first}\n`;
  secret.renew();
  expect([await seal.open(sealed, "p"), secret.verified(signed, "p")]).toEqual(["state", "text"]);
  const newer = secret.sign("newer", "p");
  text = `${second}\n`;
  secret.renew();
  expect([await seal.open(sealed, "p"), secret.verified(signed, "p")]).toEqual([
    undefined,
    undefined,
  ]);
  expect(secret.verified(newer, "p")).toBe("newer");
  text = "short";
  expect(() => secret.renew()).toThrow("has a line of less than 32 characters");
  expect(secret.verified(newer, "p")).toBe("newer");
});

test("FleetSecret.verified refuses another text, purpose or secret", () => {
  const secret = new FleetSecret(() => first);
  const signed = secret.sign("text", "p");
  const foreign = new FleetSecret(() => third);
  expect([
    secret.verified(signed, "q"),
    secret.verified(`${signed}x`, "p"),
    secret.verified(`x${signed.slice(1)}`, "p"),
    secret.verified("", "p"),
    foreign.verified(signed, "p"),
  ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test.each([
  [undefined, "is missing"],
  ["\n", "is missing"],
  ["short", "has a line of less than 32 characters"],
  [[first, first, first, first, first].join("\n"), "has more than 4 lines"],
])("FleetSecret refuses %j", (text, reason) => {
  expect(() => new FleetSecret(() => text)).toThrow(reason);
});
