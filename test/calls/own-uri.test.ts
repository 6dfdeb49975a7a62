import { describe, expect, test } from "bun:test";
import { backgroundUri, readOwnUri, resultPageUri } from "../../src/calls/own-uri.ts";

describe("readOwnUri()", () => {
  test.each([1, 42, 999_999_999])("reads what backgroundUri(%d) writes", (taskId) => {
    expect(readOwnUri(backgroundUri(taskId))).toEqual({ kind: "background", taskId });
  });

  test("reads the id of a result", () => {
    const id = "mi7x2k1a-0123456789abcdef";
    expect(readOwnUri(`scorpiox://results/${id}`)).toEqual({ kind: "result", id });
    expect(readOwnUri(resultPageUri(id, 12))).toEqual({ kind: "result", id, page: 12 });
  });

  test.each([
    "scorpiox://background/",
    "scorpiox://background/0",
    "scorpiox://background/01",
    "scorpiox://background/+1",
    "scorpiox://background/1.0",
    "scorpiox://background/1/",
    "scorpiox://background/1?x",
    "scorpiox://background/%31",
    "scorpiox://background/1234567890",
    "scorpiox://background/-1",
    "SCORPIOX://background/1",
    "scorpiox://results/",
    "scorpiox://results/a/b",
    "scorpiox://results/a/",
    "scorpiox://results/a/0",
    "scorpiox://results/a/01",
    "scorpiox://results/a/1/1",
    "scorpiox://results/a/1234567890",
    "scorpiox://results/a.txt",
    "scorpiox://results/..",
    "scorpiox://results/%2e%2e",
    "scorpiox://results/A",
    "scorpiox://other/1",
    "file:///1",
    "",
  ])("%j is none of ours", (uri) => {
    expect(readOwnUri(uri)).toBeUndefined();
  });
});
