import { AppError, messageOf } from "../../base/errors.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonlLineBytesMax, jsonlLines } from "../jsonl-lines.ts";
import { readAll } from "../read-all.ts";

/** More than any page that is fetched: 10 MB. */
const pageBytesMax = 32 * 1024 * 1024;
/** Base of the links in a page without `--url`; reserved by RFC 2606. */
const unknownUrl = "https://page.invalid/";

type Format = "markdown" | "text" | "html";

export const extractCommand: Command = {
  usage: "[--format markdown|text|html] [--url BASE] [--jsonl]",
  description:
    "Reads HTML on stdin and prints the content of the page, without its navigation and advertisements.\n" +
    'With --jsonl each line of stdin is {"id", "url", "html"} and is answered with one line:\n' +
    '{"id", "output"}, or {"id", "error"} for a line that cannot be used.',
  flags: {
    format: {
      kind: "text",
      choices: ["markdown", "text", "html"],
      help: "What to print. Default: markdown.",
    },
    url: {
      kind: "text",
      placeholder: "BASE",
      help: "The URL of the page: links are resolved against it.",
    },
    jsonl: { kind: "switch", help: "Read and write one JSON object per line, until stdin ends." },
  },
  arguments: { min: 0, max: 0 },
  async run(context) {
    const { args, io, print } = context;
    const format = formatOf(args.text("format"));
    const url = checkUrl(args.text("url"));
    if (args.has("jsonl")) return await extractLines(context, format, url);
    const bytes = await readAll(io.stdin, pageBytesMax, "the page on stdin");
    print.content(await extract(new TextDecoder().decode(bytes), url, format));
    return exitCodes.done;
  },
};

function formatOf(written: string | undefined): Format {
  return written === "text" || written === "html" ? written : "markdown";
}

function checkUrl(written: string | undefined): string {
  if (written === undefined) return unknownUrl;
  const url = URL.parse(written);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new AppError(
    "usage",
    `--url ${written} is not the URL of a page: it must begin with http:// or https://.`,
  );
}

async function extract(html: string, url: string, format: Format): Promise<string> {
  const { extractPage } = await import("../../web/extract/extract-page.ts");
  const extraction = await extractPage(html, url);
  switch (format) {
    case "markdown":
      return (await import("../../web/markdown/to-markdown.ts")).toMarkdown(extraction);
    case "text":
      return (await import("../../web/markdown/to-markdown.ts")).toPlainText(extraction);
    case "html":
      return (await import("../../web/markdown/to-clean-html.ts")).toCleanHtml(extraction);
  }
}

async function extractLines({ io }: CommandContext, format: Format, url: string): Promise<number> {
  for await (const line of jsonlLines(io.stdin)) {
    const reply =
      line.kind === "line"
        ? await replyTo(line.text, format, url)
        : { id: null, error: `The line is longer than ${jsonlLineBytesMax} bytes.` };
    io.stdout.write(`${JSON.stringify(reply)}\n`);
    if (io.interrupted.aborted) return exitCodes.failed;
  }
  return exitCodes.done;
}

async function replyTo(line: string, format: Format, url: string): Promise<object> {
  let id: unknown = null;
  try {
    const request: unknown = JSON.parse(line);
    if (typeof request !== "object" || request === null) throw notARequest(request);
    id = ("id" in request ? request.id : undefined) ?? null;
    if (!("html" in request) || typeof request.html !== "string") throw notARequest(request);
    const own = "url" in request && typeof request.url === "string" ? request.url : undefined;
    return {
      id,
      output: await extract(request.html, own === undefined ? url : checkUrl(own), format),
    };
  } catch (error) {
    return { id, error: messageOf(error) };
  }
}

function notARequest(value: unknown): AppError {
  const shown = JSON.stringify(value)?.slice(0, 100) ?? "";
  return new AppError("usage", `The line is not {"id", "url", "html"}: ${shown}`);
}
