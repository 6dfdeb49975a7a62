import type { Look } from "../../gate/gate-stage.ts";
import { encodeCallToolResult, withStructureAsText } from "../../../protocol/call-result-codec.ts";
import { isObject, type Params } from "../../../protocol/json-rpc.ts";
import type { CallToolResult, ContentBlock } from "../../../protocol/tool-types.ts";
import type { ProtocolVersion } from "../../../protocol/versions.ts";
import { readHookAnswer } from "./hook-answer.ts";
import type { HookEnd } from "./hook-end.ts";
import type { Heeded } from "./hook-event.ts";
import { failureText, warningOf } from "./hook-texts.ts";
import type { Hook } from "./hook.ts";

/** The result of a call as the client would get it, in the shape of `version`. */
interface SentResult {
  readonly json: string;
  /** What it says as data, where the client does not get that. */
  readonly dataJson?: string | undefined;
  /** Of a tool of ours: clients get data from those only that send it themselves. */
  readonly isOwn: boolean;
  readonly version: ProtocolVersion;
}

/** What the hooks of a call have said of its result. It is too late to stop anything: what is wrong becomes a warning. */
export class HeardAfter {
  readonly #lines: string[] = [];
  readonly #version: ProtocolVersion;
  readonly #isOwn: boolean;
  #json: string;
  #dataJson: string | undefined;
  #isChanged = false;

  constructor({ json, dataJson, isOwn, version }: SentResult) {
    this.#json = json;
    this.#dataJson = dataJson;
    this.#isOwn = isOwn;
    this.#version = version;
  }

  /** As the next hook is to see it: whole, with the data. */
  get result(): unknown {
    const sent = this.#sent();
    if (this.#dataJson === undefined || "structuredContent" in sent) return sent;
    return { ...sent, structuredContent: JSON.parse(this.#dataJson) as unknown };
  }

  get look(): Look {
    if (!this.#isChanged) return { lines: this.#lines };
    const data = this.#dataJson === undefined ? {} : { dataJson: this.#dataJson };
    return { lines: this.#lines, json: this.#json, ...data };
  }

  #sent(): Params {
    return JSON.parse(this.#json) as Params;
  }

  readonly heed = (hook: Hook, end: HookEnd): Heeded => {
    if (end.state === "cancelled") return "stop";
    if (end.state !== "done") {
      this.#lines.push(failureText(hook, end));
      return "go-on";
    }
    const reading = readHookAnswer(end);
    if (reading.kind === "silent") return "go-on";
    if (reading.kind === "unusable") {
      this.#lines.push(warningOf(hook, reading.how, ""));
      return "go-on";
    }
    const { decision, reason = "", updatedResult } = reading.answer;
    if (decision === "deny" || decision === "ask") {
      this.#lines.push(warningOf(hook, `said "${decision}"`, reason));
    }
    return updatedResult === undefined ? "go-on" : this.#update(hook, updatedResult);
  };

  #update(hook: Hook, updated: Params): Heeded {
    const result = checkedResult(updated);
    if (result === undefined) {
      this.#lines.push(warningOf(hook, "gave a result that is none", ""));
      return "go-on";
    }
    const isTextOnly = this.#isOwn && !("structuredContent" in this.#sent());
    this.#json = encodeCallToolResult(isTextOnly ? this.#asText(result) : result, this.#version);
    this.#isChanged = true;
    return "changed";
  }

  /** The data goes to programs, and to the client only where the hook has left it nothing else. */
  #asText(result: CallToolResult): CallToolResult {
    const { structuredContent, ...sent } = result;
    if (structuredContent === undefined) return sent;
    this.#dataJson = JSON.stringify(structuredContent);
    return result.content.length > 0 ? sent : { ...sent, content: withStructureAsText(result) };
  }
}

function checkedResult({
  content,
  isError,
  structuredContent,
  _meta,
}: Params): CallToolResult | undefined {
  const isFlag = isError === undefined || typeof isError === "boolean";
  if (!Array.isArray(content) || !content.every(isBlock) || !isFlag) return undefined;
  return {
    content,
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

/** Its user wrote the hook: only what would be no result at all is kept from clients. */
function isBlock(block: unknown): block is ContentBlock {
  if (!isObject(block)) return false;
  switch (block.type) {
    case "text":
      return typeof block.text === "string";
    case "image":
    case "audio":
      return typeof block.data === "string" && typeof block.mimeType === "string";
    case "resource":
      return isObject(block.resource) && typeof block.resource.uri === "string";
    case "resource_link":
      return typeof block.uri === "string" && typeof block.name === "string";
    default:
      return false;
  }
}
