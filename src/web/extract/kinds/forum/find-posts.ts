import { isTag } from "domhandler";
import type { ChildNode } from "domhandler";

import type { HtmlElement } from "../../../dom/parse-html.ts";
import { matchesPattern } from "../element-pattern.ts";
import type { ElementPattern } from "../element-pattern.ts";
import { isHiddenByClass } from "../is-furniture.ts";
import { authorMark, dateMark } from "./post-marks.ts";
import type { Mark } from "./post-marks.ts";
import type { Post } from "./post.ts";

/** The elements that a walk looks for. */
export interface PostRules {
  isPost(element: HtmlElement): boolean;
  isBody(element: HtmlElement): boolean;
  readonly author: readonly ElementPattern[];
  readonly date: readonly ElementPattern[];
}

interface Draft {
  readonly element: HtmlElement;
  body: HtmlElement | undefined;
  author: Mark | undefined;
  date: Mark | undefined;
}

/**
 * The posts below `root` in the order of the document. Posts may be nested, as answers are in trees of comments: the
 * content of an inner one does not belong to the outer one. A post without a body is ignored.
 */
export function findPosts(root: HtmlElement, rules: PostRules): Post[] {
  const drafts: Draft[] = [];
  const waiting: { node: ChildNode; draft: Draft | undefined }[] = [
    { node: root, draft: undefined },
  ];
  for (let top = waiting.pop(); top !== undefined; top = waiting.pop()) {
    const { node } = top;
    if (!isTag(node) || isHiddenByClass(node)) continue;
    const draft = rules.isPost(node) ? startDraft(node, drafts) : top.draft;
    if (draft !== undefined) {
      if (draft.body === undefined && rules.isBody(node)) {
        draft.body = node;
        continue;
      }
      draft.author = authorMark(node, rules.author, draft.author);
      draft.date = dateMark(node, rules.date, draft.date);
    }
    for (let index = node.children.length - 1; index >= 0; index--) {
      const child = node.children[index];
      if (child !== undefined) waiting.push({ node: child, draft });
    }
  }
  return drafts.flatMap((draft) => finish(draft));
}

function startDraft(element: HtmlElement, drafts: Draft[]): Draft {
  const draft = { element, body: undefined, author: undefined, date: undefined };
  drafts.push(draft);
  return draft;
}

function finish({ element, body, author, date }: Draft): Post[] {
  if (body === undefined) return [];
  const named = element.attribs["data-author"] ?? element.attribs["author"];
  return [{ element, body, author: author?.text ?? named ?? "", date: date?.text ?? "" }];
}

export function matchesAny(element: HtmlElement, patterns: readonly ElementPattern[]): boolean {
  return patterns.some((pattern) => matchesPattern(element, pattern));
}
