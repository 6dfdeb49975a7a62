/** A result of a tool as a client gets it. */
export interface ToolResult {
  readonly content: readonly Block[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

export interface Block {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly name?: string;
  readonly uri?: string;
  readonly description?: string;
  readonly resource?: { readonly uri: string; readonly text?: string };
}

/** What one client's model gets of a result, without the words that the client puts around each. */
export interface SeenBy {
  readonly id: string;
  /** Recorded at a scripted model (docs/internals/seen-by-models.md), or read in the client's source. */
  readonly from: "recorded" | "source";
  render(result: ToolResult): string;
}

/**
 * The clients, each with what it shows. `bun run verify --only seen` holds those that are recorded against the real
 * programs.
 */
export const seenBy: readonly SeenBy[] = [
  {
    id: "claude-code",
    from: "recorded",
    render: ({ content, structuredContent: json, isError }) => {
      const isFailed = isError === true;
      const shown = content.filter((block) =>
        isFailed ? !isPicture(block) : json === undefined || isNoText(block),
      );
      const blocks = shown.map((block) => line(block, linkWithName));
      return joined("\n", isFailed ? blocks : [...blocks, jsonText(json)]);
    },
  },
  {
    id: "codex",
    from: "recorded",
    render: ({ content, structuredContent: json }) =>
      json === undefined
        ? joined(
            "\n",
            content.map((block) => lineOrJson(block)),
          )
        : jsonText(json),
  },
  {
    id: "vscode",
    from: "source",
    render: ({ content, structuredContent: json }) => {
      const shown = json === undefined ? content : content.filter(isNoText);
      return joined("\n", [...shown.map((block) => line(block, linkAlone)), jsonText(json)]);
    },
  },
  {
    id: "opencode",
    from: "recorded",
    render: ({ content, structuredContent: json, isError }) => {
      if (content.length === 0) return jsonText(json);
      const texts = joined(
        "\n\n",
        content.filter(isTextual).map((block) => line(block)),
      );
      const pictures = isError === true ? [] : content.filter(isPicture);
      return joined("\n", [texts, ...pictures.map((block) => line(block))]);
    },
  },
  {
    id: "gemini-cli",
    from: "recorded",
    render: ({ content, structuredContent: json, isError }) => {
      const blocks = picturesLast(content).map((block) => line(block, linkAlone));
      return joined("\n", isError === true ? [...blocks, jsonText(json)] : blocks);
    },
  },
  {
    id: "qwen-code",
    from: "recorded",
    render: ({ content, structuredContent: json, isError }) => {
      const blocks = picturesLast(content).map((block) => line(block, linkAlone));
      const data = jsonText(json);
      return joined("\n", isError === true ? [...blocks, data] : [data, ...blocks]);
    },
  },
  {
    id: "copilot-cli",
    from: "recorded",
    render: ({ content, structuredContent: json }) => {
      const texts = content.filter(isTextual).map((block) => line(block));
      return joined("\n\n", [texts.join(""), jsonText(json)]);
    },
  },
  {
    id: "cline",
    from: "recorded",
    render: ({ content, structuredContent: json }) =>
      joined("\n", [...content.map((block) => line(block, linkAlone)), jsonText(json)]),
  },
  {
    id: "continue-cli",
    from: "recorded",
    render: ({ content }) =>
      joined(
        "\n",
        content.map((block) => line(block, linkAlone)),
      ),
  },
  {
    id: "zed",
    from: "source",
    render: ({ content }) =>
      content
        .filter(({ type }) => type === "text")
        .map(({ text }) => text)
        .join(""),
  },
];

/** A block as text; a picture is named, since no text shows it. */
function line(block: Block, link: (block: Block) => string = () => ""): string {
  if (isPicture(block)) return pictureText(block.mimeType);
  if (block.type === "resource_link") return link(block);
  return block.text ?? block.resource?.text ?? "";
}

/** How a picture is written down in a recording. */
export function pictureText(mimeType = "image/png"): string {
  return `[picture ${mimeType}]`;
}

function linkWithName({ name, uri, description }: Block): string {
  return `[Resource link: ${name}] ${uri}${description === undefined ? "" : ` (${description})`}`;
}

function linkAlone({ uri }: Block): string {
  return `[link ${uri}]`;
}

function lineOrJson(block: Block): string {
  return block.type === "text" || isPicture(block) ? line(block) : JSON.stringify(block);
}

function picturesLast(content: readonly Block[]): readonly Block[] {
  return [...content.filter((block) => !isPicture(block)), ...content.filter(isPicture)];
}

function jsonText(json: unknown): string {
  return json === undefined ? "" : JSON.stringify(json);
}

function joined(between: string, parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(between);
}

function isPicture({ type }: Block): boolean {
  return type === "image" || type === "audio";
}

function isTextual({ type }: Block): boolean {
  return type === "text" || type === "resource";
}

function isNoText(block: Block): boolean {
  return !isTextual(block);
}
