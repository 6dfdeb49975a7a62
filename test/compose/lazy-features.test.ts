import { describe, expect, test } from "bun:test";
import { Cancellation } from "../../src/base/cancellation.ts";
import { ownTemplates } from "../../src/calls/own-uri.ts";
import { callbacksListing, stateListings } from "../../src/calls/resources/state-listings.ts";
import { LazyResources } from "../../src/compose/lazy-features.ts";
import { FakeResources, resource, watched } from "../server/fake-features.ts";

const client = {
  id: "c",
  limits: { answerMs: 0, resultCharsMax: 1 },
  workspaceDir: () => Promise.resolve("/"),
};
const context = { version: "2026-07-28", client, cancellation: new Cancellation() } as const;

function start() {
  const state: { made: FakeResources | undefined; makings: number } = {
    made: undefined,
    makings: 0,
  };
  const lazy = new LazyResources({
    made: () => state.made,
    make: () => {
      state.makings += 1;
      state.made = new FakeResources();
      return Promise.resolve(state.made);
    },
  });
  return { state, lazy };
}

describe("LazyResources", () => {
  test("lists, templates, subscriptions and unknown resources make nothing", async () => {
    const { state, lazy } = start();
    expect(await lazy.list(client)).toEqual(stateListings);
    expect(await lazy.templates()).toEqual(ownTemplates);
    expect(lazy.canSubscribe(watched, client)).toBe(false);
    expect(lazy.canSubscribe(callbacksListing.uri, client)).toBe(true);
    for (const uri of ["scorpiox://background/1", "test://a", "scorpiox://results/.."]) {
      expect(await lazy.read(uri, context)).toBeUndefined();
    }
    expect(state.makings).toBe(0);
  });

  test("a saved output may be older than the process", async () => {
    const { state, lazy } = start();
    expect(await lazy.read("scorpiox://results/a-b", context)).toBeUndefined();
    expect(state.makings).toBe(1);
  });

  test("what is always there is read when there is nothing in it yet", async () => {
    const { state, lazy } = start();
    await lazy.read(callbacksListing.uri, context);
    expect(state.makings).toBe(1);
  });

  test("passes on to what has been made", async () => {
    const { state, lazy } = start();
    state.made = new FakeResources();
    expect(await lazy.list(client)).toEqual([resource]);
    expect(lazy.canSubscribe(watched, client)).toBe(true);
    expect(state.makings).toBe(0);
  });
});
