/** A page as the library has it: the values of each tag under `t` and its number. */
export type TiffPage = Record<string, number[] | Uint8Array>;

/** Bytes of a value: byte, short, long, and bytes of no type. */
const valueBytes: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [3, 2],
  [4, 4],
  [7, 1],
]);
const entriesMax = 4_096;
const valuesMax = 1_000_000;

/**
 * The first page of a TIFF: the tags about its pixels, without its metadata. The library's own reader follows pages in
 * circles, and makes lists of any length that the file gives.
 * @throws RangeError when it is not whole
 */
export function readTiffPage(file: DataView): TiffPage {
  const isLittle = file.getUint16(0) === 0x4949;
  const directory = file.getUint32(4, isLittle);
  const count = Math.min(file.getUint16(directory, isLittle), entriesMax);
  const page: TiffPage = {};
  for (let index = 0; index < count; index++) {
    const entry = directory + 2 + index * 12;
    const values = readValues(file, entry, isLittle);
    if (values !== undefined) page[`t${file.getUint16(entry, isLittle)}`] = values;
  }
  return page;
}

function readValues(
  file: DataView,
  entry: number,
  isLittle: boolean,
): number[] | Uint8Array | undefined {
  const type = file.getUint16(entry + 2, isLittle);
  const count = file.getUint32(entry + 4, isLittle);
  const each = valueBytes.get(type);
  if (each === undefined || count === 0) return undefined;
  const at = count * each <= 4 ? entry + 8 : file.getUint32(entry + 8, isLittle);
  if (at + count * each > file.byteLength) return undefined;
  if (each === 1) return new Uint8Array(file.buffer, file.byteOffset + at, count);
  return Array.from({ length: Math.min(count, valuesMax) }, (_, index) =>
    each === 2
      ? file.getUint16(at + index * 2, isLittle)
      : file.getUint32(at + index * 4, isLittle),
  );
}

/** The first value of a tag. */
export function numberOf(page: TiffPage, tag: number): number | undefined {
  return numbersOf(page, tag)[0];
}

/** The values of a tag; none for one that is not there. */
export function numbersOf(page: TiffPage, tag: number): number[] {
  const values = page[`t${tag}`];
  return Array.isArray(values) ? values.filter((value) => typeof value === "number") : [];
}
