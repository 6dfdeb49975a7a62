import { expect, test } from "bun:test";

import { InFlight } from "../../../src/server/connection/active-request.ts";
import { OpenRequests } from "../../../src/server/http/open-requests.ts";
import { until } from "../../commands/process/until.ts";

/** What one request has in flight; says when it was cancelled. */
class Watched extends InFlight {
  isCancelled = false;

  override cancelAll(): void {
    this.isCancelled = true;
  }
}

function open(requests: OpenRequests): { client: AbortController; watched: Watched; id: number } {
  const client = new AbortController();
  const request = new Request("http://localhost/mcp", { method: "POST", signal: client.signal });
  const watched = new Watched();
  return {
    client,
    watched,
    id: requests.add(request, { id: "local", scopes: undefined }, watched),
  };
}

test("OpenRequests: a client that goes has cancelled its request, and no other", async () => {
  const requests = new OpenRequests();
  const [early, late, staying, over] = [1, 2, 3, 4].map(() => open(requests));
  early?.client.abort();
  over?.client.abort();
  requests.delete(over?.id ?? 0);
  await until(() => early?.watched.isCancelled === true);
  late?.client.abort();
  await until(() => late?.watched.isCancelled === true);
  expect([staying?.watched.isCancelled, over?.watched.isCancelled]).toEqual([false, false]);
});

test("OpenRequests knows those that are under way", () => {
  const requests = new OpenRequests();
  const [one, other] = [open(requests), open(requests)];
  expect([requests.size, requests.all()]).toEqual([2, [one.watched, other.watched]]);
  requests.delete(one.id);
  expect([requests.size, requests.all()]).toEqual([1, [other.watched]]);
});
