/**
 * Every bound of the program except those of upstream servers (`upstream-limits.ts`), with its unit in the name and its reason
 * beside it. A bound that a user may change is a configuration key instead (`config/keys.ts`).
 */

const KIB = 1024;
const MIB = 1024 * KIB;

// ---- Messages -------------------------------------------------------------------------------

/**
 * A longer line is answered with -32700 and skipped. 16 MiB of content, and room for the JSON around it.
 * Common clients give up on lines above 10 MiB.
 */
export const messageLineBytesMax = 16 * MIB + 64 * KIB;
/**
 * Elements of a JSON-RPC batch: one message of 16 MiB could hold millions, each with a reply. More is one error.
 * Clients that batch send tens.
 */
export const batchElementsMax = 1000;
/** Characters of all replies to a batch; what comes after is an error in its place. */
export const batchReplyCharsMax = 16 * MIB;
/** Deeper JSON is refused: re-serialising fails near 10^5, long after parsing still succeeds. */
export const messageDepthMax = 1000;
/**
 * Objects, lists and values of one message or page of JSON, counted before it is parsed: each takes up to 200 bytes, and
 * 16 MiB have room for eight million. Clients send some hundred, and texts of any length are one.
 */
export const jsonValuesMax = 200_000;
/** Shorter JSON of a page is parsed without a look at its weight: a few megabytes at most. */
export const jsonLookedAtCharsMin = 64 * KIB;
/** Bytes that may wait for a slow reader before no more input is read. */
export const outputQueueBytesMax = 4 * MIB;
/** Requests that may be in flight on one connection; more are answered with an error. */
export const requestsInFlightMax = 4096;
/** Texts whose meaning is remembered in one place, such as the names of clients: some tens are seen in practice. */
export const rememberedTextsMax = 128;
/** Longer ones come from nobody who means well, and are not kept. */
export const rememberedTextCharsMax = 200;
/**
 * Steps of a regular expression with its repetitions written out: the worst one takes half a second for 4,000 characters.
 * A pattern of 1,000 plain characters has as many.
 */
export const linearPatternStepsMax = 1_500;

// ---- Tool results ---------------------------------------------------------------------------

/** Characters of text in one result; clients cut or refuse longer ones. */
export const resultCharsMax = 30_000;
/** Characters of a result that are kept free for the lines that say how it ended and where the whole is. */
export const resultNotesCharsMax = 1_000;
/** Bytes for each of those characters: with the structured copy a result stays below 100 kB. */
export const resultBytesPerChar = 1.5;
/** Bytes of structured content in one result; more is a failure of the tool. */
export const structuredBytesMax = 512 * KIB;
/** Whole outputs are saved as private files, all of them together within this; those that are being written within as much again. */
export const savedResultsBytesMax = 1024 * MIB;
/** Bytes of the disk that saving leaves free: enough for the store, the logs and an editor to go on. */
export const savedResultsReserveBytes = 256 * MIB;
/** Saved outputs older than this are removed. */
export const savedResultsAgeMsMax = 24 * 60 * 60 * 1000;
/** A call is answered this long before the client's limit, so that the answer is there in time. */
export const answerMarginMs = 500;
/** Progress notifications a second for one call. */
export const progressPerSecondMax = 10;
/** A call with a progress token that has nothing to say is heard of this often: at least every 10 s, also where timers are late. */
export const progressHeartbeatMs = 9_000;

// ---- Workers --------------------------------------------------------------------------------

/** Workers at most. Each costs about 1.4 MB; only running jobs hold one, waiting jobs do not. */
export const workersMax = 16;
/** Idle Workers are looked at this often. */
export const workerIdleLookMs = 10_000;
/** Looks in a row that find a Worker without a job before it ends, as long as there are others. */
export const workerIdleLooksMax = 3;
/** Looks in a row that find the last Worker without a job before it ends, within a minute; the next call then waits some ten ms. */
export const lastWorkerIdleLooksMax = 5;
/** From the end of the last Worker to the collection that gives memory back: its thread has to be gone. */
export const memoryRestMs = 1_000;
/**
 * From being ready for a first call to the same collection, in the main thread and in the Worker, unless there was a call: models
 * think for longer, and programs call at once. With MCP servers also from the end of the first calls, in the main thread.
 */
export const startRestMs = 500;
/** A job's own time in a Worker, service calls not counted, unless its tool says otherwise. */
export const workerJobMsMax = 30_000;
/**
 * At most this much of the time between two checks of a Worker is counted: checks come every few ms unless the process was
 * suspended.
 */
export const lookStepMsMax = 100;
/** A new Worker that has not said it is ready by then is given up. */
export const workerStartMsMax = 10_000;
/** Jobs that may wait for a Worker. */
export const workerQueueMax = 10_000;

// ---- Commands -------------------------------------------------------------------------------

/** `timeout` of Bash when it is not given. */
export const commandTimeoutMsDefault = 30_000;
/** `timeout` of Bash at most: a day. */
export const commandTimeoutMsMax = 86_400_000;
/** From TERM to KILL. */
export const terminateGraceMs = 2_000;
/** From TERM to KILL when the server is going. */
export const shutdownGraceMs = 500;
/** From TERM to KILL at least, whatever was late before it. */
export const shutdownGraceMsMin = 100;
/**
 * The last KILL comes this long after the client has gone, however long its last requests took. Nothing may be left
 * after two seconds: the rest is for a machine that does a lot besides, where a process that was killed takes some
 * tenths to go, and processes that it leaves behind are found only then.
 */
export const shutdownKillMs = 1_100;
/** Requests already read may finish this long after the client closed its end. */
export const shutdownDrainMs = 400;
/** Timers are chained in steps of this: `setTimeout` fires at once above 2^31 - 1 ms. */
export const timerStepMsMax = 60_000;
/**
 * Descriptors of one command, unless it asks for more: as many as a build needs, and programs that close all of them stay quick.
 */
export const commandDescriptorsMax = 4_096;
/** Processes and threads that commands leave to the server, its Workers and the guardian: it takes some 30 at rest. */
export const processesReserve = 256;
/** Commands running in the background at the same time for one client. */
export const backgroundRunningMax = 64;
/** Characters of a command in a list; the resource of its background task has all of it. */
export const shownCommandCharsMax = 200;
/** Ended background tasks that stay readable for one client. */
export const backgroundEndedMax = 256;
/** Ended background tasks stay readable this long. */
export const backgroundEndedAgeMsMax = 24 * 60 * 60 * 1000;
/**
 * Ids of background tasks that outlive their client, counted for each workspace. A client's own tasks have the ids below,
 * and go on above once those are used up.
 */
export const keptTaskIds = { first: 1_001, last: 1_000_000 } as const;
/** Kept tasks that run at the same time in one workspace, and of one user. */
export const keptRunningMax = { workspace: 16, all: 64 } as const;
/** Bytes of output that are held of one kept task, and of all of one user: older ones are dropped. */
export const keptOutputBytesMax = { task: 256 * MIB, all: 1024 * MIB } as const;
/** Output kept of one command: its head and the newest bytes, together. */
export const outputWindowBytes = MIB;
/** The part of the output window that always holds the first bytes. */
export const outputHeadBytes = 64 * KIB;
/** The login shell may take this long to print its PATH. */
export const loginShellMsMax = 5_000;
/** A client that offers roots may take this long to list them. */
export const rootsReplyMsMax = 1_000;

// ---- MCP tasks ------------------------------------------------------------------------------

/** An MCP task stays readable this long when nobody says otherwise: a client may well be away for a while. */
export const mcpTaskTtlMsDefault = 60 * 60 * 1000;
/** How often a client is asked to look: nobody notices half a second, and a look costs some 20 µs. */
export const mcpTaskPollIntervalMsDefault = 500;
/** MCP tasks of one client; each takes about 1 kB and its result. */
export const mcpTasksPerOwnerMax = 1024;
/** MCP tasks of all clients together. */
export const mcpTasksMax = 4096;
/** Characters of the result of one MCP task: more does not fit into the line that would carry it. */
export const mcpTaskResultCharsMax = 16 * MIB;
/** Characters of the results of all MCP tasks together; an ordinary one has 30,000. */
export const mcpTaskResultsCharsMax = 64 * MIB;
/** Questions of one MCP task over its life, repeated ones included: a client may answer nonsense forever. */
export const mcpTaskKeysMax = 1000;
/** Characters of an MCP task that other replicas can read: the engine has 4,096 tasks of each replica in its memory. */
export const mcpTaskRecordCharsMax = MIB;
/** How long other replicas can read an MCP task that has no time to live: as long as the state of its client. */
export const mcpTaskRecordMs = 24 * 60 * 60 * 1000;
/** Copies of the state of clients in the engine, after the last change: background tasks that have ended are kept for a day too. */
export const heldStateMs = 24 * 60 * 60 * 1000;
/** Clients whose state a replica copies: sessions, and principals of the revision without sessions. */
export const heldClientsMax = 20_000;
/** Principals that a replica knows to hold without asking the engine. */
export const heldPrincipalsMax = 10_000;
/** A request that runs on another replica than the one at which it arrived: as long as anything may be waited for. */
export const relayedRequestMsMax = 24 * 60 * 60 * 1000;

// ---- Asking the client ----------------------------------------------------------------------

/** A legacy client may take this long to answer: a person reads, thinks and fills in a form. */
export const askMsMax = 10 * 60_000;
/** A modern client must come back with the answers within this: the same person, the same form. */
export const requestStateMsMax = 10 * 60_000;
/** States whose use is remembered; each has 100 bytes. Answers of people: a hundred of them each second would be a fault. */
export const usedStatesMax = 50_000;
/** Characters of `requestState`, which has all answers of earlier rounds and travels both ways in each. */
export const requestStateCharsMax = 512 * KIB;
/** A text in which several options are named is not read when it is longer: thousands of options fit in. */
export const choicesTextCharsMax = 64 * KIB;

// ---- Questions to the user ------------------------------------------------------------------

/** Characters of `questions_json`: all bounds below exhausted at once need hardly more, and nobody reads that. */
export const questionsJsonCharsMax = 64 * KIB;
/** Questions in one call: a person fills in a form of four, and leaves one of ten. */
export const questionsMax = 4;
/** Options of one question, "Other" not counted: what a person reads through before choosing. */
export const questionOptionsMax = 10;
/** Characters of one question: a few paragraphs. */
export const questionTextCharsMax = 4_000;
/** Characters of an option's label or a question's header: each is one line. */
export const questionLabelCharsMax = 200;
/** Characters of an option's description: a short paragraph. */
export const questionNoteCharsMax = 1_000;
/** Characters of an answer in one's own words: a page of text. */
export const questionOtherCharsMax = 4_000;
/** A decline within this time did not come from a person: reading and pressing take longer (docs/questions.md#where-a-question-is-shown). */
export const questionUnseenMs = 300;
/** A question stays open this long: somebody comes back from lunch; nobody comes back to it tomorrow. */
export const questionOpenMsMax = 60 * 60_000;
/** An answer that nobody has fetched is kept this long: the model asks again when it needs it. */
export const questionKeptMsMax = 60 * 60_000;
/** Questions of one client that are open or whose answer was not fetched: a person looks at one at a time. */
export const questionsPerClientMax = 16;
/** Questions of all clients together that are open or whose answer was not fetched. */
export const questionsOpenMax = 256;
/** Answers that are kept for calls that run again: each takes some kB, and few calls ask more than one thing. */
export const questionRepliesMax = 64;
/** Forms in which the client asks for one thing: the first, and again after an answer was left out. */
export const questionFormsMax = 3;
/** A browser that was asked to open a page shows it within this, cold start included; else there is none. */
export const questionVisitMsMax = 30_000;
/** Bytes of an answer from a page: four texts, each character of which can take nine when encoded. */
export const questionPostBytesMax = 256 * KIB;
/** A page asks this often whether its question is still open: below the 10 s after which a quiet connection is closed. */
export const questionStateMs = 5_000;
/** The server of the pages listens this long after the last is over: so long takes the last reply, on a busy machine. */
export const questionPageLingerMs = 1_000;

// ---- Lists, resources and subscriptions -----------------------------------------------------

/** Tools on one page of `tools/list`: common clients ask for the first page only, and some tens are usual. */
export const toolsPerPageMax = 1000;
/** Entries on one page of every other list. */
export const entriesPerPageMax = 100;
/** Characters of a cursor; those of scorpiox-code have some 60. */
export const cursorCharsMax = 200;
/** Characters of a resource's URI; HTTP servers commonly take 8 KiB. */
export const uriCharsMax = 8 * KIB;
/** Values in one completion (docs/spec/modern.md#resources-and-prompts). */
export const completionValuesMax = 100;
/** Characters of the text to complete, and of each argument beside it. */
export const completionCharsMax = 4 * KIB;
/** Arguments that a completion request may carry: a prompt has some three. */
export const completionArgumentsMax = 100;
/** Completions a second for one client. A person types at most ten characters in that time. */
export const completionsPerSecondMax = 50;
/** Subscriptions open on one connection; a client needs one. With more the oldest is ended. */
export const subscriptionsMax = 64;
/** Resources, and MCP tasks, that one subscription or session may watch. */
export const watchedResourcesMax = 1000;
/** Characters of their names together: usual ones have some 50 each, and sessions stay small. */
export const watchedCharsMax = 128 * KIB;
/** A reader that was too slow for a change is looked at again after this, then ever more rarely. */
export const changeRetryMs = 100;
/** It is looked at this often at least. */
export const changeRetryMsMax = 5_000;
/** New output of a background task is announced this often at most: subscribers read all of it again. */
export const taskUpdateMs = 1_000;
/** Bytes of a saved output that a search reads at once. */
export const savedPartBytes = 256 * KIB;
/** Bytes of a saved output in one resource: escaped as JSON they stay below 10 MiB, where common clients give up. */
export const savedTextBytesMax = MIB;

// ---- Authorization --------------------------------------------------------------------------

/** Characters of a bearer token. Signed tokens with many groups have some thousands; servers cut headers near 8 KiB. */
export const bearerTokenCharsMax = 8 * KIB;
/** A shorter static token can be guessed: 16 random characters are some 96 bits. */
export const staticTokenCharsMin = 16;
/** Tokens in one file. Each is compared for each request, at some 20 ns. */
export const staticTokensMax = 1000;
/** A token file is written by hand; a larger one is something else. */
export const tokenFileBytesMax = 256 * KIB;
/** The token file is looked at again this often: a withdrawn token works no longer than that. */
export const tokenFileLookMs = 1_000;
/** Streams and sessions of tokens are checked this often; they end when their token is missing in two checks, so within 5 s. */
export const tokenLookMs = 2_000;
/** Made tokens in one store: with some 300 bytes each the file stays below what configuration files may have. */
export const storedTokensMax = 2_000;
/** A made token that has ended is remembered this long: the log says of its use why it was refused. */
export const endedTokenMsMax = 30 * 86_400_000;
/** A server looks for changes of made tokens this often, so that a revocation counts within a second. */
export const tokenStoreLookMs = 400;
/** The last uses of made tokens are written this often at most. */
export const tokenUseMs = 60_000;
/** Signed tokens whose check is remembered: one for each client and a few renewed ones. About 300 bytes each. */
export const verifiedTokensMax = 1000;
/** A check is remembered this long, so a withdrawn key is refused after at most that and the age of the keys. */
export const verifiedTokenMsMax = 60_000;
/** Clocks of two machines may differ by this. */
export const tokenClockToleranceMs = 30_000;
/** Characters of the subject of a token; OpenID Connect allows 255. */
export const tokenSubjectCharsMax = 255;
/** Groups of a token that are read; a token that a header can carry has some hundreds. */
export const tokenGroupsMax = 500;
/** Bytes of a key set; a key has about 500, a set rarely ten keys. */
export const keySetBytesMax = 256 * KIB;
/** A server that has not given its keys by then is taken as down: a request waits for it. */
export const keySetFetchMsMax = 5_000;
/** Keys are fetched again when they are older. */
export const keySetAgeMsMax = 10 * 60_000;
/** While the server is down its last keys are used this long; tokens live about as long. */
export const keySetOutageMsMax = 60 * 60_000;
/** A token with an unknown key has the keys fetched again, but not more often than this: anybody can make one. */
export const keySetCooldownMs = 30_000;
/** After a failure the keys are asked for again after this; requests in between are answered at once. */
export const keySetRetryMs = 5_000;

// ---- HTTP -----------------------------------------------------------------------------------

/** Bytes of events that may wait for one slow reader before its response is ended. */
export const sseWaitingBytesMax = 4 * MIB;
/** A request that takes longer gets the head of its response now; clients give up after about 60 s without. */
export const httpFirstByteMsMax = 1_000;
/** A sign of life on a silent stream; proxies close what is silent for 30 to 60 s (docs/spec/modern.md#subscriptions). */
export const httpKeepAliveMs = 15_000;
/** Legacy sessions at a time, unless told otherwise: 20 kB each at most makes 200 MB. */
export const httpSessionsMax = 10_000;
/** A session that nobody has used for this long is ended. */
export const httpSessionIdleMsMax = 30 * 60 * 1000;
/**
 * Seconds without a byte after which a connection is closed. Bun measures in steps of 4 s and wants signs of life in
 * a third of it (measured): above three times `httpKeepAliveMs`. Never 0: slow senders would stay forever.
 */
export const httpIdleSMax = 60;
/** Connections at a time: a stream and a request for each session that may be, and some. */
export const connectionsMax = 24_000;
/** Descriptors kept free of connections, for commands (two each), files and the database. */
export const descriptorsReserve = 512;
/** Descriptors among which that of a new connection is looked for, to know it again; without it each request is asked about. */
export const connectionDescriptorsLookedAtMax = 1_024;
/** How often connections are counted: what a flood brings meanwhile finds room below the usual descriptor limits. */
export const connectionLookMs = 1_000;
/** How often when descriptors are scarce and many are taken: a flood takes some hundred in that time. */
export const connectionCloseLookMs = 20;
/** Fewer free descriptors than this are scarce: a flood takes about as many from one count to the next. */
export const descriptorsScarce = 5_000;
/** Descriptors that are looked at: with fewer connections than that, new ones have lower numbers. */
export const descriptorsLookedAtMax = 65_536;
/** Modern requests under way at a time, of all clients together; subscriptions have places of their own. */
export const httpRequestsMax = 4096;
/** Modern subscriptions at a time: one for each client, as many as there may be sessions. */
export const httpSubscriptionsMax = 10_000;
/** The part of these, of the sessions and of the bodies that one of several principals may have: others find room. */
export const httpPrincipalPartMax = 1 / 4;
/** After SIGTERM requests under way may take this long unless told otherwise; supervisors commonly kill after 10 to 30 s. */
export const httpDrainMsDefault = 8_000;
/** The longest time that `--drain` may give: calls of tools may take 10 minutes. */
export const httpDrainMsMax = 3_600_000;
/** How soon clients shall come back for their streams when the server ends: to another replica, or its successor. */
export const httpDrainRetryMs = 1_000;
/** The last writes get this long to finish. */
export const httpFlushMsMax = 500;
/** How soon a client shall come back for the rest of a stream that we ended early. */
export const httpRetryMs = 500;
/** The body of a request must be there by then: 16 MiB need 4.6 Mbit/s. */
export const httpBodyMsMax = 30_000;
/** Bytes of all bodies that are being read at a time: ten of the largest, or thousands of usual ones. */
export const httpBodiesBytesMax = 10 * messageLineBytesMax;
/** Browsers may remember for this long what a page of an allowed origin may send. */
export const httpPreflightAgeSMax = 600;
/** Events that one legacy session keeps for a client that comes back; a call with progress makes some ten a second. */
export const resumableEventsMax = 256;
/** Characters of those events; the newest one is kept whatever its length, or the result of a call would be lost. */
export const resumableCharsMax = 1024 * KIB;
/** Characters of the events of all sessions together: the oldest go first. A character takes one or two bytes. */
export const resumableCharsTotalMax = 32 * MIB;

// ---- Pages and searches ---------------------------------------------------------------------

/**
 * The web Worker answers a call by then, whatever it was: a page has 30 s to load, a browser as long and the wait that
 * was asked for, and a few are in line before it. A reader that still waits has been given up by its client.
 */
export const webCallMsMax = 5 * 60_000;
/** An unused web Worker is ended after this, when nothing in its cache is fresh any more. */
export const webIdleMs = 15 * 60_000;
/** A web Worker may take this long to end its browser, which takes up to 310 ms (measured) on a quiet machine. */
export const webCloseMsMax = 1_500;
/** Characters of a page's URL (docs/pages.md#the-request); browsers and servers commonly take 2,000. */
export const pageUrlCharsMax = 2_000;
/** Redirects of one page; browsers follow 20, honest sites need three. */
export const pageRedirectsMax = 10;
/** Bytes of a page, counted after decompression. */
export const pageBytesMax = 10 * MIB;
/** A page must be there by then, redirects included. */
export const pageFetchMsMax = 30_000;
/** Codings of one body, one within the other: servers use one. */
export const contentCodingsMax = 4;
/**
 * Pages that take more than `heavyPageWeight` to read are read two at a time, the others wait: each is a tree of up to
 * 150 MB. A page of 2 MB, or of 50,000 elements, is a rare one.
 */
export const heavyPagesMax = 2;
export const heavyPageWeight = 2 * MIB;
/** Pages loading at a time, of all clients together; each may hold as many bytes as a page has. */
export const pagesLoadingMax = 64;
/** Pages are kept this long: so long does a reader who pages through one see the same. */
export const pageCacheAgeMsMax = 15 * 60_000;
/** Bytes in memory of all pages that are kept; those that were not asked for longest go first. */
export const pageCacheBytesMax = 50 * MIB;

/** A plan is read whole into a result and a question; a megabyte is a book. */
export const planBytesMax = 1024 * 1024;

/** As long as paths can be on Linux. */
export const planPathCharsMax = 4_096;

/** A goal is a heading and a few sentences; what is longer belongs into the plan. */
export const planGoalCharsMax = 4_000;

/** Characters that a person reads before saying yes; the file has the rest. */
export const planShownCharsMax = 6_000;

// ---- Attached terminals ---------------------------------------------------------------------

/** Bytes of the path of a socket: macOS has 104, Linux 108, the end mark included; some are kept free. */
export const socketPathBytesMax = 100;
/** Bytes of a line that a terminal sends: answers to four questions in words of one's own are the longest. */
export const attachRequestBytesMax = 64 * KIB;
/** Bytes of a line that a server sends: everything that it keeps, with the texts cut. */
export const attachMessageBytesMax = 4 * MIB;
/** Bytes that may wait for a slow terminal: a long state and some updates. */
export const attachQueueBytesMax = 8 * MIB;
/** A terminal that has read nothing for this long, though something waits for it, is dropped. */
export const attachStallMsMax = 10_000;
/** A connection must show the key by then; a terminal does it in its first message. */
export const attachGreetingMsMax = 2_000;
/** Connections at a time: a person has a few terminals, and lists are asked for in between. */
export const attachConnectionsMax = 32;
/** Characters of a step or a message sent to terminals: three lines of a usual window. */
export const attachTextCharsMax = 300;
/** Background tasks, tasks, and steps of a task sent to terminals: the newest; nobody scrolls further. */
export const attachEntriesMax = 200;
/** Clients whose tasks and callbacks are looked at: those that called a tool last. */
export const recentClientsMax = 32;
/** Bytes of output that a terminal gets at once, and of the earlier output that it gets first. */
export const attachOutputBytesMax = 64 * KIB;
/** New output is sent this often at most: faster than anybody reads. */
export const attachOutputMs = 100;
/** The state of a server is sent this often at most: gathering it costs as much as a call. */
export const attachStateMs = 100;
/** Files of a server on another machine with the same home are kept this long: it may be alive over there. */
export const attachForeignMsMax = 7 * 24 * 60 * 60_000;
/** How often servers poll for changes without events, and terminals for servers. */
export const attachLookMs = 1_000;
/** Lines of output that a terminal keeps for scrolling back. */
export const attachOutputLinesMax = 5_000;
/** A question that comes to the front by itself takes no key for this long: it was meant for something else. */
export const questionGuardMs = 500;
/** A lone escape may be the beginning of a key's sequence for this long. */
export const escapeKeyMs = 40;
/** A paste whose end has not come by then has none: Ctrl-C must not be taken for a part of it forever. */
export const pasteSilentMs = 1_000;
/** A list of what servers hold waits this long for each; one that is alive answers in milliseconds. */
export const attachListMsMax = 3_000;

// ---- Store ----------------------------------------------------------------------------------

/**
 * A write waits this long for other processes; their transactions take milliseconds, and seconds together where dozens start on
 * a busy machine.
 */
export const storeBusyMsMax = 15_000;
/**
 * A store that has not answered by then is given up: a wait for other processes, a look through a file of hundreds of
 * megabytes and an fsync of a slow disk are over by then.
 */
export const storeCallMsMax = 30_000;
/** At the end, what was asked for is brought to the disk within this. */
export const storeCloseMsMax = 1_000;
/** Requests that share one transaction: more would keep other processes from writing for longer than they notice. */
export const storeCallsTogetherMax = 256;

/** A PostgreSQL that answers nothing for this long is taken to be away: who asks must have an answer within a second. */
export const pgAnswerMsMax = 900;
/** Connections of one replica: each holds some 5 MB of the engine, whose default is 100 for all of its clients. */
export const pgConnectionsMax = 5;
/** Pauses between tries to connect: back within a second of the engine's return, and no storm of hundreds of replicas. */
export const pgRetryMs = { min: 25, max: 500 } as const;
/** Requests that wait for PostgreSQL; at some thousand in a second, more would be answered too late to be of use. */
export const pgCallsWaitingMax = 2_000;
/** Tries of a transaction that the engine undid because of another one; each is likely to pass. */
export const pgConflictTriesMax = 6;
/** All tries of one request together: an engine half a second away takes three of them. */
export const pgCallMsMax = 10_000;
/** Looks at scopes of an engine that come within this are one request: a thousand subscribers ask in one. */
export const storeLooksTogetherMs = 20;
/** How often a replica forgets records of transactions: 60 bytes each, 100,000 of them in this time at the most. */
export const pgPruneMs = 60_000;
/** Locks that one process of a fleet holds at a time; each has a connection. */
export const pgLocksMax = 4;
/** A wait for the lock of another replica: it renews a login, which takes seconds. */
export const pgLockMsMax = 30_000;
/** One migration, or the wait for that of another replica. */
export const pgMigrateMsMax = 20_000;

/** Tries to change the tokens that all replicas share; in each somebody else succeeds. */
export const tokenChangeTriesMax = 30;

// ---- Callbacks ------------------------------------------------------------------------------

/** Slots of one client (docs/callbacks.md#setting-listing-cancelling). */
export const callbackSlotsMax = 8;
/** Seconds before each fire (docs/callbacks.md#setting-listing-cancelling). */
export const callbackDelaySMax = 3_600;
/** Characters of a message (docs/callbacks.md#setting-listing-cancelling). */
export const callbackMessageCharsMax = 2_048;
/** Characters of a message where several callbacks are listed. */
export const callbackListCharsMax = 200;
/** Fires that have a line of their own in one result: as many as there are slots. */
export const callbackLinesMax = 8;
/** Characters of messages in one result: two whole ones; with more fires each is shorter. */
export const callbackNotesCharsMax = 4_096;
/** Fires in one turn of the loop, of all clients: a delivery takes some 10 µs. The rest follow in the next one. */
export const callbackFiresPerTurnMax = 50;
/** The model that is asked by sampling need not say anything: the request itself is the reminder. */
export const callbackSampleTokensMax = 64;
/** A client may ask its user before it samples; meanwhile no second one is sent. */
export const callbackSampleMsMax = 5 * 60_000;
/** The time since the machine was started comes in such steps. */
export const uptimeStepMs = 1_000;
/** The machine has slept when that clock ran on by more than this: a step of it and the same for the look before. */
export const sleepNoticeMs = 2 * uptimeStepMs;

// ---- Policy ---------------------------------------------------------------------------------

/** Constructs of a command nested in each other; people write three. More is not judged but asked about. */
export const shellDepthMax = 40;
/** Characters of a command that is judged. People write some hundred; files in here-documents are longer. */
export const shellCharsMax = 64 * KIB;
/** Looks at a place of a command while it is read, four or five for a word: a few milliseconds at worst. */
export const shellStepsMax = 10_000;
/** Programs in one command; each is compared with each rule. */
export const shellCommandsMax = 1000;
/** Characters of a policy file: a thousand rules. */
export const policyCharsMax = 256 * KIB;
/** Rules of one file: each is compared with each program of a command. */
export const policyRulesMax = 1000;
/** Units of some ten nanoseconds that rules take for one call: a hundred rules and a usual command take some hundredths. */
export const policyWorkMax = 1_000_000;
/** Characters of a pattern; paths are the longest. */
export const policyPatternCharsMax = 1000;
/** Kinds of calls (a client, a tool) of which the gate keeps which stages are at rest; some hundred bytes each. */
export const callKindsMax = 500;
/** Files with rules are looked at this often at most. */
export const policyLookMs = 1_000;
/** Folders of clients whose rules are remembered: a client may name any number of them. */
export const policyProjectsMax = 100;
/** Words of a command that are looked up as paths: a few system calls each. */
export const policyLookupsMax = 200;
/** Characters of a command that are shown to the person who decides about it: some four screens. */
export const consentShownCharsMax = 8_000;
/** Calls that are allowed for the session; a person does not agree to more. */
export const consentsKeptMax = 10_000;
/** Bytes of a file of the audit log: some 30,000 calls. */
export const auditFileBytesMax = 10 * MIB;
/** Files of the audit log, the one that is written included. */
export const auditFilesMax = 5;
/** A process that renames these files is done by then, or gone. */
export const auditLockAgeMsMax = 10_000;
/** Lines are written this long after the first of them: what a kill -9 may lose. */
export const auditFlushMs = 1_000;
/** Refused tokens that have a line of their own in a minute; more are counted, so that a flood of them stays small. */
export const auditRefusalsMax = 10;
/** The minute of `auditRefusalsMax`, in ms. */
export const auditRefusalWindowMs = 60_000;
/** Lines that may wait for a disk that does not answer; each takes about 1 kB. */
export const auditLinesWaitingMax = 10_000;
/** Characters of arguments that are digested before others are served: a millisecond where each is a value. */
export const auditDigestCharsAtOnce = 32 * KIB;
/** Characters of a command in the audit log. */
export const auditCommandCharsMax = 1_000;
/** Lines of the access log are written this long after the first of them: what a kill -9 may lose. */
export const accessLogFlushMs = 250;
/** Lines of it that may wait for a disk or pipe that does not answer; each takes about 0.5 kB. */
export const accessLogLinesWaitingMax = 20_000;
/** Refused requests that have a line of their own in a minute (`auditRefusalWindowMs`); more are counted. */
export const accessLogRefusalsMax = 100;
/** The last lines get this long to reach a disk or pipe that does not answer. */
export const accessLogEndMsMax = 1_000;
/** Characters of a name of clients or MCP servers in logs, metrics and traces. */
export const shownNameCharsMax = 200;
/** Tools that have counts of their own in the metrics: at 16 lines each, 5,000 lines. Others are counted together. */
export const metricToolsMax = 300;
/** Spans that may wait for a collector that does not answer: 1 kB each. */
export const otlpSpansWaitingMax = 4_096;
/** Spans in one request to the collector, and how long the first of them waits: the defaults of OpenTelemetry. */
export const otlpBatchSpansMax = 512;
export const otlpBatchMs = 5_000;
/** A request to the collector may take this long. */
export const otlpSendMsMax = 10_000;
/** After a failure: the first pause and the longest, each with jitter. */
export const otlpRetryMsMin = 1_000;
export const otlpRetryMsMax = 60_000;
/** How often metrics are sent to the collector. */
export const otlpMetricsMs = 60_000;
/** The last spans get this long at the end. */
export const otlpEndMsMax = 2_000;
/** An engine is looked at this often at most, when somebody asks for `/readyz`, and has to accept a connection within this. */
export const engineLookMs = 1_000;
export const engineLookMsMax = 1_000;
/** The folder of the store is looked at this often at most, when somebody asks for `/readyz`. */
export const storeLookMs = 5_000;
/** Steps of matching a pattern with a partly unknown word; beyond them, a match is assumed. */
export const globWorkMax = 1_000_000;

// ---- Skills ---------------------------------------------------------------------------------

/** Characters of the skills' list in the description of InvokeSkill, as JSON: all tools together stay below 4,000 tokens. */
export const skillListCharsMax = 6_000;
/** Characters of one description in the list of skills, when all fit: two or three lines, as agentskills.io recommends to write. */
export const skillDescriptionCharsMax = 300;
/** Characters of one description when they do not all fit: enough to tell what it is about. */
export const skillDescriptionShortCharsMax = 80;
/** Bytes of a SKILL.md: agentskills.io recommends 500 lines, which are some 30 KiB. */
export const skillFileBytesMax = 256 * KIB;
/** Characters of a skill with its arguments filled in; a result shows 30,000 and saves the rest. */
export const skillFilledCharsMax = 1024 * KIB;
/** Bytes of front matter, from the beginning of the file: a YAML parser takes milliseconds for hostile text that is longer. */
export const skillFrontMatterBytesMax = 8 * KIB;
/** Values of front matter in all; real ones have ten. */
export const skillFrontMatterValuesMax = 200;
/** How deep they may be nested; real ones have two levels. */
export const skillFrontMatterDepthMax = 8;
/** Skills of one folder; the rest is left out, and said so. */
export const skillsPerFolderMax = 1_000;
/** Characters of a skill's name (agentskills.io). */
export const skillNameCharsMax = 64;
/** Names of a skills folder that are looked at in one go, about a millisecond: 50,000 would hold up everybody. */
export const skillNamesAtOnceMax = 1_000;
/** Skill folders that are read at the same time: each has a file open. */
export const skillReadsMax = 32;
/** Files of a skill that are listed (skills extension: 512). */
export const skillFilesMax = 512;
/** Characters of their paths, all of them together: the list is a part of a result. */
export const skillFilePathsCharsMax = 32 * KIB;
/** Files and folders of one folder of a skill that are read: more than are listed. */
export const skillEntriesMax = 1_000;
/** Folders below a skill that are looked into. */
export const skillDirsMax = 128;
/** How deep they may be nested: the format recommends one level. */
export const skillDirDepthMax = 8;
/** Bytes of one file of a skill as a resource: base64 and JSON stay far below the longest message. */
export const skillResourceBytesMax = 1024 * KIB;
/** Workspaces whose skills are remembered: sessions over HTTP may have many. */
export const skillWorkspacesMax = 64;
/**
 * A folder that changed less than this before it was read is read again: file systems tell times apart by milliseconds to seconds.
 */
export const skillFolderSettledMs = 2_500;
/** A list waits this long for a client's roots, which may never come; later roots are announced as a change. */
export const skillListMsMax = 300;
/** A list waits this long for the disk, which nearly always answers: some clients ask for their list once only. */
export const skillListDiskMsMax = 2_000;
/** Clients that have a list are notified of changes after this at most. */
export const skillLookMs = 3_000;
/** Clients whose lists are watched: as many as there may be sessions. */
export const skillWatchersMax = 10_000;
/** Bytes of a required_skills.txt: a name a line. */
export const requiredSkillsBytesMax = 16 * KIB;
/** Names in the file that are used. */
export const requiredSkillsMax = 50;
/** It is looked at again after this. */
export const requiredSkillsLookMs = 1_000;

// ---- Tasks ----------------------------------------------------------------------------------

/** Characters of a task or step: a page of text. Longer text belongs into a file. */
export const taskTextCharsMax = 10_000;
/** Characters of the words that tasks are searched for: each is looked for in every text, and nobody reads that many. */
export const taskQueryCharsMax = 1_000;
/** Characters of each line of a list that has too many of them to show them whole. */
export const taskLineCharsMax = 200;
/** Tasks of one workspace: a loop that creates them fills no disk, and a search for words ends within a second. */
export const tasksMax = 50_000;
/** Steps of one task: more are tasks of their own. */
export const taskStepsMax = 1_000;
/** Tasks that are looked at for one reply: a line has 40 characters at least, and a result 30,000 by default. */
export const tasksShownMax = 1_000;
/** A file of tasks that is imported: all that a workspace may hold, at some 100 characters each, many times over. */
export const taskFileBytesMax = 64 * MIB;
/** Characters of the tasks in their resource, which a person reads or a program: more than a model takes. */
export const tasksResourceCharsMax = 200_000;
/** Changes of other processes reach who has subscribed within this; a look takes microseconds. */
export const stateLookMs = 1_000;
/** The folder that a link leads to is looked up again after this: whose plan and tasks a call sees follows it. */
export const folderLookMs = 1_000;
export const realFoldersMax = 1_000;
/** Whether another file has taken the place of the store's is looked at so often, and not with each command. */
export const storeFileLookMs = 1_000;

// ---- Hooks ----------------------------------------------------------------------------------

/** Files in the folder of one event that are used: two hundred are many, and each costs a process. */
export const hooksPerEventMax = 1_000;
/** Folders of hooks are looked at again after this: a look costs some 100 µs, off the main thread. */
export const hookLookMs = 1_000;
/** Bytes of a project's hook, which is read as a whole before each run. */
export const hookFileBytesMax = MIB;
/** Bytes of JSON on the command line of a hook; Linux refuses one argument above 128 KiB. More goes into a file. */
export const hookArgumentBytesMax = 100 * KIB;
/** Characters of JSON on the command line of a hook on Windows, where a whole command line has 32,767 characters and quotes may double. */
export const hookArgumentCharsWindowsMax = 8 * KIB;
/** Bytes of a hook's output that are kept, half of them from its start; the rest is counted. */
export const hookOutputBytesMax = 64 * KIB;
/** Characters of it that a model gets as the reason why its call was stopped. */
export const hookReasonCharsMax = 2_000;
/** Characters of it in the log. */
export const hookLogOutputCharsMax = 4 * KIB;
/** Bytes of one log of hooks; the one before is kept too. */
export const hookLogBytesMax = MIB;
/** Folders of sessions are removed when nothing was written to them for this long. */
export const sessionFolderAgeMsMax = 14 * 24 * 60 * 60 * 1000;
/** Hooks running at a time that calls wait for, and as many others. */
export const hooksRunningMax = 8;
/** Runs of hooks that may wait for their turn. */
export const hooksWaitingMax = 1_000;
/** Characters of JSON that is kept for them. */
export const hookWaitingCharsMax = 64 * MIB;
/** A hook may call a tool, whose hooks may call one: so deep and no deeper. */
export const hookDepthMax = 3;
/** Time for hooks of `session_end` when the server ends, which it does within 2 s. */
export const hookEndMsMax = 700;
/** A client without a running call for this long is idle: models rarely think longer between two calls. */
export const agentIdleMs = 60_000;
/** A file that was just written cannot be run while another child that is being started holds it open: some ms. */
export const fileBusyRetryMs = 20;
/** How often it is tried again. */
export const fileBusyRetriesMax = 50;

/** A file as a resource is one message, base64 and escaping included; messages have at most 16 MiB. */
export const resourceFileBytesMax = 5 * 1024 * 1024;

/** How often files that clients have subscribed to are looked at: a person does not see a second. */
export const fileLookMs = 1_000;

/**
 * Processes and threads of one command of one of several principals, where the system counts them for each sandbox: a build needs
 * some hundred, and a fork bomb stops here.
 */
export const principalProcessesMax = 1_024;
/** A principal's copy of a file that the server is to read: made by `head` in its sandbox. */
export const fileCopyMsMax = 15_000;
/** A command's private folder that a killed server left is removed when it is this old. */
export const privateFolderAgeMsMax = 24 * 60 * 60 * 1000;
/** Time for the trial of a sandbox; it takes some 10 ms. */
export const sandboxTrialMsMax = 10_000;
/** A sandbox that failed is tried again after this: a system may have been short of processes, or get one installed. */
export const sandboxFailureKeptMs = 30_000;

// ---- Fleets of replicas ---------------------------------------------------------------------

/** The shared engine answers a request by then, or the request fails with its name (FL4). Usual answers take less than 1 ms. */
export const sharedReplyMsMax = 1_000;
/** A connection to it is open by then, handshake and checks included. */
export const sharedConnectMsMax = 1_000;
/** A start waits this long for the engine: it may be starting as well. */
export const sharedStartMsMax = 5_000;
/** Between two tries to connect at first; it doubles. */
export const sharedRetryMsMin = 25;
/** And at most: an engine that is there again is used again within a second. */
export const sharedRetryMsMax = 500;
/** Requests that may wait for a connection: what ten thousand clients send in the second before all of them are refused. */
export const sharedWaitingMax = 2_000;
/** Requests under way at a time: each is a promise and some hundred bytes. */
export const sharedInFlightMax = 10_000;
/** A read that waits for new entries is asked again after this; a broken connection is noticed by then. */
export const sharedBlockMs = 2_000;
/** Entries in one answer of such a read. */
export const sharedTailEntriesMax = 100;
/** A replica that has not renewed its lease for this long is gone (FL3), by the clock of the engine. */
export const leaseMs = 10_000;
/** It is renewed this often: three tries may fail. */
export const leaseRenewMs = 2_500;
/** Before its end a replica that could not renew stops on its own: by then others may not yet think that it is gone (FL3). */
export const leaseFenceMs = 3_000;
/** An inbox that nobody reads is kept this long: longer than any difference of the clocks of two engines in a failover. */
export const inboxMs = 120_000;
/** Messages that may wait for one replica: it reads some ten thousand a second. */
export const inboxMessagesMax = 10_000;
/** Characters of one message between replicas: an MCP message and its envelope. */
export const replicaMessageCharsMax = messageLineBytesMax + MIB;
/** Changes that are kept for sessions that come to another replica: some hundred in the minutes in which clients come back. */
export const changesKeptMax = 1_000;
/** Reports of several replicas within this are of the same change: files are looked at each second. */
export const changeMatchMs = 1_500;
/** The time of a session in the engine is extended this often while it is used. */
export const sessionUseMs = 60_000;
/** A key that seals `requestState` is used this long: longer than a state is good for. */
export const stateKeyEpochMs = 60 * 60_000;
/** A secret in a file is read again this often. */
export const secretLookMs = 15_000;
/** Requests of other replicas that one runs at a time. */
export const replicaRequestsMax = 2_000;
