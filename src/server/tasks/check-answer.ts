import type { InputRequest } from "../../protocol/input-request.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";

export function checkAnswer(_request: InputRequest, answer: unknown): Params | undefined {
  return isObject(answer) ? answer : undefined;
}
