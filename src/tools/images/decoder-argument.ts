/** The hidden argument that makes this program the decoding process. */
export const decoderArgument = "__decode-image";
