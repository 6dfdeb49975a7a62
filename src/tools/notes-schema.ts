import * as z from "zod/mini";

/**
 * What a result says besides its data, a sentence or a line each: of the tool, and at the end of the gate (callbacks
 * that fired, skills to be loaded, warnings of hooks). In the output of each tool with `answersInJson`.
 */
export const notesSchema = z.optional(z.array(z.string()));
