import { expect, test } from "bun:test";

import { childElements } from "../../../../../src/web/dom/parse-html.ts";
import { lineText } from "../../../../../src/web/dom/element.ts";
import { findThread } from "../../../../../src/web/extract/kinds/find-kind.ts";
import { forumMarkups } from "../../../../../src/web/extract/kinds/forum/known-thread.ts";
import { readPageFacts } from "../../../../../src/web/extract/page-facts.ts";

/** A post as the software writes it, shortened: A is the author, D the date, B what was written. */
const posts: Readonly<Record<string, string>> = {
  Discourse: `<article data-post-id="1"><div class="names"><a>A</a></div><a class="post-date"><span class="relative-date">D</span></a><div class="cooked"><p>B</p><div class="cooked-selection-barrier">x</div></div></article>`,
  "XenForo 2": `<article class="message message--post"><h4 class="message-name"><a class="username">A</a></h4><h5>Member</h5><header><time class="u-dt">D</time></header><div class="message-body">B</div></article>`,
  "XenForo 1": `<li class="message" data-author="A"><a class="username">A</a><em>Member</em><div class="messageContent"><blockquote class="messageText">B<div class="messageTextEndMarker">x</div></blockquote></div><span class="DateTime">D</span></li>`,
  "XenForo with cards": `<div class="MessageCard"><a class="MessageCard__user-info__name">A</a><time>Jan 1, 2020</time><a class="MessageCard__date-created"><time>D</time></a><div class="message-body"><div class="bbWrapper">B</div></div></div>`,
  "Invision Community 5": `<article class="ipsEntry ipsEntry--post"><h3 class="ipsEntry__username"><a class="ipsUsername">A</a></h3><time class="ipsTime"><span>D</span><span>1 yr</span></time><div class="ipsRichText">B</div></article>`,
  "Invision Community 4": `<article class="cPost ipsComment"><h3 class="cAuthorPane_author"><a>A</a></h3><div>Posted <time>D</time></div><div data-role="commentContent">B<span data-excludequote>Edited</span></div></article>`,
  "Invision Power Board 3": `<div class="post_block"><span class="author">A</span><abbr class="published">D</abbr><div class="entry-content">B<p class="edit">Edited</p></div></div>`,
  phpBB: `<div id="p7" class="post has-profile"><a class="username">A</a><p class="author"><time>D</time></p><div class="content">B</div><div class="signature">x</div></div>`,
  "vBulletin 5": `<li class="b-post"><div class="author"><a>A</a></div><div class="b-post__timestamp">D</div><div class="js-post__content-text">B</div></li>`,
  "vBulletin 4": `<li class="postbit"><span class="date">D</span><a class="username">A</a><blockquote class="postcontent">B</blockquote></li>`,
  "vBulletin 3": `<table id="post7"><tr><td class="thead">D</td></tr><tr><td><a class="bigusername">A</a></td><td><div id="post_message_7">B</div></td></tr></table>`,
  "Simple Machines": `<div class="post_wrapper"><h4><a>A</a></h4><ul><li>Hero</li></ul><a class="smalltext">D</a><div class="post"><div class="inner" id="msg_7">B</div></div></div>`,
  "FluxBB or PunBB": `<div class="blockpost"><h2><span>#7</span> <a>D</a></h2><dl><dt><strong>A</strong></dt><dd>Member</dd></dl><div class="postmsg">B<div class="postsignature">x</div></div></div>`,
  MyBB: `<div class="post" id="post_7"><div class="author_information"><strong><span class="largetext"><a>A</a></span></strong></div><span class="post_date">D</span><div class="post_body">B</div></div>`,
  NodeBB: `<li component="post"><a data-username="a">A</a><span class="timeago">D</span><div component="post/content">B</div></li>`,
  Flarum: `<article class="CommentPost Post"><h3 class="PostUser-name">A</h3><time>D</time><div class="Post-body">B</div></article>`,
  Vanilla: `<li class="Item ItemComment"><a class="Username">A</a><time>D</time><div class="Message userContent">B</div></li>`,
  Discuz: `<div id="post_7"><div class="authi"><a class="xw1">A</a></div><em id="authorposton7">D</em><table><tr><td class="t_f">B<i class="pstatus">x</i></td></tr></table></div>`,
  WoltLab: `<article class="wbbPost message"><span class="username">A</span><time>D</time><div class="messageText">B</div></article>`,
  ProBoards: `<table><tr class="post item"><td><a class="user-link">A</a></td><td><span class="date">D</span><div class="message">B</div></td></tr></table>`,
  bbPress: `<div class="post-7 reply type-reply"><span class="bbp-reply-post-date">D</span><a class="bbp-author-name">A</a><div class="bbp-reply-content">B</div></div>`,
  "Khoros Community": `<div class="lia-message-view-wrapper"><a class="lia-user-name-link">A</a><span class="DateTime">D</span><div class="lia-message-body-content">B</div></div>`,
  "Stack Exchange": `<div class="answer"><div class="js-post-body">B</div><span class="relativetime">D</span><div class="user-details"><a>A</a><span>512</span></div></div>`,
  Askbot: `<div class="post answer"><div class="post-body">B</div><div class="user-info"><a>A</a></div><abbr class="timeago">D</abbr></div>`,
  Question2Answer: `<div class="qa-a-list-item"><div class="qa-a-item-content">B</div><span>answered <time>D</time> by <a class="qa-user-link">A</a></span></div>`,
  Slashcode: `<li class="comment"><div class="by">by <a>A</a></div><span class="otherdetails">D</span><div class="commentBody">B</div></li>`,
  "Hacker News and its kin": `<table><tr class="athing comtr"><td><a class="hnuser">A</a><span class="age">D</span><div class="comment"><div class="commtext">B</div></div></td></tr></table>`,
  "Reddit, old": `<div class="thing comment"><a class="author">A</a><time>D</time><div class="usertext-body">B</div></div>`,
  "Reddit, new": `<shreddit-comment><a href="/user/a">A</a><faceplate-timeago>D</faceplate-timeago><div slot="comment">B</div></shreddit-comment>`,
  Lobsters: `<div class="comment"><a class="u-author">A</a><time>D</time><div class="comment_text">B</div></div>`,
  Lemmy: `<article class="comment"><a class="person-listing">A</a><span class="moment-time">D</span><div class="md-div">B</div></article>`,
  "GitHub issues and discussions": `<div class="timeline-comment"><a class="author">A</a><relative-time>D</relative-time><div class="comment-body markdown-body">B</div></div>`,
  Jive: `<article class="jive-thread-reply"><a class="jive-username-link">A</a><time>D</time><div class="jive-rendered-content">B</div></article>`,
  "Higher Logic": `<div class="PostRow"><a class="ContactName">A</a><span class="PostDate">D</span><div class="MessageBody">B</div></div>`,
};

const written = [
  ["Ada", "May 3, 2026", "The pump stops after an hour, with the lamp still on."],
  ["Bert", "May 4, 2026", "It was the float, which was stuck; cleaning it was enough."],
] as const;

test.each(Object.entries(posts))("findThread() reads the posts of %s", (_, template) => {
  const thread = written
    .map(([author, date, body]) =>
      template
        .replace(/>A</g, `>${author}<`)
        .replace(/>D</g, `>${date}<`)
        .replace(/>B</g, `>${body}<`)
        .replace(/="A"/g, `="${author}"`),
    )
    .join("");
  const page = readPageFacts(
    `<body><nav><a href="/">Forum</a></nav><main><h1>Pump</h1>${thread}</main></body>`,
    "https://forum.example/",
  );
  const found = findThread(page);
  const read =
    found &&
    childElements(found.root).map((post) => childElements(post).map((part) => lineText(part)));
  expect(read).toEqual(written.map((post) => [...post]));
  expect(found?.confidence).toBe(0.95);
});

test("each software of the table has a post above", () => {
  expect(forumMarkups.map(({ software }) => software).toSorted()).toEqual(
    Object.keys(posts).toSorted(),
  );
});
