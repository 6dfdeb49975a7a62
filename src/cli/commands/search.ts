import { AppError, messageOf } from "../../base/errors.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import { startUp, startUpFlags } from "../start-up.ts";

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

async function search({ args, io, print, services }: CommandContext): Promise<number> {
  const query = args.positionals.join(" ");
  if (query.trim() === "") {
    throw new AppError("usage", "The query is missing. Usage: scorpiox-code search QUERY...");
  }
  const start = startUp(args, io, print);
  await using web = await services.openSearch(start);
  const reply = await web.search({ query }, io.interrupted);
  const { isAllFailed, replyText } = await import("../../web/search/reply-text.ts");
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
  const { readAnswerText } = await import("../../web/search/read-answer-text.ts");
  // As a stream: no more of it is read than of an answer, however much there is.
  const text = await readAnswerText(new Response(Bun.file(file).stream())).catch(
    (error: unknown) => {
      throw new AppError("not_found", `--from-file ${file} cannot be read: ${messageOf(error)}`);
    },
  );
  if (text !== undefined) return text;
  throw new AppError("limit", `--from-file ${file} is larger than 3 MB, the limit for a page.`);
}
