/** How files of one type begin. */
export interface TypeSignature {
  readonly type: string;
  /** From the first byte of the file; `undefined` matches any byte. */
  readonly bytes: readonly (number | undefined)[];
  /** Many types are made of it (a docx is a zip): the server's file name says more. */
  readonly isContainer?: true;
}

const ascii = (text: string): number[] => [...Buffer.from(text, "latin1")];
const any = (count: number): undefined[] => Array.from({ length: count }, () => undefined);

/** Of files that are not text. From the registrations of their formats and the MIME Sniffing standard. */
export const typeSignatures: readonly TypeSignature[] = [
  { type: "image/png", bytes: [0x89, ...ascii("PNG\r\n"), 0x1a, 0x0a] },
  { type: "image/jpeg", bytes: [0xff, 0xd8, 0xff] },
  { type: "image/gif", bytes: ascii("GIF87a") },
  { type: "image/gif", bytes: ascii("GIF89a") },
  { type: "image/webp", bytes: [...ascii("RIFF"), ...any(4), ...ascii("WEBP")] },
  { type: "image/avif", bytes: [...any(4), ...ascii("ftypavif")] },
  { type: "image/heic", bytes: [...any(4), ...ascii("ftyphei")] },
  { type: "image/heic", bytes: [...any(4), ...ascii("ftypmif1")] },
  { type: "image/bmp", bytes: ascii("BM") },
  { type: "image/x-icon", bytes: [0, 0, 1, 0] },
  { type: "image/tiff", bytes: [...ascii("II*"), 0] },
  { type: "image/tiff", bytes: [...ascii("MM"), 0, 0x2a] },
  { type: "image/jxl", bytes: [0xff, 0x0a] },
  { type: "video/mp4", bytes: [...any(4), ...ascii("ftyp")] },
  { type: "video/webm", bytes: [0x1a, 0x45, 0xdf, 0xa3], isContainer: true },
  { type: "video/x-msvideo", bytes: [...ascii("RIFF"), ...any(4), ...ascii("AVI ")] },
  { type: "audio/wav", bytes: [...ascii("RIFF"), ...any(4), ...ascii("WAVE")] },
  { type: "audio/mpeg", bytes: ascii("ID3") },
  { type: "audio/mpeg", bytes: [0xff, 0xfb] },
  { type: "audio/flac", bytes: ascii("fLaC") },
  { type: "application/ogg", bytes: ascii("OggS"), isContainer: true },
  { type: "font/woff", bytes: ascii("wOFF") },
  { type: "font/woff2", bytes: ascii("wOF2") },
  { type: "font/otf", bytes: ascii("OTTO") },
  { type: "font/ttf", bytes: [0, 1, 0, 0] },
  { type: "application/zip", bytes: [...ascii("PK"), 3, 4], isContainer: true },
  { type: "application/zip", bytes: [...ascii("PK"), 5, 6], isContainer: true },
  { type: "application/gzip", bytes: [0x1f, 0x8b], isContainer: true },
  { type: "application/x-bzip2", bytes: ascii("BZh"), isContainer: true },
  { type: "application/x-xz", bytes: [0xfd, ...ascii("7zXZ"), 0], isContainer: true },
  { type: "application/zstd", bytes: [0x28, 0xb5, 0x2f, 0xfd], isContainer: true },
  { type: "application/x-7z-compressed", bytes: [...ascii("7z"), 0xbc, 0xaf, 0x27, 0x1c] },
  { type: "application/vnd.rar", bytes: [...ascii("Rar!"), 0x1a, 0x07] },
  {
    type: "application/x-ole-storage",
    bytes: [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1],
    isContainer: true,
  },
  { type: "application/vnd.sqlite3", bytes: [...ascii("SQLite format 3"), 0] },
  { type: "application/wasm", bytes: [0, ...ascii("asm")] },
  { type: "application/x-elf", bytes: [0x7f, ...ascii("ELF")] },
  { type: "application/vnd.microsoft.portable-executable", bytes: ascii("MZ") },
  { type: "application/x-mach-binary", bytes: [0xcf, 0xfa, 0xed, 0xfe] },
];

/** The first that fits. */
export function signatureOf(bytes: Uint8Array): TypeSignature | undefined {
  return typeSignatures.find((signature) =>
    signature.bytes.every((byte, at) => byte === undefined || byte === bytes[at]),
  );
}
