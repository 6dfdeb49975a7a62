import { latin1 } from "./image-format.ts";

/** Magic bytes of files that are not images, and the name of each kind. */
const kinds: readonly (readonly [offset: number, start: string, name: string])[] = [
  [0, "%PDF-", "a PDF document"],
  [0, "PK\x03\x04", "a ZIP archive or an Office document"],
  [0, "\x1f\x8b", "gzip data"],
  [0, "BZh", "bzip2 data"],
  [0, "\xfd7zXZ\0", "xz data"],
  [0, "(\xb5/\xfd", "zstd data"],
  [0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"],
  [0, "Rar!", "a RAR archive"],
  [257, "ustar", "a tar archive"],
  [0, "\x7fELF", "a Linux program"],
  [0, "MZ", "a Windows program"],
  [0, "\xcf\xfa\xed\xfe", "a macOS program"],
  [0, "\xca\xfe\xba\xbe", "a macOS program or a Java class"],
  [0, "\0asm", "a WebAssembly module"],
  [0, "SQLite format 3\0", "an SQLite database"],
  [0, "ID3", "MP3 audio"],
  [0, "fLaC", "FLAC audio"],
  [0, "OggS", "Ogg audio or video"],
  [4, "ftyp", "MP4 or QuickTime video"],
  [0, "\x1aE\xdf\xa3", "Matroska or WebM video"],
  [0, "RIFF", "WAV audio or AVI video"],
  [0, "8BPS", "a Photoshop document"],
  [0, "%!PS", "a PostScript document"],
  [0, "\xffO\xffQ", "a JPEG 2000 image"],
  [0, "\0\0\0\x0cjP  ", "a JPEG 2000 image"],
  [0, "\xff\x0a", "a JPEG XL image"],
  [0, "\0\0\0\x0cJXL ", "a JPEG XL image"],
  [0, "P4\n", "a Netpbm image"],
  [0, "P5\n", "a Netpbm image"],
  [0, "P6\n", "a Netpbm image"],
  [0, "\0\0\x02\0", "a Windows cursor"],
];

/** The kind of a file that is not a known image, as the end of "its content is …"; none of its content is shown. */
export function describeFileKind(bytes: Uint8Array): string {
  if (bytes.length === 0) return "empty";
  const known = kinds.find(([offset, start]) => latin1(bytes, offset, start.length) === start);
  if (known !== undefined) return known[2];
  return isText(bytes) ? describeText(bytes) : "binary data of an unknown kind";
}

function describeText(bytes: Uint8Array): string {
  const start = new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().toLowerCase();
  if (start.startsWith("<!doctype html") || start.startsWith("<html")) return "an HTML page";
  if (start.startsWith("<?xml")) return "an XML document";
  if (start.startsWith("{") || start.startsWith("[")) return "text, probably JSON";
  return "text";
}

const textBytesLooked = 4_096;

/** Without NUL and with few other control characters. */
function isText(bytes: Uint8Array): boolean {
  const looked = bytes.subarray(0, textBytesLooked);
  let controls = 0;
  for (const byte of looked) {
    if (byte === 0) return false;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 13 && byte !== 27) controls++;
  }
  return controls * 50 <= looked.length;
}
