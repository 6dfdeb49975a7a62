const clearCode = 256;
const endCode = 257;
const firstFree = 258;
const codesMax = 4_096;
const widthMin = 9;
const widthMax = 12;

/**
 * Unfolds LZW as TIFF 6.0 (section 13) has it. Ends with the input, with an invalid code, or when `bytesMax` bytes are
 * there. The library's own follows damaged tables in circles.
 */
export function unfoldLzw(input: Uint8Array, bytesMax: number): Uint8Array {
  const out = new Uint8Array(bytesMax);
  /** The place in `out` and the length of each code. */
  const starts = new Uint32Array(codesMax);
  const lengths = new Uint32Array(codesMax);
  let filled = 0;
  let free = firstFree;
  let width = widthMin;
  let held = 0;
  let heldBits = 0;
  let previous: { readonly start: number; readonly length: number } | undefined;
  for (const byte of input) {
    held = ((held << 8) | byte) & 0xff_ffff;
    heldBits += 8;
    if (heldBits < width) continue;
    heldBits -= width;
    const code = (held >>> heldBits) & ((1 << width) - 1);
    if (code === endCode || filled >= bytesMax) break;
    if (code === clearCode) {
      free = firstFree;
      width = widthMin;
      previous = undefined;
      continue;
    }
    const start = filled;
    if (code < clearCode) {
      out[filled++] = code;
    } else {
      // The code that is made just now is the one before, and its first byte again.
      const isNew = code === free && previous !== undefined;
      if (code >= free && !isNew) break;
      const from = isNew ? (previous?.start ?? 0) : (starts[code] ?? 0);
      const length = isNew ? (previous?.length ?? 0) + 1 : (lengths[code] ?? 0);
      for (let at = 0; at < length && filled < bytesMax; at++) out[filled++] = out[from + at] ?? 0;
    }
    if (previous !== undefined && free < codesMax) {
      starts[free] = previous.start;
      lengths[free] = previous.length + 1;
      free++;
      // Wider one code early, as the format has it.
      if (free + 1 >= 1 << width && width < widthMax) width++;
    }
    previous = { start, length: filled - start };
  }
  return out.subarray(0, filled);
}
