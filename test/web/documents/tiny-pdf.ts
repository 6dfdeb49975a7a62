import { constants, deflateRawSync } from "node:zlib";

/** Lines of text, or a content stream that is packed already (each character one byte). */
type PdfPage = readonly string[] | { readonly packed: string };

/** A PDF with a page for each list of lines. */
export function tinyPdf(
  pages: readonly PdfPage[],
  options: { title?: string; isEncrypted?: boolean } = {},
): Uint8Array {
  const kids = pages.map((_, index) => `${5 + index * 2} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    `<< /Title (${options.title ?? ""}) >>`,
    ...pages.flatMap((page, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Resources << /Font << /F1 3 0 R >> >> /Contents ${6 + index * 2} 0 R >>`,
      stream(page),
    ]),
  ];
  const secret = `<${"41".repeat(32)}>`;
  if (options.isEncrypted === true) {
    objects.push(`<< /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O ${secret} /U ${secret} >>`);
  }
  let file = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const encrypt =
    options.isEncrypted === true ? `/Encrypt ${objects.length} 0 R /ID [<41> <41>]` : "";
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${encrypt} >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, "latin1"));
}

function stream(page: PdfPage): string {
  if ("packed" in page) {
    return `<< /Length ${page.packed.length} /Filter /FlateDecode >>\nstream\n${page.packed}\nendstream`;
  }
  const shown = page.map((line) => `(${line}) Tj 0 -14 Td`).join(" ");
  const content = `BT /F1 12 Tf 20 280 Td ${shown} ET`;
  return `<< /Length ${content.length} >>\nstream\n${content}\nendstream`;
}

/** A page whose content unpacks to `megabytes`: one packed piece, over and over. */
export function pdfBomb(megabytes: number): Uint8Array {
  const piece = deflateRawSync(Buffer.alloc(1024 * 1024, " "), {
    finishFlush: constants.Z_FULL_FLUSH,
  }).toString("latin1");
  return tinyPdf([{ packed: `\x78\x9c${piece.repeat(megabytes)}\x03\x00` }]);
}
