import { from, type Requirement } from "./harness/requirement.ts";

/** What is promised to clients of Streamable HTTP. */
export const httpRequirements: Readonly<Record<string, Requirement>> = {
  ...from("2026-07-28/basic/transports/streamable-http", {
    "http.status": "Every outcome has its HTTP status.",
    "http.ids":
      "Each answer has its request's id with its type, and none when it could not be read.",
    "http.headers": "Headers that differ from the body are -32020, before anything is done.",
    "http.stream": "What belongs to a request comes on the stream of its POST, before its answer.",
    "http.origin": "Pages of foreign origins are refused before anything is done.",
    "http.host": "Requests for a foreign host name are refused.",
  }),

  ...from("2025-11-25/basic/transports", {
    "http.session-id": "Ids of sessions are long, random, distinct and visible ASCII.",
    "http.session": "A session begins with `initialize`, keeps its revision and ends with DELETE.",
    "http.priming": "2025-11-25 alone begins a stream with an event without data.",
    "http.get-stream": "A session has one stream of its own, for clients that take event streams.",
    "http.resume":
      "A client that comes back gets the rest of the stream that it lost, and no other.",
  }),
  ...from("2024-11-05/basic/transports", {
    "sse.messages": "HTTP+SSE: messages are POSTed, everything of the session comes on its stream.",
    "sse.sdk-v1": "The official SDK v1 works over HTTP+SSE, and is asked there.",
    "sse.sdk-v2":
      "The official SDK v2 works over HTTP+SSE, also when it looks for 2026-07-28 first.",
  }),
  ...from("docs/http.md#older-clients-httpsse", {
    "sse.switch": "HTTP+SSE is there with `--sse` only, beside `--path`.",
    "sse.auth": "Tokens, scopes and foreign pages are looked at as on the rest of the server.",
    "sse.end": "The end of a stream ends its session, and all that runs for it.",
    "sse.drain": "When the server goes, what is under way is still answered on the stream.",
  }),
  ...from("2025-03-26/basic/transports", {
    "http.batch": "Batches are answered as one array under 2025-03-26 and refused elsewhere.",
  }),
  ...from("docs/http.md#sessions", {
    "http.session-owner": "A session is there for the token that began it, and for no other.",
    "http.cross": "Sessions and clients share no ids, answers, cancellations or background tasks.",
  }),

  ...from("2026-07-28/basic/patterns/cancellation", {
    "http.disconnect":
      "A modern client that closes its connection has cancelled its request alone.",
  }),
  ...from("2025-11-25/basic/utilities/cancellation", {
    "http.lost": "A broken connection cancels nothing in a session.",
    "http.cancelled":
      "`notifications/cancelled` ends a request of its own session, and nothing follows.",
  }),

  ...from("docs/http.md", {
    "http.stdout": "stdout carries the URL and nothing else.",
    "http.content-type": "Bodies of types that pages may send without asking are refused.",
    "http.cors": "Only pages of origins that were allowed by name may read answers.",
  }),

  ...from("2026-07-28/basic/authorization", {
    "http.auth": "Who shows no known token gets a challenge, and nothing is done.",
    "http.oauth": "Signed tokens are checked for issuer, audience and time.",
    "http.tokens-forged":
      "A token that nobody with a key has signed, or that is for something else, opens nothing, whatever the keys are.",
    "http.scopes":
      "A tool whose scope a token lacks is not listed; a call is 403 with what is missing.",
  }),
  ...from("docs/http.md#other-addresses", {
    "http.listen": "Without tokens it listens on the loopback interface only.",
  }),

  ...from("docs/http.md#other-addresses", {
    "http.pipelining":
      "Of requests on one connection none runs out of order, and none that is not answered runs behind one that is not.",
  }),
  ...from("docs/http.md#who-may-connect", {
    "http.users": "Without tokens only the user who runs the server, and root, may use it.",
    "http.own-token": "Where the system does not tell which user connects, a token is needed.",
  }),
  ...from("docs/http.md#health-and-shutdown", {
    "http.health": "`/healthz` and `/readyz` tell how it is, to everybody.",
    "http.drain": "After a signal what is under way finishes, and nothing new begins.",
    "http.exit": "After a signal it ends within its time, and all commands with it.",
    "http.kill-9": "kill -9 of a server with HTTP clients leaves no child.",
  }),
  ...from("docs/http.md#other-addresses", {
    "http.tls": "With a certificate and its key it speaks TLS.",
  }),

  ...from("2026-07-28/basic/patterns/subscriptions", {
    "http.listen-stream":
      "A subscription gets what it asked for, acknowledged first, tagged with its id.",
  }),

  ...from("docs/http.md#limits", {
    "http.framing":
      "A request has one length; what is ambiguous is refused, and nothing of it runs.",
    "http.head-size": "Heads that are too large, or none, end their connection alone.",
    "http.slow": "Slow senders are ended, and keep nobody else waiting.",
    "http.body": "A body is one JSON value in UTF-8, nested within bounds.",
    "http.body-size": "Bodies of 16 MiB are served, longer ones refused as early as can be.",
  }),

  ...from("2026-07-28/basic/versioning", {
    "http.eras": "A revision is the same on both transports; the era is each message's own.",
    "http.mixed":
      "Both eras on one port: each request is answered once, or not at all if cancelled.",
  }),

  ...from("2025-11-25/client/elicitation", {
    "http.ask": "A call's questions come on its stream, also to a client that comes back.",
  }),
  ...from("2026-07-28/basic/patterns/mrtr", {
    "http.ask-state":
      "The state of a round is of use to the token that began, for that call alone.",
  }),
};
