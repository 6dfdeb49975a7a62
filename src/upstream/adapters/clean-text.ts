/**
 * What a terminal takes as an order, whole: OSC, DCS, SOS, PM and APC with their text, CSI with its parameters, other
 * escapes. No text of one goes over a line end or the start of the next, so that the work grows with the length only.
 */
const sequences =
  // eslint-disable-next-line no-control-regex -- naming control characters is the purpose
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n\u0007\u001b\u0090\u0098\u009b-\u009f]*(?:\u0007|\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

/** C0 but tab and newline, DEL, C1. */
// eslint-disable-next-line no-control-regex -- naming control characters is the purpose
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

// eslint-disable-next-line no-control-regex -- naming control characters is the purpose
const suspects = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

/**
 * Text of another server without what is not text: escape sequences, controls but tab and newline, halves of
 * characters (CA15). A line end of Windows becomes a newline.
 */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!suspects.test(whole)) return whole;
  return whole.replaceAll(sequences, "").replaceAll(controls, "");
}
