/**
 * A value that is already JSON text: what passes it on splices it in and neither parses nor prints it again. For what
 * is large and not looked at on the way, such as a page of ten megabytes, which would hold its thread for 50 ms.
 */
export class JsonText {
  constructor(readonly json: string) {}
}
