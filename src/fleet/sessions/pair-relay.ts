import { sharedReplyMsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import { type Principal, rightsOf } from "../../server/auth/principal.ts";
import type { HttpSessions } from "../../server/http/http-sessions.ts";
import { refusal } from "../../server/http/responses.ts";
import { deliverRelayed, type PairMessage, type PairRelay } from "../../server/http/sse-pair.ts";
import type { Fleet } from "../open-fleet.ts";

const kind = "pair message";

const otherRights =
  "The stream was opened with a token of other rights. Open a new stream with this token, or send messages with that one.";

/** Messages of HTTP+SSE for sessions whose stream is at another replica: the id of the session begins with its id. */
export class FleetPairRelay implements PairRelay {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  readonly prefix = (): string => `${this.#fleet.replica.id}.`;

  readonly post = async (
    id: string,
    principal: Principal,
    message: PairMessage,
  ): Promise<Response | undefined> => {
    const { replica, messages } = this.#fleet;
    const to = /^([a-z2-7]{10})\./.exec(id)?.[1];
    if (to === undefined || replica.isOwn(to) || !(await replica.isLiveNow(to))) return undefined;
    const body = { session: id, principal: principal.id, rights: rightsOf(principal), message };
    const answer = await messages.request(to, kind, body, { msMax: sharedReplyMsMax });
    if (!isObject(answer) || typeof answer.status !== "number") return undefined;
    const text = typeof answer.text === "string" && answer.text !== "" ? answer.text : null;
    return new Response(text, {
      status: answer.status,
      headers: text === null ? {} : { "content-type": "application/json" },
    });
  };

  /** Takes the messages of others. Returns how to stop. */
  receive(sessions: HttpSessions): () => void {
    return this.#fleet.messages.handle(kind, async (body) => {
      const { session, principal, rights, message } = isObject(body) ? body : {};
      if (typeof session !== "string" || typeof principal !== "string" || !isObject(message))
        return;
      const known = sessions.get(session);
      // The message would run with the rights of the token that opened the stream.
      const isOther = known?.principal.id === principal && rightsOf(known.principal) !== rights;
      const { value, header } = message;
      const version = typeof header === "string" ? header : undefined;
      const response = isOther
        ? refusal(403, otherRights)
        : deliverRelayed(sessions, session, principal, { value, header: version });
      return response && { status: response.status, text: await response.text() };
    });
  }
}
