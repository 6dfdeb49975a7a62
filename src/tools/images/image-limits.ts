/** A larger file is refused before it is read. */
export const imageFileBytesMax = 100_000_000;
/** A larger picture is refused by its header: 100 megapixels are 400 MB when decoded. */
export const imagePixelsMax = 100_000_000;
/** Clients and models scale anything larger down themselves, and charge for it (docs/images.md#which-files). */
export const imageLongEdgeMax = 1_568;
/** As base64 it stays below the 1 MB that a result may have in images. */
export const imageResultBytesMax = 700_000;
/** A path of this length is a mistake; the systems' own limits are lower. */
export const imagePathCharsMax = 4_096;
