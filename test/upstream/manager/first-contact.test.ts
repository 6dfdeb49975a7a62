import { expect, test } from "bun:test";

import type { TrialClaim } from "../../../src/upstream/cache/launch-trials.ts";
import { FirstContact } from "../../../src/upstream/manager/first-contact.ts";

/** A contact whose time is moved by hand, and marks that say what they are told to. */
class Stage {
  claims: TrialClaim[] = [];
  isKept = false;
  onClaim: () => void = () => {};
  readonly did: string[] = [];
  #now = 0;
  #timers: { readonly at: number; readonly act: () => void }[] = [];
  readonly contact = new FirstContact("id", {
    trials: {
      claim: () => {
        this.onClaim();
        return Promise.resolve(this.claims.length > 1 ? this.claims.shift() : this.claims[0]);
      },
      succeed: () => this.#note("succeed"),
      fail: () => this.#note("fail"),
      leave: () => this.#note("leave"),
    } as never,
    time: {
      now: () => this.#now,
      after: (ms, act) => {
        const timer = { at: this.#now + ms, act };
        this.#timers.push(timer);
        return { stop: () => void (this.#timers = this.#timers.filter((one) => one !== timer)) };
      },
    },
    look: () => Promise.resolve(this.isKept),
    start: () => void this.did.push("start"),
    onChange: () => void this.did.push("change"),
  });

  static async of(...claims: readonly TrialClaim[]): Promise<Stage> {
    const stage = new Stage();
    stage.claims = [...claims];
    await stage.contact.claim();
    return stage;
  }

  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((one) => one !== next);
      this.#now = next.at;
      next.act();
      await Bun.sleep(0);
    }
    this.#now = until;
  }

  #note(what: string): Promise<void> {
    this.did.push(what);
    return Promise.resolve();
  }
}

test.each([
  ["ours", true],
  ["slow", true],
  ["tried", false],
] as const)("a launch that is %s is started at once; lists wait: %p", async (claim, holds) => {
  const { contact, did } = await Stage.of(claim);
  contact.begin(false);
  expect([did, contact.holdsLists, contact.isHopeless]).toEqual([["start"], holds, !holds]);
});

test("lists wait from the moment that the process runs, and not for ever until it does", async () => {
  const stage = await Stage.of("ours");
  stage.contact.begin(false);
  await stage.pass(2_000);
  expect(stage.contact.holdsLists).toBe(true);
  stage.contact.onBegun();
  await stage.pass(1_299);
  expect(stage.contact.holdsLists).toBe(true);
  await stage.pass(1);
  expect(stage.contact.holdsLists).toBe(false);
  const late = await Stage.of("ours");
  await late.pass(5_000);
  expect(late.contact.holdsLists).toBe(false);
});

test("what another process starts is not started, and what that hears is taken", async () => {
  const stage = await Stage.of("others");
  stage.contact.begin(false);
  await stage.pass(3_000);
  expect([stage.did, stage.contact.holdsLists]).toEqual([[], true]);
  stage.isKept = true;
  await stage.pass(100);
  await stage.contact.leave();
  expect([stage.did, stage.contact.holdsLists]).toEqual([[], false]);
});

test.each(["ours", "tried", "slow"] as const)(
  "when another process is done without it (%s) it is our turn, and lists wait for that",
  async (then) => {
    const stage = await Stage.of("others", "others", then);
    stage.contact.begin(false);
    await stage.pass(200);
    expect([stage.did, stage.contact.holdsLists]).toEqual([["start", "change"], true]);
    stage.contact.onBegun();
    await stage.pass(1_300);
    expect(stage.contact.holdsLists).toBe(false);
  },
);

test("lists wait for another process for five seconds, and we leave it the start for fifteen", async () => {
  const stage = await Stage.of("others");
  stage.contact.begin(false);
  await stage.pass(4_999);
  expect([stage.did, stage.contact.holdsLists]).toEqual([[], true]);
  await stage.pass(10_000);
  expect([stage.did, stage.contact.holdsLists]).toEqual([["change"], false]);
  await stage.pass(101);
  expect(stage.did).toContain("start");
});

test("an eager one is started whoever else does it, and lists wait for whoever is first", async () => {
  const stage = await Stage.of("others");
  stage.contact.begin(true);
  stage.contact.onBegun();
  await stage.pass(2_000);
  expect([stage.did[0], stage.contact.holdsLists]).toEqual(["start", true]);
});

test.each([
  ["heard of", "succeed", (contact: FirstContact) => contact.onHeard()],
  ["left", "leave", (contact: FirstContact) => contact.leave()],
] as const)("once it is %s nothing is done any more", async (_what, noted, end) => {
  const stage = await Stage.of("ours");
  await end(stage.contact);
  await stage.contact.onFailed();
  stage.contact.begin(true);
  await stage.pass(10_000);
  expect([stage.did, stage.contact.holdsLists]).toEqual([[noted], false]);
});

test("only whoever tries it says that it was in vain", async () => {
  const [ours, others] = [await Stage.of("ours"), await Stage.of("others")];
  await ours.contact.onFailed();
  await others.contact.onFailed();
  expect([ours.did, others.did]).toEqual([["fail"], []]);
});

test("what was kept between the look and the claim is taken", async () => {
  const stage = await Stage.of("others", "ours");
  stage.contact.begin(false);
  stage.onClaim = () => void (stage.isKept = true);
  await stage.pass(100);
  expect([stage.did, stage.contact.holdsLists]).toEqual([["succeed"], false]);
});
