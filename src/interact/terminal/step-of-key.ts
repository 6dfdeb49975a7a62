/**
 * How many rows a key moves up (negative) or down; undefined for keys that do not move.
 * @param pageRows rows of the window
 * @param countRows at least as many as there are: so far the ends are
 */
export function stepOfKey(name: string, pageRows: number, countRows: number): number | undefined {
  switch (name) {
    case "up":
    case "k":
      return -1;
    case "down":
    case "j":
      return 1;
    case "pageup":
      return -pageRows;
    case "pagedown":
      return pageRows;
    case "home":
    case "g":
      return -countRows;
    case "end":
    case "G":
      return countRows;
    default:
      return undefined;
  }
}
