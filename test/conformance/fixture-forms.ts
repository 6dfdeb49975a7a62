import { isObject } from "../../src/base/values.ts";
import type {
  FormElicitation,
  FormField,
  InputResponses,
  RootsRequest,
  SamplingRequest,
} from "../../src/protocol/input-request.ts";

/** A form whose fields must all be filled in. */
export function form(
  message: string,
  properties: Readonly<Record<string, FormField>>,
  required: readonly string[] = Object.keys(properties),
): FormElicitation {
  return {
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: { type: "object", properties, required } },
  };
}

export function sampling(text: string, maxTokens: number): SamplingRequest {
  const messages = [{ role: "user", content: { type: "text", text } }];
  return { method: "sampling/createMessage", params: { messages, maxTokens } };
}

export const roots: RootsRequest = { method: "roots/list" };

export const nameForm: FormElicitation = form("What is your name?", { name: { type: "string" } });

/** What was filled in under `key`; empty when the form was not accepted. */
export function contentOf(
  responses: InputResponses,
  key: string,
): Readonly<Record<string, unknown>> {
  const content = responses[key]?.content;
  return isObject(content) ? content : {};
}

/** The text of the model's answer under `key`. */
export function sampledText(responses: InputResponses, key: string): string {
  const { text } = contentOf(responses, key);
  return typeof text === "string" ? text : JSON.stringify(responses[key]);
}

/** The answer under `key` as people read it in a tool's result. */
export function elicited(responses: InputResponses, key: string): string {
  const action = responses[key]?.action;
  return `action=${String(action)}, content=${JSON.stringify(contentOf(responses, key))}`;
}
