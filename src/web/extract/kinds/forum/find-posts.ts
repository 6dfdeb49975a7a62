import { type ChildNode, isTag, isText } from "domhandler";
import { type HtmlElement, walkElements } from "../../../dom/parse-html.ts";
import { classTokens, type ElementPattern, matchesPattern } from "../element-pattern.ts";
import { isHiddenByClass } from "../furniture.ts";
import { findNear, shortLine } from "../short-text.ts";

/** A post of a thread as it was found in a page; nothing is copied yet. */
export interface Post {
  readonly element: HtmlElement;
  readonly body: HtmlElement;
  /** Empty when the page does not say. */
  readonly author: string;
  /** As the page shows it: "March 3, 2026", "2 hours ago". Empty when the page does not say. */
  readonly date: string;
}

/** A possible thread that was found in a page. */
export interface Thread {
  readonly posts: readonly Post[];
  /** Characters of text in the bodies. */
  readonly chars: number;
  /** The element before the posts that is the first post in all but its markup: a question before its answers. */
  readonly lead: HtmlElement | undefined;
  /** Parts of a body that do not belong to its text. */
  readonly drop: readonly ElementPattern[];
  /** From 0 to 1: how sure the markup makes it that these are all posts of the page. */
  readonly certainty: number;
}

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

/** Names and dates are shorter; a longer text holds something else too. */
const authorCharsMax = 60;
const dateCharsMax = 60;

const authorClass =
  /^(?:.*[-_])?(?:user-?name|author-?name|poster-?name|nick-?name|screen-?name|display-?name|member-?name|author|creator|poster|user-?link|author-?link|by-?line)$/i;
const authorHref =
  /\/(?:members?|users?|profiles?|u|people|author|user-profile)\/[^/?#]|[?&](?:action=profile;u|uid|userid|user_id|user|author|showuser|member)=|member\.php|profile\.php/i;
const dateClass =
  /(?:^|[-_])(?:date|dateline|time|timestamp|datetime|posted|posted-?on|age|when|timeago|created)(?:$|[-_])|(?:date|time|ago)$/i;
const dateText =
  /\d{4}[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2}|\b\d{1,2}(?:st|nd|rd|th)?\.?\s+(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|\b\d+\s*(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|yrs?|[smhdwy])\s+ago\b|\b(?:yesterday|today)\b/i;

/** The lower, the surer; the first of the surest is taken. */
interface Mark {
  readonly rank: number;
  readonly text: string;
}

/** The author of a post as `element` gives it, where that is surer than the `known` one. */
function authorMark(
  element: HtmlElement,
  patterns: readonly ElementPattern[],
  known: Mark | undefined,
): Mark | undefined {
  const rank = authorRank(element, patterns);
  if (rank === undefined || (known !== undefined && known.rank <= rank)) return known;
  const text = nameIn(element);
  return text === "" ? known : { rank, text };
}

function authorRank(element: HtmlElement, patterns: readonly ElementPattern[]): number | undefined {
  const index = patterns.findIndex((pattern) => matchesPattern(element, pattern));
  if (index !== -1) return index;
  const property = element.attribs["itemprop"];
  if (property === "author" || property === "creator") return 11;
  if (property === "name" && element.name !== "h1") return 12;
  if (classTokens(element).some((token) => authorClass.test(token))) return 13;
  if (element.name === "a" && authorHref.test(element.attribs["href"] ?? "")) return 14;
  return undefined;
}

/** Badges and counters surround a name: with a link, the name is its text. */
function nameIn(element: HtmlElement): string {
  const link = findNear(element, (child) => child.name === "a" && isName(textOfName(child)));
  const text = textOfName(link ?? element);
  return isName(text) ? text : "";
}

function textOfName(element: HtmlElement): string {
  return shortLine(element, authorCharsMax);
}

function isName(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** The time of a post as `element` gives it, where that is surer than the `known` one. */
function dateMark(
  element: HtmlElement,
  patterns: readonly ElementPattern[],
  known: Mark | undefined,
): Mark | undefined {
  const rank = dateRank(element, patterns);
  if (rank === undefined || (known !== undefined && known.rank <= rank)) return known;
  const text = dateIn(element);
  if (text === "" || (rank > 12 && !dateText.test(text))) return known;
  return { rank, text };
}

function dateRank(element: HtmlElement, patterns: readonly ElementPattern[]): number | undefined {
  const index = patterns.findIndex((pattern) => matchesPattern(element, pattern));
  if (index !== -1) return index;
  const property = element.attribs["itemprop"];
  if (property === "datePublished" || property === "dateCreated") return 11;
  if (/^(?:time|relative-time|local-time|time-ago|faceplate-timeago)$/.test(element.name))
    return 12;
  if (classTokens(element).some((token) => dateClass.test(token))) return 13;
  return isLeaf(element) ? 14 : undefined;
}

function isLeaf({ children }: HtmlElement): boolean {
  const [only] = children;
  return children.length === 1 && only !== undefined && isText(only);
}

function dateIn(element: HtmlElement): string {
  const time = findNear(element, ({ name }) => name === "time");
  // Themes write the long form and the short one side by side, and show one of them.
  const parts = time?.children.filter(isTag) ?? [];
  const shown = parts.length > 1 ? parts[0] : (time ?? element);
  const text = shortLine(shown ?? element, dateCharsMax).replace(/^#\d+\s+/, "");
  if (/\d|\p{L}{3}/u.test(text)) return text;
  return time?.attribs["datetime"]?.slice(0, dateCharsMax) ?? "";
}

/** Elements that say in the same way that they are posts. */
export interface PostGroup {
  readonly key: string;
  readonly elements: ReadonlySet<HtmlElement>;
}

/** More posts are not a readable thread. */
export const threadPostsMax = 5_000;
/** How many of the fullest groups are looked at; posts and their parts make one each. */
const groupsMax = 6;

const postWord =
  /(?:^|[-_])(?:post|comment|message|msg|reply|answer|response|topic|thread|question)s?(?:$|[-_])/i;
const postId = /^(?:post|comment|message|msg|reply|answer|p|c)[-_]?\d+$/i;
const postType =
  /schema\.org\/(?:Comment|Answer|Question|DiscussionForumPosting|SocialMediaPosting)$/;

/** Elements of a page that may be its posts, by the evidence: a class, the form of ids, a microdata type. */
export function findPostGroups(
  root: HtmlElement,
  charsOf: (element: HtmlElement) => number,
): PostGroup[] {
  const groups = new Map<string, Set<HtmlElement>>();
  walkElements(root, (element) => {
    for (const key of groupKeys(element)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, new Set([element]));
      else group.add(element);
    }
    return "into";
  });
  return [...groups]
    .map(([key, elements]) => ({ key, elements }))
    .filter(({ elements }) => elements.size >= 2 && elements.size <= threadPostsMax)
    .map((group) => ({ group, chars: sum(group.elements, charsOf) }))
    .toSorted((a, b) => b.chars - a.chars)
    .slice(0, groupsMax)
    .map(({ group }) => group);
}

function groupKeys(element: HtmlElement): string[] {
  const keys: string[] = [];
  for (const token of classTokens(element)) if (postWord.test(token)) keys.push(`.${token}`);
  const { id, itemtype } = element.attribs;
  if (id !== undefined && postId.test(id)) keys.push(`#${id.replace(/\d+$/, "")}`);
  if (itemtype !== undefined && postType.test(itemtype)) keys.push("microdata");
  return keys;
}

function sum(
  elements: ReadonlySet<HtmlElement>,
  charsOf: (element: HtmlElement) => number,
): number {
  let chars = 0;
  for (const element of elements) chars += charsOf(element);
  return chars;
}
