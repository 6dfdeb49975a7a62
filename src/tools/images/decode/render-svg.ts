import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

import { AppError, messageOf } from "../../../base/errors.ts";
import type { ImageHeader } from "../headers/image-header.ts";
import { shownPath } from "../image-file.ts";
import { decodeSvgText, detectImageFormat, imageLongEdgeMax } from "../image-format.ts";
import { safeSvg } from "./safe-svg.ts";

/** Programs that turn SVG from stdin into PNG on stdout, without a network and without running scripts. */
const renderers: readonly {
  readonly program: string;
  readonly args: (edge: number) => string[];
}[] = [
  {
    program: "rsvg-convert",
    args: (edge) => ["--format=png", "--keep-aspect-ratio", `--width=${edge}`, `--height=${edge}`],
  },
  { program: "resvg", args: (edge) => [`--width=${edge}`, "-", "-c"] },
  {
    program: "inkscape",
    args: (edge) => [
      "--pipe",
      "--export-type=png",
      "--export-filename=-",
      `--export-width=${edge}`,
    ],
  },
];

const renderMsMax = 8_000;
const renderedBytesMax = 32_000_000;
/** Renderers build a tree of some 50 times the text. */
const svgBytesMax = 10_000_000;
/** Address space of a renderer: its structures for 10 MB of text, with the libraries that it maps. */
const rendererKilobytesMax = 3_000_000;

/**
 * Renders an SVG with a program of this system.
 * @param searchPath folders to look for one in, as in `PATH`
 * @throws AppError `unsupported` when there is none, `refused` for a document that defines entities, `limit` above 10 MB,
 * `usage` when it fails
 */
export async function renderSvg(
  path: string,
  bytes: Uint8Array,
  header: ImageHeader,
  searchPath: string,
): Promise<Uint8Array> {
  const text = drawingOnly(path, bytes);
  const found = renderers.flatMap(({ program, args }) => {
    const file = findProgram(program, searchPath);
    return file === undefined ? [] : [{ file, args }];
  })[0];
  if (found === undefined) {
    throw new AppError(
      "unsupported",
      `${shownPath(path)} is an SVG image, and no renderer was found (${renderers.map(({ program }) => program).join(", ")}). ` +
        `Install one, or read it as text.`,
    );
  }
  const edge = Math.min(imageLongEdgeMax, Math.max(header.width, header.height));
  const png = await runRenderer([found.file, ...found.args(edge)], text);
  if (png !== undefined && detectImageFormat(png) === "png") return png;
  throw new AppError(
    "usage",
    `${shownPath(path)} is an SVG image that ${found.file} could not render.`,
  );
}

/** The parts of the document that only draw, see `safeSvg`. */
function drawingOnly(path: string, bytes: Uint8Array): string {
  if (bytes.length > svgBytesMax) {
    throw new AppError(
      "limit",
      `${shownPath(path)} is an SVG of ${Math.floor(bytes.length / 1e6)} MB; ReadImage renders at most ${svgBytesMax / 1e6} MB.`,
    );
  }
  const text = decodeSvgText(bytes);
  if (text === undefined) {
    throw new AppError(
      "usage",
      `${shownPath(path)} is an SVG in an unknown encoding. Save it as UTF-8.`,
    );
  }
  // Entities read files of the machine or unfold to gigabytes.
  const safe = wellFormed(path, text);
  if (safe !== undefined) return safe;
  throw new AppError(
    "refused",
    `${shownPath(path)} is an SVG that defines entities, which ReadImage does not render. Replace each entity with its text.`,
  );
}

function wellFormed(path: string, text: string): string | undefined {
  try {
    return safeSvg(text);
  } catch (error) {
    throw new AppError(
      "usage",
      `${shownPath(path)} is an SVG that is not well-formed: ${messageOf(error)}.`,
      {
        cause: error,
      },
    );
  }
}

function findProgram(program: string, searchPath: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => isAbsolute(folder));
  const file = process.platform === "win32" ? `${program}.exe` : program;
  return folders.map((folder) => join(folder, file)).find((one) => existsSync(one));
}

async function runRenderer(argv: string[], svg: string): Promise<Uint8Array | undefined> {
  const child = Bun.spawn(withinMemory(argv), {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: "/nonexistent" },
    stdin: new TextEncoder().encode(svg),
    stdout: "pipe",
    stderr: "ignore",
    timeout: renderMsMax,
    killSignal: "SIGKILL",
  });
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of child.stdout) {
    total += chunk.length;
    if (total > renderedBytesMax) child.kill("SIGKILL");
    else chunks.push(chunk);
  }
  return (await child.exited) === 0 && total <= renderedBytesMax
    ? Buffer.concat(chunks)
    : undefined;
}

/** Under a shell that bounds the memory, where systems have that; the shell is replaced by the program. */
function withinMemory(argv: readonly string[]): string[] {
  if (process.platform === "win32") return [...argv];
  const script = `ulimit -v ${rendererKilobytesMax} 2>/dev/null; exec "$@"`;
  return ["/bin/sh", "-c", script, "sh", ...argv];
}
