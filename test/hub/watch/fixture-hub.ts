/**
 * A process that listens as the hub of a place and says what it was told to: `bun fixture-hub.ts FOLDER NAME '{JSON}'`, with the
 * folder of the user's data, the name of the place and the status, to which it adds its own process. `"silent": true`: it answers
 * nothing. Prints a line when it listens.
 */
import { hubPlaceNamed } from "../../../src/hub/link/hub-place.ts";
import { listenForClients } from "../../../src/hub/link/listen.ts";
import type { HubStatus } from "../../../src/hub/watch/hub-status.ts";
import { serveWatch } from "../../../src/hub/watch/serve-watch.ts";

const [, , scorpioxDir = "", name = "", json = "{}"] = process.argv;
const place = hubPlaceNamed(scorpioxDir, name);
const given = JSON.parse(json) as HubStatus & { readonly silent?: boolean };
const listener = await listenForClients(place, (visitor, link) => {
  if (visitor.purpose !== "watch") return undefined;
  if (given.silent === true) return { onText: () => {}, onClosed: () => {} };
  return serveWatch(link, {
    status: () => ({ ...given, pid: process.pid, log: place.logFile }),
    async stop() {
      listener?.[Symbol.dispose]();
      process.exit(0);
    },
  });
});
if (listener === undefined) throw new Error("another hub has the lock");
process.stdout.write("listens\n");
