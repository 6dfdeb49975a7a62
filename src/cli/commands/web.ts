import { AppError, messageOf } from "../../base/errors.ts";
import { messageLineBytesMax } from "../../base/limits.ts";
import { LineFramer } from "../../server/transport/message-parser.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { withProgress } from "../progress.ts";
import { startUp } from "../start-up.ts";
import { readAll } from "../terminal-io.ts";

export const searchCommand: Command = {
  usage: "QUERY... [--json] | --engine NAME --from-file FILE [QUERY...] [--json]",
  description:
    "Searches the web as the tool WebSearch does. Exits with 1 when every engine failed. With --from-file it reads the saved\n" +
    "page of an engine and asks no engine; give the query of that page too, so that unrelated results are recognized.",
  flags: {
    engine: {
      kind: "text",
      placeholder: "NAME",
      help: "The engine that made the page in --from-file.",
    },
    "from-file": { kind: "text", placeholder: "FILE", help: "Read this saved page." },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: false,
  async run(context) {
    const { args } = context;
    const engine = args.text("engine");
    const file = args.text("from-file");
    if (engine !== undefined && file !== undefined) return readFrom(engine, file, context);
    if (engine !== undefined || file !== undefined) {
      throw new AppError(
        "usage",
        "--engine and --from-file must be given together: the engine, and its saved page.",
      );
    }
    return search(context);
  },
};

async function search(context: CommandContext): Promise<number> {
  const { args, io, print, services } = context;
  const query = args.positionals.join(" ");
  if (query.trim() === "") {
    throw new AppError("usage", "The query is missing. Usage: scorpiox-code search QUERY...");
  }
  const start = startUp(args, io, print);
  await using web = await services.openSearch(start);
  const reply = await withProgress(
    context,
    () => "Asking the search engines",
    () => web.search({ query }, io.interrupted),
  );
  const { isAllFailed, replyText } = await import("../../web/search/search-reply.ts");
  if (args.has("json")) print.json(reply);
  else print.content(replyText(reply));
  return isAllFailed(reply) ? exitCodes.failed : exitCodes.done;
}

async function readFrom(
  engine: string,
  file: string,
  { args, print }: CommandContext,
): Promise<number> {
  const { readSavedPage } = await import("../../web/search/saved-page.ts");
  const query = args.positionals.join(" ");
  const text = await textOf(file);
  const reading = await readSavedPage(engine, text, query === "" ? {} : { query });
  if (args.has("json")) {
    print.json(reading);
    return exitCodes.done;
  }
  const { state, results, note } = reading;
  print.line(
    `${engine}: ${state}, ${results.length} results${note === undefined ? "" : `; ${note}`}`,
  );
  for (const { title, url, snippet } of results) print.line(`\n${title}\n  ${url}\n  ${snippet}`);
  return exitCodes.done;
}

/** The file with its character set decoded, like a fetched page. */
async function textOf(file: string): Promise<string> {
  const { readAnswerText } = await import("../../web/search/ask-engine.ts");
  // As a stream: no more of it is read than of an answer, however much there is.
  const text = await readAnswerText(new Response(Bun.file(file).stream())).catch(
    (error: unknown) => {
      throw new AppError("not_found", `--from-file ${file} cannot be read: ${messageOf(error)}`);
    },
  );
  if (text !== undefined) return text;
  throw new AppError("limit", `--from-file ${file} is larger than 3 MB, the limit for a page.`);
}

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
  needsPerson: false,
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

/** A page of 10 MB is longer as JSON: every quote and line break in it takes two characters. */
export const jsonlLineBytesMax = 2 * messageLineBytesMax;

/** One line without its line break, or one that was too long to be kept. */
export type JsonlLine =
  { readonly kind: "line"; readonly text: string } | { readonly kind: "too-long" };

/** Cuts `input` into lines in bounded memory; empty lines are left out. */
export async function* jsonlLines(
  input: AsyncIterable<Uint8Array>,
  lineBytesMax: number = jsonlLineBytesMax,
): AsyncGenerator<JsonlLine> {
  const framer = new LineFramer(lineBytesMax);
  for await (const chunk of input) yield* linesOf(framer.push(chunk));
  yield* linesOf(framer.end());
}

function* linesOf(pieces: ReturnType<LineFramer["push"]>): Generator<JsonlLine> {
  for (const piece of pieces) {
    if (piece.kind === "line-too-long") {
      yield { kind: "too-long" };
      continue;
    }
    const text = new TextDecoder().decode(piece.bytes);
    for (const line of text.split("\n")) {
      if (line.trim() !== "") yield { kind: "line", text: line };
    }
  }
}
