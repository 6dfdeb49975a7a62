import { type ElementPattern, parsePattern } from "../element-pattern.ts";
import { boardMarkups, type MarkupRow } from "./board-markups.ts";

/** Questions with answers, and comments that answer each other. */
const answerMarkups: Readonly<Record<string, MarkupRow>> = {
  "Khoros Community": {
    post: ".lia-message-view-wrapper, .lia-message-view, .lia-quilt-forum-message, [data-lia-message-uid]",
    body: ".lia-message-body-content, .lia-message-body, .lia-message-template-content-zone",
    author: ".lia-user-name-link, .lia-user-name",
    date: ".DateTime, .lia-message-posted-on, time",
    drop: ".lia-message-signature",
  },
  "Stack Exchange": {
    post: "div.question, div.answer",
    body: ".js-post-body, .s-prose, .post-text",
    author: ".user-details",
    date: ".relativetime",
  },
  Askbot: { post: ".post", body: ".post-body", author: ".user-info", date: ".timeago" },
  Question2Answer: {
    post: ".qa-q-view, .qa-a-list-item",
    body: ".qa-q-view-content, .qa-a-item-content, .qa-post-content",
    author: ".qa-user-link",
    date: "time",
  },
  Slashcode: {
    post: "article.fhitem-story, li.comment",
    body: "div.commentBody, div.body, div.p",
    author: ".by, .story-byline",
    date: ".otherdetails, time",
    drop: ".quote_share",
  },
  "Hacker News and its kin": {
    post: "tr.comtr, table.fatitem",
    body: ".commtext, .toptext",
    author: ".hnuser",
    date: ".age",
    drop: ".reply",
  },
  "Reddit, old": {
    post: "div.thing.link, div.thing.comment",
    body: ".usertext-body",
    author: "a.author",
    date: "time",
  },
  "Reddit, new": {
    post: "shreddit-post, shreddit-comment",
    body: "[slot=text-body], [slot=comment], [id$=-post-rtjson-content]",
    author: "a[href^=/user/]",
    date: "faceplate-timeago, time",
  },
  Lobsters: {
    post: "div.comment, .story_content",
    body: ".comment_text, .story_text",
    author: ".u-author",
    date: "time",
  },
  Lemmy: {
    post: ".comment, .post-listing",
    body: ".md-div",
    author: ".person-listing",
    date: ".moment-time",
  },
  "GitHub issues and discussions": {
    post: ".timeline-comment, .js-comment-container, .js-timeline-item, [data-testid=comment-viewer-outer-box]",
    body: ".comment-body, .markdown-body",
    author: "a.author",
    date: "relative-time",
  },
  Jive: {
    post: ".j-original-message, .jive-thread-reply, .jive-thread-message, article.thread-post",
    body: ".jive-rendered-content, .j-rte-content",
    author: ".jive-username-link, .j-user-name",
    date: "time",
  },
  "Higher Logic": {
    post: ".MessageThreadsDisplay, .PostRow, .feed-item",
    body: ".MessageBody, .feed-item-text",
    author: ".ContactName",
    date: ".PostDate",
  },
};

/**
 * The markup of a discussion program's threads. The names are those of generators: many sites run each of them, and
 * these are the names in the program's own templates.
 */
export interface ForumMarkup {
  readonly software: string;
  /** One for each post; posts may be nested. */
  readonly post: readonly ElementPattern[];
  /** The body; the first in a post. */
  readonly body: readonly ElementPattern[];
  readonly author: readonly ElementPattern[];
  readonly date: readonly ElementPattern[];
  /** Parts of a body that do not belong to its text. */
  readonly drop: readonly ElementPattern[];
}

/** All of them, parsed. */
export const forumMarkups: readonly ForumMarkup[] = Object.entries({
  ...boardMarkups,
  ...answerMarkups,
}).map(([software, row]) => ({
  software,
  post: parseList(row.post),
  body: parseList(row.body),
  author: parseList(row.author ?? ""),
  date: parseList(row.date ?? ""),
  drop: parseList(row.drop ?? ""),
}));

function parseList(selectors: string): ElementPattern[] {
  return selectors
    .split(",")
    .map((selector) => selector.trim())
    .filter((selector) => selector !== "")
    .map((selector) => parsePattern(selector));
}
