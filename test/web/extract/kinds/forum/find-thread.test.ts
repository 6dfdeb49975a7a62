import { expect, test } from "bun:test";

import { lineText } from "../../../../../src/web/dom/element.ts";
import { childElements } from "../../../../../src/web/dom/parse-html.ts";
import { findThread } from "../../../../../src/web/extract/kinds/find-kind.ts";
import { readPageFacts } from "../../../../../src/web/extract/page-facts.ts";

const first = "Has anyone seen the pump stop after an hour, with the lamp still on?";
const second = "Mine did. It was the float, which was stuck; cleaning it was enough.";

/** A page of a forum: what stands around the posts is on every one of them. */
function pageOf(posts: string): string {
  return `<title>Pump stops - Garden Forum</title><body><nav>Home Forums Log in</nav>
    <h1>Pump stops</h1>${posts}<form>Quick reply</form><footer>Terms, privacy</footer></body>`;
}

function threadOf(html: string): { posts: string[]; confidence: number } | undefined {
  const found = findThread(readPageFacts(html, "https://forum.example/t/1"));
  if (found === undefined) return undefined;
  const posts = childElements(found.root).map((post) =>
    childElements(post)
      .map((part) => lineText(part))
      .join(" "),
  );
  return { posts, confidence: found.confidence };
}

const both = [`Ada 3 May 2026 ${first}`, `Bert 4 May 2026 ${second}`];

test.each<[software: string, post: (author: string, date: string, body: string) => string]>([
  [
    "Discourse for crawlers",
    (
      author,
      date,
      body,
    ) => `<noscript><div class="topic-body crawler-post"><div class="crawler-post-meta">
      <span class="creator" itemprop="author"><a href="/u/x"><span itemprop="name">${author}</span></a></span>
      <span><time class="post-time">${date}</time><span itemprop="position">1</span></span></div>
      <div class="post" itemprop="text"><p>${body}</p></div><span class="post-likes">3 Likes</span></div></noscript>`,
  ],
  [
    "XenForo 2",
    (
      author,
      date,
      body,
    ) => `<article class="message message--post" data-author="x"><div class="message-cell--user">
      <h4 class="message-name"><a class="username" href="/members/x.1/">${author}</a></h4><h5>Member</h5><dl><dt>Joined</dt><dd>Oct 25, 2017</dd></dl></div>
      <header class="message-attribution"><ul class="message-attribution-main"><li><a><time class="u-dt">${date}</time></a></li></ul><a>#1</a></header>
      <article class="message-body"><div class="bbWrapper">${body}<div class="bbCodeBlock-expandLink">Click to expand...</div></div></article>
      <aside class="message-signature">Pumps are great</aside></article>`,
  ],
  [
    "Invision Community",
    (
      author,
      date,
      body,
    ) => `<article class="cPost ipsComment" id="elComment_1"><aside><h3 class="cAuthorPane_author"><strong><a href="/profile/1-x/">${author}</a></strong></h3>
      <ul><li>Members</li><li>2.8k posts</li></ul></aside><div class="ipsComment_meta">Posted <time><span>${date}</span><span>1 yr</span></time></div>
      <div data-role="commentContent"><p>${body}</p><span data-excludequote>Edited by x</span></div></article>`,
  ],
  [
    "phpBB",
    (
      author,
      date,
      body,
    ) => `<div id="p77" class="post has-profile"><dl class="postprofile"><dt><a class="username">${author}</a></dt><dd>Posts: 12</dd></dl>
      <div class="postbody"><p class="author">by <a class="username">${author}</a> » <time>${date}</time></p><div class="content">${body}</div>
      <div id="sig77" class="signature">Pumps!</div></div></div>`,
  ],
  [
    "Simple Machines",
    (
      author,
      date,
      body,
    ) => `<div class="windowbg" id="msg1"><div class="post_wrapper"><div class="poster"><h4><a href="?action=profile;u=1">${author}</a></h4>
      <ul><li>Hero</li></ul></div><div class="postarea"><div class="keyinfo"><a class="smalltext">${date}</a></div><div class="post"><div class="inner" id="msg_1">${body}</div></div></div></div></div>`,
  ],
  [
    "FluxBB",
    (
      author,
      date,
      body,
    ) => `<div class="blockpost"><h2><span>#1 <a href="?pid=1">${date}</a></span></h2><div class="box"><div class="postleft"><dl><dt><strong>${author}</strong></dt><dd>From: Ulm</dd></dl></div>
      <div class="postright"><div class="postmsg"><p>${body}</p></div></div></div></div>`,
  ],
  [
    "vBulletin 4",
    (
      author,
      date,
      body,
    ) => `<li class="postbitlegacy"><div class="posthead"><span class="date">${date}</span><a>#1</a></div><a class="username">${author}</a>
      <blockquote class="postcontent restore">${body}</blockquote><div class="signature">Pumps</div></li>`,
  ],
  [
    "Stack Exchange",
    (
      author,
      date,
      body,
    ) => `<div class="answer"><div class="votecell">12</div><div class="s-prose js-post-body" itemprop="text"><p>${body}</p></div>
      <a>Share</a><div class="user-info"><span class="relativetime">${date}</span><div class="user-details"><a href="/users/1/x">${author}</a><span>5,021</span></div></div>
      <ul class="comments"><li>Which model?</li></ul></div>`,
  ],
  [
    "software that says it with microdata",
    (
      author,
      date,
      body,
    ) => `<div itemscope itemtype="https://schema.org/Comment"><a itemprop="author" href="/x">${author}</a><i itemprop="dateCreated">${date}</i>
      <div itemprop="text">${body}</div><button>Report</button></div>`,
  ],
  [
    "software that nobody knows",
    (
      author,
      date,
      body,
    ) => `<div class="thread-post q1w2"><div><a href="/members/x">${author}</a></div><div class="postDate">${date}</div>
      <div class="z9"><p>${body}</p></div><div class="actions">Like Share</div></div>`,
  ],
])("findThread() takes who, when and what from posts of %s", (_, post) => {
  const thread = threadOf(
    pageOf(post("Ada", "3 May 2026", first) + post("Bert", "4 May 2026", second)),
  );
  expect(thread?.posts).toEqual(both);
  expect(thread?.confidence).toBeGreaterThan(0.7);
});

const article = `<p>${"The pump of a pond moves its water, and that keeps the fish alive. ".repeat(20)}</p>`;
const comments = `<div class="comment"><b class="author">Ada</b><time>3 May 2026</time><div class="comment-text">${first}</div></div>
  <div class="comment"><b class="author">Bert</b><time>4 May 2026</time><div class="comment-text">${second}</div></div>`;

test.each<[what: string, html: string]>([
  ["an article with comments", pageOf(`<article>${article}</article>${comments}`)],
  ["an article", pageOf(article)],
  ["a page without text", ""],
  [
    "a list of posts without writers",
    pageOf(`<div class="post"><div class="content">${first}</div></div>`.repeat(3)),
  ],
])("findThread() finds none in %s", (_, html) => {
  expect(threadOf(html)).toBeUndefined();
});

test("findThread() takes answers inside of posts as posts of their own", () => {
  const inner = `<li class="comment"><div class="by">by <a href="/~b">Bert</a></div><div class="commentBody">${second}</div></li>`;
  const html = `<ul><li class="comment"><div class="by">by <a href="/~a">Ada</a></div><div class="commentBody">${first}</div><ul>${inner}</ul></li></ul>`;
  expect(threadOf(pageOf(html))?.posts).toEqual([`Ada ${first}`, `Bert ${second}`]);
});

test("findThread() keeps the question that stands before answers of another form", () => {
  const answers = comments.replaceAll("comment", "answer");
  const thread = threadOf(pageOf(`<section class="ask">${article}</section>${answers.repeat(6)}`));
  expect(thread?.posts.length).toBe(13);
  expect(thread?.posts[0]).toStartWith("The pump of a pond");
});

test("findThread() leaves the page as it was", () => {
  const page = readPageFacts(pageOf(comments), "https://forum.example/");
  const before = lineText(page.body);
  findThread(page);
  expect(lineText(page.body)).toBe(before);
});

test.each([
  [4_999, true],
  [5_000, true],
  [5_001, false],
])("findThread() of %d posts: %p", (count, isFound) => {
  const post = `<div class="post"><b class="author">Ada</b><time>3 May 2026</time><div class="content">It works, now.</div></div>`;
  expect(threadOf(pageOf(post.repeat(count))) !== undefined).toBe(isFound);
});
