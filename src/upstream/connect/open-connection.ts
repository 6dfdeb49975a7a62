import { messageOf } from "../../base/errors.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import {
  type ConnectionEvents,
  ConnectionError,
  type ConnectOptions,
  type OpenConnection,
} from "./connection.ts";
import { LiveConnection, tellLog } from "./live-connection.ts";
import { negotiate } from "./negotiate.ts";
import { PeerOpener } from "./open-peer.ts";
import type { Peer, PeerEvents } from "./peer.ts";
import type { PendingCall } from "./pending-calls.ts";
import { ServerRequests } from "./server-requests.ts";

/** Connects to one server and finds out which revisions it speaks. Leaves nothing behind when it fails. */
export const openConnection: OpenConnection = async (options, events, signal) => {
  const opener = new PeerOpener(options.endpoint, signal);
  const state: OpenState = { options, events, connection: undefined, current: undefined };
  const open = (form: "usual" | "sse"): Promise<Peer> =>
    opener.open(form, (peer) => peerEvents(state, peer));
  try {
    const met = await negotiate(options, open, signal);
    state.current = met.peer;
    opener.discardAllBut(met.peer);
    state.connection = new LiveConnection(options, met, events);
    return state.connection;
  } catch (error) {
    opener.discardAllBut(undefined);
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError("unreachable", messageOf(error));
  }
};

interface OpenState {
  readonly options: ConnectOptions;
  readonly events: ConnectionEvents;
  connection: LiveConnection | undefined;
  /** The peer that was settled upon: the end of another is no end. */
  current: Peer | undefined;
}

function peerEvents(state: OpenState, peer: () => Peer): PeerEvents {
  const { events, options } = state;
  const onStray = (text: string): void => events.onStray(text);
  let requests: ServerRequests | undefined;
  return {
    onStray,
    onNotification: (method, params, call) => notice(state, method, params, call),
    onRequest: (request, origin) => {
      requests ??= new ServerRequests(peer(), options, onStray);
      void requests.take(request, origin);
    },
    onClosed: (error) => {
      if (state.current !== peer()) return;
      state.connection?.subscriptions.close();
      events.onClosed(error.message);
    },
  };
}

function notice(
  { connection, events }: OpenState,
  method: string,
  params: Params,
  call: PendingCall | undefined,
): void {
  if (method !== "notifications/message")
    return connection?.subscriptions.onNotification(method, params);
  const { onLog = events.onLog.bind(events) } = call?.hooks ?? {};
  tellLog(params, onLog);
}
