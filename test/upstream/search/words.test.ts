import { describe, expect, test } from "bun:test";

import { stem, wordsOf } from "../../../src/upstream/search/words.ts";

describe("wordsOf", () => {
  test.each([
    ["create_pull-request.now/then", ["create", "pull", "request", "now", "then"]],
    ["getHTTPResponseCode", ["get", "http", "response", "code"]],
    ["listS3Buckets2", ["list", "s3", "buckets2"]],
    ["What's the repo's URL?", ["what", "the", "repo", "url"]],
    ["Größe ändern", ["größe", "ändern"]],
    ["ﬁle", ["file"]],
    ["搜索文件", ["搜索", "索文", "文件"]],
    ["", []],
    ["🙂 __ --", []],
  ])("%p", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });
});

describe("stem: forms of a word are the same", () => {
  test.each([
    ["issue", "issues"],
    ["file", "files"],
    ["create", "creates", "created", "creating", "creation"],
    ["delete", "deleting", "deletion"],
    ["query", "queries"],
    ["run", "running"],
    ["search", "searches", "searching"],
    ["box", "boxes"],
    ["directory", "directories"],
    ["navigate", "navigation"],
    ["merge", "merging"],
  ])("%s", (...words) => {
    expect(new Set(words.map((word) => stem(String(word)))).size).toBe(1);
  });

  test.each([["status"], ["access"], ["s3"], ["dns"], ["bus"], ["url"], ["ring"], ["größen"]])(
    "leaves %s",
    (word) => {
      expect(stem(word)).toBe(word);
    },
  );

  test.each([
    ["list", "last"],
    ["post", "port"],
    ["page", "pag3"],
    ["user", "use"],
  ])("%s and %s stay two", (a, b) => {
    expect(stem(a)).not.toBe(stem(b));
  });
});
