import { noClientCapabilities } from "../../src/protocol/client-capabilities.ts";
import type { LogLevel, Params, RequestId } from "../../src/protocol/json-rpc.ts";
import type { ProtocolVersion } from "../../src/protocol/message.ts";
import { ActiveRequest } from "../../src/server/connection/active-request.ts";

/** Keeps what is sent, parsed, replies included. */
export class FakeLane {
  isCongested = false;
  readonly sent: unknown[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  reply(text: string | undefined): void {
    if (text !== undefined) this.send(text);
  }
}

export interface RequestFields {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Params;
  readonly version?: ProtocolVersion;
  readonly clientId?: string;
  readonly logLevel?: LogLevel | undefined;
  readonly lane?: FakeLane;
  /** See `ClientLimits`. */
  readonly answerMs?: number;
}

/** A request that no dispatcher knows of. */
export function createRequest(fields: RequestFields = {}): ActiveRequest {
  const { id = 1, method = "tools/call", params = { name: "Echo" } } = fields;
  const { version = "2026-07-28", clientId = "c", logLevel, lane = new FakeLane() } = fields;
  const { answerMs = 1 } = fields;
  const client = {
    id: clientId,
    limits: { answerMs, resultCharsMax: 1 },
    workspaceDir: () => Promise.resolve("/"),
  };
  const asker = { version, client, capabilities: noClientCapabilities, logLevel };
  return new ActiveRequest({ id, method, params }, asker, lane);
}
