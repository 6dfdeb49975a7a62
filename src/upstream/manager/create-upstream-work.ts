import { JsonText } from "../../base/json-text.ts";
import { emptySnapshot } from "../empty-snapshot.ts";
import type { OpenUpstreams } from "../worker/upstream-work.ts";

/** Stands in until the manager is here: no server is ever connected. */
export const createUpstreamWork: OpenUpstreams = (_options, host) => ({
  start() {
    host.publish({ ...emptySnapshot, revision: 1 });
    return Promise.resolve();
  },
  call: ({ server }) =>
    Promise.resolve({ kind: "failed", text: `${server}: no such server.`, reason: "unreachable" }),
  checkArguments: () => Promise.resolve(undefined),
  search: () => Promise.resolve(new JsonText('{"content":[]}')),
  control: () => Promise.resolve(null),
  infoList: () => [],
  subscribe: () => Promise.resolve(false),
  unsubscribe() {},
  endClient() {},
  close: () => Promise.resolve(),
});
