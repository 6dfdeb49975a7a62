import { isAbsolute, join } from "node:path";
import { existsSync } from "node:fs";

import { AppError } from "../../base/errors.ts";
import { detectImageFormat } from "../image-format.ts";
import type { ImageHeader } from "../image-header.ts";
import { imageLongEdgeMax } from "../image-limits.ts";

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

/**
 * Renders an SVG with a program of this system.
 * @param searchPath folders to look for one in, as in `PATH`
 * @throws AppError `unsupported` when there is none, `refused` for a document that defines entities, `usage` when it fails
 */
export async function renderSvg(
  path: string,
  bytes: Uint8Array,
  header: ImageHeader,
  searchPath: string,
): Promise<Uint8Array> {
  const text = new TextDecoder().decode(bytes);
  // Entities read files of the machine or unfold to gigabytes; no drawing program writes them into what it exports.
  if (/<!ENTITY/i.test(text)) {
    throw new AppError(
      "refused",
      `${path} is an SVG that defines entities, which is not rendered. Remove its DOCTYPE.`,
    );
  }
  const found = renderers.flatMap(({ program, args }) => {
    const file = findProgram(program, searchPath);
    return file === undefined ? [] : [{ file, args }];
  })[0];
  if (found === undefined) {
    throw new AppError(
      "unsupported",
      `${path} is an SVG image, and no renderer was found (${renderers.map(({ program }) => program).join(", ")}). ` +
        `Install one, or read it as text.`,
    );
  }
  const edge = Math.min(imageLongEdgeMax, Math.max(header.width, header.height));
  const png = await runRenderer([found.file, ...found.args(edge)], withoutScripts(text));
  if (png !== undefined && detectImageFormat(png) === "png") return png;
  throw new AppError("usage", `${path} is an SVG image that ${found.file} could not render.`);
}

/** Scripts never run in these programs; what refers to elsewhere is taken out so that nothing is even looked for. */
function withoutScripts(svg: string): string {
  return svg
    .replaceAll(/<script\b[\s\S]*?(?:<\/script\s*>|\/>|$)/gi, "")
    .replaceAll(/\b(?:xlink:)?href\s*=\s*(["'])(?!#|data:image\/)[\s\S]*?\1/gi, "")
    .replaceAll(/@import[^;]*;?/gi, "")
    .replaceAll(/url\(\s*(["']?)(?!["']?\s*(?:#|data:image\/))[^)]*\)/gi, "none");
}

function findProgram(program: string, searchPath: string): string | undefined {
  const folders = searchPath.split(":").filter((folder) => isAbsolute(folder));
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

async function runRenderer(argv: string[], svg: string): Promise<Uint8Array | undefined> {
  const child = Bun.spawn(argv, {
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
