import { upstreamQuestionCharsMax } from "../../base/upstream-limits.ts";
import type { FormSchema, InputRequest, InputRequests } from "../../protocol/input-request.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

/**
 * What a server asks for, when it is one of the three things that can be asked for, and not too long; members are kept as
 * they came.
 */
export function readInputRequest(value: unknown): InputRequest | undefined {
  if (!isObject(value) || JSON.stringify(value).length > upstreamQuestionCharsMax) return undefined;
  const { method } = value;
  const params = isObject(value.params) ? value.params : {};
  if (method === "roots/list") return { method };
  if (method === "sampling/createMessage") {
    return Array.isArray(params.messages) ? { method, params } : undefined;
  }
  return method === "elicitation/create" ? readElicitation(params) : undefined;
}

/** Under their keys; undefined when one of them cannot be read, or there is none. */
export function readInputRequests(value: unknown): InputRequests | undefined {
  if (!isObject(value)) return undefined;
  const requests: [string, InputRequest][] = [];
  for (const [key, each] of Object.entries(value)) {
    const request = readInputRequest(each);
    if (request === undefined) return undefined;
    requests.push([key, request]);
  }
  return requests.length === 0 ? undefined : Object.fromEntries(requests);
}

function readElicitation(params: Params): InputRequest | undefined {
  const { mode, message, url, elicitationId, requestedSchema } = params;
  const method = "elicitation/create";
  if (typeof message !== "string") return undefined;
  if (mode === "url") {
    if (typeof url !== "string") return undefined;
    // The modern revisions have none; ours need one to tell two apart.
    const id = typeof elicitationId === "string" ? elicitationId : crypto.randomUUID();
    return { method, params: { ...params, mode, message, url, elicitationId: id } };
  }
  if (mode !== undefined && mode !== "form") return undefined;
  if (!isFormSchema(requestedSchema)) return undefined;
  return { method, params: { ...params, mode: "form", message, requestedSchema } };
}

function isFormSchema(schema: unknown): schema is FormSchema {
  if (!isObject(schema) || !isObject(schema.properties)) return false;
  if (schema.type !== undefined && schema.type !== "object") return false;
  return Object.values(schema.properties).every(
    (field) => isObject(field) && typeof field.type === "string",
  );
}
