import { describeCallbacks } from "../../base/callback-text.ts";
import type { Callback } from "../../tools/callback-service.ts";
import type { StateResource } from "./state-resource.ts";

export const callbacksUri = "scorpiox://callbacks";

/** The callbacks of the client that reads. */
export function callbacksResource(
  callbacksOf: (clientId: string) => readonly Callback[],
): StateResource {
  return {
    listing: {
      uri: callbacksUri,
      name: "callbacks",
      title: "Callbacks",
      description: "Reminders that this client has set with SetCallback.",
      mimeType: "text/plain",
    },
    text: ({ id }) => Promise.resolve(describeCallbacks(callbacksOf(id))),
  };
}
