import { EventReader } from "../../e2e/harness/http-events.ts";
import { WireCheck } from "../../e2e/harness/wire-check.ts";
import { mirrored, modernMessage } from "../../e2e/harness/http-client.ts";
import { notification, request } from "../harness.ts";
import type { EndpointFixture } from "./endpoint-fixture.ts";

type Headers = Readonly<Record<string, string>>;

const usual = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** A POST to the endpoint. */
export function post(
  fixture: EndpointFixture,
  message: unknown,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  return fixture.fetch("/mcp", {
    method: "POST",
    headers: { ...usual, ...headers },
    body: JSON.stringify(message),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A modern request with the headers that its body asks for, and others. */
export function postModern(
  fixture: EndpointFixture,
  params: Readonly<Record<string, unknown>>,
  headers: Headers = {},
  signal?: AbortSignal,
): Promise<Response> {
  const message = modernMessage(1, "tools/call", params);
  return post(fixture, message, { ...mirrored(message), ...headers }, signal);
}

/** Begins a legacy session; the headers that its requests need. */
export async function beginSession(
  fixture: EndpointFixture,
  protocolVersion = "2025-11-25",
  capabilities: object = {},
): Promise<Headers> {
  const params = { protocolVersion, capabilities, clientInfo: { name: "test", version: "1" } };
  const opening = await post(fixture, request("init", "initialize", params));
  const headers = { "mcp-session-id": opening.headers.get("mcp-session-id") ?? "" };
  await post(fixture, notification("notifications/initialized"), headers);
  return headers;
}

/** GET in a session, with more headers. */
export function get(fixture: EndpointFixture, headers: Headers): Promise<Response> {
  return fixture.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers } });
}

/** Reads a response as it comes. */
export function read(response: Response): EventReader {
  return new EventReader(response, new WireCheck(), new AbortController());
}
