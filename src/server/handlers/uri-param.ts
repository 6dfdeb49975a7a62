import type { Params } from "../../protocol/json-rpc.ts";
import { uriProblem } from "../../protocol/uri.ts";
import { invalidParams, type MethodReply } from "../connection/method.ts";

export type UriParam =
  | { readonly kind: "uri"; readonly uri: string }
  | { readonly kind: "refused"; readonly reply: MethodReply };

/** `params.uri`, checked for its form (docs/spec/modern.md#resources-and-prompts). */
export function readUriParam(params: Params | undefined): UriParam {
  const uri = params?.uri;
  const problem = uriProblem(uri);
  if (typeof uri === "string" && problem === undefined) return { kind: "uri", uri };
  return { kind: "refused", reply: invalidParams(`uri ${problem}`) };
}
