import { randomHex } from "../../base/digests.ts";
import { AppError } from "../../base/errors.ts";
import { handshakeMsMax } from "../link/admission.ts";
import type { HubPlace } from "../link/hub-place.ts";
import { type Visit, visitHub } from "../link/visit-hub.ts";
import { HubWatch } from "./hub-watch.ts";

/**
 * Watches the hub of a place, which is never started for it. Undefined when none listens there.
 * @throws AppError `system` with the reason when one does, and cannot be asked
 */
export function openHubWatch(place: HubPlace, signal: AbortSignal): Promise<HubWatch | undefined> {
  const clientKey = randomHex(16);
  return HubWatch.open(async (handlers) => {
    const visit = await visitHub(place, {
      purpose: "watch",
      clientKey,
      handlers,
      signal,
      msMax: handshakeMsMax,
    });
    if (visit.kind === "admitted") return visit.link;
    if (visit.kind === "absent") return undefined;
    throw new AppError("system", `${reasonOf(visit)}.`);
  });
}

function reasonOf(visit: Exclude<Visit, { readonly kind: "admitted" | "absent" }>): string {
  switch (visit.kind) {
    case "busy":
      return "it cannot take another connection at this moment";
    case "refused":
      return visit.reason;
    case "silent":
      return "it does not answer";
  }
}
