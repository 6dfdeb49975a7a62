/** The hidden argument that makes this program the process that hunts for the guardian. */
export const huntArgument = "__hunt-marked";
