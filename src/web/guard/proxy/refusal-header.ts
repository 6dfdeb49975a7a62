/** Marks a 403 as the guard's own; taken out of what servers answer. */
export const refusalHeader = "x-scorpiox-refused";
