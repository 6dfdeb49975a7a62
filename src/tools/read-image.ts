import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import * as z from "zod/mini";

import { formatCount } from "../base/cut-text.ts";
import { AppError, messageOf } from "../base/errors.ts";
import { type ImageFile, readImageFile, shownPath } from "./images/image-file.ts";
import {
  formatNames,
  imageFileBytesMax,
  imageLongEdgeMax,
  imagePathCharsMax,
  imageResultBytesMax,
  isPassedOn,
  passedOnTypes,
} from "./images/image-format.ts";
import { assertSound, detectOrRefuse, inspectImage } from "./images/inspect-image.ts";
import { defineTool, type ToolContext, type ToolOutput } from "./tool.ts";
import type { ConvertedImage } from "./web-services.ts";

/**
 * The absolute path that `text` (a path or a `file://` URL) means.
 * @param workspaceFolder the folder against which a relative path is resolved
 * @throws AppError `usage` when it is not a path
 */
export function resolveImagePath(text: string, workspaceFolder: string): string {
  if (text.trim() === "")
    throw new AppError("usage", "`file_path` is empty. Give an absolute path.");
  if (text.includes("\0")) throw new AppError("usage", "`file_path` contains a NUL character.");
  if (text.length > imagePathCharsMax) {
    throw new AppError(
      "usage",
      `\`file_path\` has ${text.length} characters; the limit is ${imagePathCharsMax}.`,
    );
  }
  const path = /^file:/i.test(text) ? pathOfUrl(text) : text;
  if (/^(?:https?|data|ftp):/i.test(path)) {
    throw new AppError(
      "usage",
      "ReadImage reads files. Download the image first, for example with Bash and curl, and pass its path.",
    );
  }
  return isAbsolute(path) ? path : resolve(workspaceFolder, path);
}

function pathOfUrl(text: string): string {
  try {
    const path = fileURLToPath(text);
    if (path.includes("\0")) throw new Error("it contains a NUL character");
    return path;
  } catch (error) {
    throw new AppError(
      "usage",
      `${text.slice(0, 200)} is not a URL of a local file: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

const input = z.strictObject({
  file_path: z.string().check(z.describe("Absolute path of the image file")),
});

const output = z.object({
  path: z.string(),
  format: z.string(),
  width: z.int(),
  height: z.int(),
  /** Size of the image in the result. */
  bytes: z.int(),
  changes: z.array(z.string()),
});

export const readImage = defineTool({
  name: "ReadImage",
  title: "Look at an image",
  description:
    "Shows an image file: PNG, JPEG, GIF, WebP; BMP, ICO, TIFF, AVIF and others are converted. " +
    "Large ones are scaled down to 1568 px.",
  input,
  output,
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ file_path: filePath }, context) {
    const { folder, isApart } = await context.workspace.place();
    const path = resolveImagePath(filePath, folder);
    if (isApart !== true) return show(path, context);
    const request = { path, bytesMax: imageFileBytesMax };
    const copy = await context.workspace.file(request);
    return namingOriginal({ copy, path }, () => show(copy, context, path));
  },
});

/** @param name the path that the client gave, where it is another */
async function show(
  path: string,
  { images }: Pick<ToolContext, "images">,
  name = path,
): Promise<ToolOutput<z.output<typeof output>>> {
  const file = readImageFile(path, imageResultBytesMax);
  const format = formatNames[detectOrRefuse(path, file.bytes)];
  const image = untouched(path, file) ?? (await images.convert({ path }));
  return resultOf(name, format, image);
}

/** The path of a copy means nothing to the client. */
async function namingOriginal<Value>(
  { copy, path }: { readonly copy: string; readonly path: string },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const message = error.message.replaceAll(shownPath(copy), () => shownPath(path));
    throw new AppError(error.code, message, { cause: error });
  }
}

/** The file as it is, when clients take it so. @throws AppError for damaged and oversized images */
function untouched(path: string, { size, bytes }: ImageFile): ConvertedImage | undefined {
  if (size > imageResultBytesMax) return undefined;
  const inspected = inspectImage(path, bytes);
  const { format, header } = inspected;
  const { width, height, isAnimated } = header;
  if (!isPassedOn(format) || Math.max(width, height) > imageLongEdgeMax) return undefined;
  assertSound(path, inspected, bytes);
  return {
    base64: Buffer.from(bytes).toString("base64"),
    mimeType: passedOnTypes[format],
    width,
    height,
    changes: isAnimated ? ["unchanged, animated"] : ["unchanged"],
  };
}

function resultOf(
  path: string,
  format: string,
  { base64, mimeType, width, height, changes }: ConvertedImage,
): ToolOutput<z.output<typeof output>> {
  const bytes = Buffer.byteLength(base64, "base64");
  const facts = [`${format} image`, `${width} × ${height} px`, `${formatCount(bytes)} bytes`];
  const text = `${shownPath(path)}: ${[...facts, ...changes].join(", ")}.`;
  return {
    text,
    structured: { path, format, width, height, bytes, changes: [...changes] },
    images: [{ type: "image", data: base64, mimeType }],
  };
}
