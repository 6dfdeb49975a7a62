import type { FoundServer } from "../../interact/attach/client/ask-servers.ts";
import { formatDuration } from "../../base/amount-text.ts";
import { listFromServers } from "../list-from-servers.ts";

export const callbacksListCommand = listFromServers({
  key: "callbacks",
  title: "callbacks",
  entriesOf: callbacksOf,
  lineOf,
});

function callbacksOf({ facts, state }: FoundServer) {
  return state.callbacks.map((callback) => ({
    ...callback,
    server: facts.serverId,
    serverPid: facts.pid,
  }));
}

function lineOf(callback: ReturnType<typeof callbacksOf>[number]): string {
  const place = `${callback.serverPid}/${callback.client}/${callback.callbackId}`;
  const inMs = Math.max(0, callback.nextFireAt - Date.now());
  const left = callback.firesLeft === -1 ? "forever" : `${callback.firesLeft} fires left`;
  const message = callback.message.replaceAll(/\s+/g, " ");
  return `${place}  in ${formatDuration(inMs)}, ${left}  ${message}`;
}
