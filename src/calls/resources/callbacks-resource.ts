import { describeCallbacks } from "../../base/callback-text.ts";
import type { Callback } from "../../tools/callback-service.ts";
import { callbacksListing } from "./state-listings.ts";
import type { StateResource } from "./state-resource.ts";

export function callbacksResource(
  callbacksOf: (clientId: string) => readonly Callback[],
): StateResource {
  return {
    listing: callbacksListing,
    text: ({ id }) => Promise.resolve(describeCallbacks(callbacksOf(id))),
  };
}
