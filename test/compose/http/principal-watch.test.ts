import { expect, test } from "bun:test";

import { PrincipalWatch } from "../../../src/compose/http/principal-watch.ts";

/** Lets everybody in; knows of the principals with these ids. */
class Known {
  constructor(readonly ids: Set<string>) {}

  principalsWith(id?: string): "one" | "several" {
    return new Set([...this.ids, ...(id === undefined ? [] : [id])]).size > 1 ? "several" : "one";
  }

  authorize() {
    return { kind: "ok", principal: principal("anna") } as const;
  }
}

const principal = (id: string) => ({ id, scopes: undefined });
const request = { url: "/mcp", headers: new Headers() };

function watched(...ids: readonly string[]) {
  const known = new Known(new Set(ids));
  const steps: string[] = [];
  const here = Promise.withResolvers<void>();
  const watch = new PrincipalWatch(known, {
    here: () => {
      steps.push("here");
      return here.promise;
    },
    elsewhere: async () => void steps.push("elsewhere"),
  });
  return { known, steps, here, watch };
}

test("the first request of a second principal waits until all replicas have separated", async () => {
  const { known, steps, here, watch } = watched("anna");
  expect(watch.authorize(request)).toEqual(known.authorize());
  known.ids.add("ben");
  let isIn = false;
  const answer = Promise.resolve(watch.authorize(request)).then(() => (isIn = true));
  await Bun.sleep(0);
  expect([steps, isIn]).toEqual([["here", "elsewhere"], false]);
  here.resolve();
  await answer;
  expect(watch.authorize(request)).toEqual(known.authorize());
  expect(steps).toEqual(["here", "elsewhere"]);
});

test("a request of another principal that comes from another replica is the second one's", async () => {
  const { steps, here, watch } = watched("anna");
  expect(watch.admit(principal("anna"))).toBeUndefined();
  const admitted = watch.admit(principal("ben"));
  expect(steps).toEqual(["here", "elsewhere"]);
  here.resolve();
  await admitted;
  expect(watch.admit(principal("carl"))).toBeUndefined();
});

test("a replica that is told of a second principal tells nobody else, and ends nothing twice", async () => {
  const { steps, here, watch } = watched("anna");
  const separated = [watch.separate(), watch.separate()];
  here.resolve();
  await Promise.all(separated);
  expect(watch.admit(principal("ben"))).toBeUndefined();
  expect(steps).toEqual(["here"]);
});

test("where there are several from the start there is nothing to end", async () => {
  const { steps, watch } = watched("anna", "ben");
  await watch.separate();
  expect(watch.admit(principal("carl"))).toBeUndefined();
  expect(steps).toEqual([]);
});
