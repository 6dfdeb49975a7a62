import type { InputRequest } from "../../protocol/input-request.ts";
import type { ConnectionReply, ConnectionRequest } from "../connect/connection.ts";
import { mapStrings } from "../results/map-strings.ts";
import type { UpstreamCallEvents } from "../upstreams.ts";

type Asked = Exclude<ConnectionReply, { kind: "result" }>;

/** What a server says in the middle of a call, without control sequences and secrets. */
export function cleanEvents(
  events: UpstreamCallEvents,
  clean: (text: string) => string,
  wantsProgress: boolean,
): Pick<ConnectionRequest, "ask" | "onLog" | "onProgress"> {
  return {
    ask: (request) => events.ask(mapStrings(request, clean) as InputRequest),
    onLog: (level, data, logger) => {
      const name = logger === undefined ? undefined : clean(logger);
      events.log?.(level, mapStrings(data, clean), name);
    },
    ...(wantsProgress
      ? {
          onProgress: (done, total, message) => {
            events.onProgress?.(done, total, message === undefined ? undefined : clean(message));
          },
        }
      : {}),
  };
}

/** An error, or questions: the names of these and the state are the server's and go back as they are. */
export function cleanReply(reply: Asked, clean: (text: string) => string): Asked {
  if (reply.kind === "fault") {
    const { code, message, data } = reply.fault;
    const more = data === undefined ? {} : { data: mapStrings(data, clean) };
    return { kind: "fault", fault: { code, message: clean(message), ...more } };
  }
  const requests = Object.entries(reply.requests).map(
    ([id, request]) => [id, mapStrings(request, clean) as InputRequest] as const,
  );
  return { ...reply, requests: Object.fromEntries(requests) };
}
