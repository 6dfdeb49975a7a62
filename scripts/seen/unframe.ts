import {
  pictureText,
  seenBy,
  type Block,
  type ToolResult,
} from "../../test/e2e/harness/seen-by.ts";
import { objects } from "./dialects/dialect.ts";

/**
 * What a client told its model of a result, without the words that it puts around each: `Wall time: …`,
 * `<untrusted_context>`, the path where it keeps a picture. The form is that of `SeenBy.render`.
 */
export function unframe(client: string, told: unknown): string {
  const reader = readers[client];
  if (reader === undefined) throw new Error(`no reader for ${client}`);
  return reader(told);
}

const readers: Readonly<Record<string, (told: unknown) => string>> = {
  "claude-code": (told) => {
    const { content } = told as { content: unknown };
    const texts = typeof content === "string" ? [content] : objects(content).map(partText);
    return texts
      .filter((text) => !text.startsWith("[Image: source:"))
      .join("\n")
      .replace(/^\(\S+ completed with no output\)$/, "")
      .replaceAll(/^\[Resource from \S+ at \S+\] /gm, "");
  },
  codex: (told) => {
    const texts = typeof told === "string" ? [told] : objects(told).map(partText);
    return texts.join("\n").replace(/^Wall time: [\d.]+ seconds\nOutput:\n?/, "");
  },
  opencode: (told) => withMedia(told, (text) => text),
  "qwen-code": (told) =>
    withMedia(told, (text) => geminiText(text).replace(/^\(\S+ completed with no output\)$/, "")),
  "gemini-cli": (told) => {
    const parts = Array.isArray(told) ? objects(told) : [{ functionResponse: told }];
    return parts
      .map((part) => {
        const { functionResponse, inlineData } = part as {
          functionResponse?: { response: { output?: string; error?: string } };
          inlineData?: { mimeType: string };
        };
        if (inlineData !== undefined) return pictureText(inlineData.mimeType);
        const { output, error } = functionResponse?.response ?? {};
        return geminiText(output ?? error ?? "");
      })
      .filter(Boolean)
      .join("\n");
  },
  "copilot-cli": (told) => String(told).replace(/^MCP server '[^']*': /, ""),
  cline: (told) => whole("cline", JSON.parse(String(told)) as ToolResult),
  "continue-cli": (told) => whole("continue-cli", { content: JSON.parse(String(told)) as Block[] }),
};

/** Where the client passes the result on as JSON, the model has whatever that holds. */
function whole(client: string, result: ToolResult): string {
  return seenBy.find(({ id }) => id === client)?.render(result) ?? "";
}

function geminiText(text: string): string {
  const [, raw] = /with response: (\[\{"functionResponse".*\])$/s.exec(text) ?? [];
  if (raw !== undefined) {
    const [first] = JSON.parse(raw) as [
      { functionResponse: { response: ToolResult & { error?: ToolResult } } },
    ];
    const { response } = first.functionResponse;
    return whole("cline", response.error ?? response);
  }
  return text
    .replace(/^MCP tool '[^']*' reported tool error for function call: .* with response: /, "")
    .replaceAll(/^\[image\/\w+\]\n?/gm, "")
    .replaceAll(/<untrusted_context>\n([^]*?)\n<\/untrusted_context>/g, "$1")
    .replaceAll(/\n?\[Tool '[^']*' provided the following \w+ data with mime-type: [^\]]*\]/g, "")
    .replaceAll(/^Resource Link: .* at (\S+)$/gm, "[link $1]")
    .trim();
}

/** Text, and what the client sent behind it as a user's message. */
function withMedia(told: unknown, textOf: (text: string) => string): string {
  const { tool, user } =
    typeof told === "object" && told !== null && "tool" in told
      ? (told as { tool: unknown; user: unknown })
      : { tool: told, user: [] };
  const text = typeof tool === "string" ? tool : objects(tool).map(partText).join("\n");
  const pictures = objects(user)
    .filter(({ type }) => type === "image_url")
    .map(() => pictureText());
  return [textOf(text), ...pictures].filter(Boolean).join("\n");
}

/** A part of a message: text, or a picture in one of the spellings. */
function partText(part: Readonly<Record<string, unknown>>): string {
  if (typeof part["text"] === "string") return part["text"];
  const { source } = part as { source?: { media_type?: string } };
  if (source?.media_type !== undefined) return pictureText(source.media_type);
  const url = part["image_url"];
  return pictureText(typeof url === "string" ? /^data:([^;]+)/.exec(url)?.[1] : undefined);
}
