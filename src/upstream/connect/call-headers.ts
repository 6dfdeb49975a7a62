import { encodeHeaderValue } from "../../protocol/header-value.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import { argumentAt, type ParamHeader, paramHeadersOf } from "../../protocol/param-headers.ts";
import type { RawTool } from "./server-catalogue.ts";

/** Which arguments of a server's tools travel as headers too, over HTTP in the modern revisions (`x-mcp-header`). */
export class CallHeaders {
  readonly #byTool = new Map<string, readonly ParamHeader[]>();

  /** Learns the tools that may be used; `problems` names those whose annotations break a rule. */
  learn(tools: readonly RawTool[]): {
    readonly tools: readonly RawTool[];
    readonly problems: string[];
  } {
    this.#byTool.clear();
    const problems: string[] = [];
    const usable = tools.filter(({ name, inputSchema }) => {
      const reading = paramHeadersOf(inputSchema);
      if (reading.kind === "headers") this.#byTool.set(name, reading.headers);
      else
        problems.push(
          `Tool ${JSON.stringify(name)} cannot be called over HTTP: ${reading.reason}.`,
        );
      return reading.kind === "headers";
    });
    return { tools: usable, problems };
  }

  /** Of one call; arguments that are absent or null have none. */
  of({ name, arguments: args }: Params): Readonly<Record<string, string>> {
    const headers: [string, string][] = [];
    for (const header of this.#byTool.get(String(name)) ?? []) {
      const text = textOf(argumentAt(args, header.path));
      if (text !== undefined) headers.push([header.name, encodeHeaderValue(text)]);
    }
    return Object.fromEntries(headers);
  }
}

/** A number beyond 2^53 has been rounded: two that differ would look the same. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "number" && Math.abs(value) >= 2 ** 53) return undefined;
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
}
