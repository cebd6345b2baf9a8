import { ACCESS_LIMITS } from './limits/access-limits.ts';
import { ALERT_LIMITS } from './limits/alert-limits.ts';
import { COLLECT_LIMITS } from './limits/collect-limits.ts';
import { DATAGRAM_LIMITS } from './limits/datagram-limits.ts';
import { FEED_LIMITS } from './limits/feed-limits.ts';
import { LIVE_LIMITS } from './limits/live-limits.ts';

/** Every limit of the service in one place, each with its reason. */
export const LIMITS = {
  /** A legacy request has a handful of parameters, but a pattern may be long (decision 1). */
  restBodyBytes: 64 * 1024,
  /** A dashboard's document of 60 aliased toppers is about 20 KiB. */
  graphqlBodyBytes: 256 * 1024,
  /** Bytes that a gzipped body may have beyond its limit: some data become a little more by it. */
  gzipOverheadBytes: 1024,
  /** Total characters of the cached compiled documents. One character takes about 100 bytes. */
  compiledDocumentCharacters: 512 * 1024,
  /** Characters that each field counts as, fragments expanded: it takes about 1,000 bytes. */
  plannedFieldCharacters: 8,
  /** Total characters of the documents whose requests are counted. */
  notedDocumentCharacters: 4 * 1024 * 1024,
  /** Total characters of the cached parsed documents. One character takes about 100 bytes. */
  parsedDocumentCharacters: 512 * 1024,
  /** Total characters of the documents that callers registered by their hash. */
  persistedDocumentCharacters: 4 * 1024 * 1024,
  /** Trusted documents: the server compiles all of them when it starts. */
  trustedDocuments: 10_000,
  /** Requests for a document before it is compiled: most documents are requested only once. */
  compileAfter: 4,
  /** Variables of @skip and @include: each requested combination of them has its own plan. */
  compiledConditions: 4,
  /** Tokens of a GraphQL document: a dashboard of 60 aliased toppers has about 3,000. */
  graphqlTokens: 5_000,
  /** Nested fields: a drill-down of a drill-down, counted from its context, has 9. */
  graphqlDepth: 12,
  /** Nested braces, also in fragments and in a request's other JSON: later stages recurse. */
  graphqlNesting: 150,
  /** Nested fields of `__schema` and `__type`: explorers and code generators need 15. */
  graphqlIntrospectionDepth: 20,
  /** Aliased fields of an operation: a dashboard has one for each of its 60 toppers. */
  graphqlAliases: 100,
  /** Root fields of an operation: the same dashboard, without a common context. */
  graphqlRootFields: 100,
  /** Directives of an operation: only `@include` and `@skip` are useful. */
  graphqlDirectives: 50,
  /** Comparisons of same-named fields after which graphql-js stops: its own limit. */
  graphqlComparisons: 500_000,
  /** Ids in one `nodes`: those of a whole page of keys. */
  graphqlNodeIds: 1_000,
  /** Five dashboards of 60 toppers of 100 keys with percentiles over 30 days (reference/limits). */
  graphqlCost: 1_000_000,
  /** Highest cost limit that can be configured: beyond it nothing is limited. */
  graphqlCostCeiling: 1_000_000_000,
  /** Maximum days charged for a window: little data is older, and missing data costs nothing. */
  graphqlCostDays: 366,
  /** The specification's default number of keys. */
  defaultMaxItems: 100,
  /** Steps of a trend: three and a half days in five-minute steps. */
  trendSteps: 1_000,
  /** Keys listed for each step of a trend unless `maxItems` says otherwise. */
  defaultTrendItems: 10,
  /** Keys listed by `/metrics/toppers`: Prometheus keeps a time series of each for weeks. */
  topperMetricsItems: 1_000,
  /** Keys listed by a drill-down unless told otherwise: every key may have one (schema). */
  defaultDrilldownItems: 10,
  /** Keys or events that an MCP tool lists unless told otherwise: a model reads every one. */
  defaultMcpItems: 10,
  /** Maximum that it lists: about 20 KB, which a model can still keep in mind. */
  mcpItems: 100,
  /** Points in the series of a key over MCP unless told otherwise. */
  defaultMcpPoints: 50,
  /** Maximum of such points: more than a day of five-minute topper buckets. */
  mcpPoints: 500,
  /** Ceiling of maxitems unless configured (decision 29). */
  maxItems: 10_000,
  /** Highest ceiling that can be configured: such an answer has about 100 MB. */
  maxItemsCeiling: 1_000_000,
  /** Ranks in one list, also over REST: all integers from 0 to 100. */
  percentileRanks: 101,
  /** Points of a series: a week in one-minute steps (decisions, section 10). */
  seriesPoints: 10_000,
  /** Seconds between points: 68 years, the largest Int of GraphQL and of PostgreSQL. */
  seriesStepSeconds: 2_147_483_647,
  /** Points in the series of all listed keys of one topper: a hundred series of 10,000 points. */
  seriesPointsInAll: 1_000_000,
  /** Values in the answer to one operation: each object, entry of a list, and leaf. */
  answerValues: 4_000_000,
  /** The same for callers who have not signed in: ten times the standard introspection query. */
  answerValuesSignedOut: 50_000,
  /** Keys × instructions of a pattern that cost a unit, as much as a listed key: microseconds. */
  filterUnit: 10_000,
  /** How long an operation may take to render what it has when its time limit has passed. */
  lateAnswerMs: 100,
  /** Characters of one answer: what is complete is kept until all is, because it may still fail. */
  answerCharacters: 128 * 1024 * 1024,
  /** Bytes of answers that readers of one server process have not taken. */
  unreadBytes: 64 * 1024 * 1024,
  /** The same of one address. */
  unreadBytesPerAddress: 16 * 1024 * 1024,
  /** Approximate memory of a key that a topper lists, until its answer is rendered. */
  listedKeyBytes: 600,
  /** Answers of up to so many bytes are rendered however many bytes others have not taken. */
  smallAnswerBytes: 65_536,
  /** Answers of so many bytes are compressed: shorter ones fit into one packet anyway. */
  compressedAnswerBytes: 1_000,
  /** Answers that are compressed at once: as many as zlib has threads. */
  compressedAtOnce: 4,
  /** Bytes of short answers and of their compressed copies that are remembered together. */
  compressedTextsBytes: 8_388_608,
  /** How long a reader may take nothing while there are more. */
  stuckReaderMs: 10_000,
  /** How long after its time limit a request is ended whatever it waits for. */
  overdueMs: 300,
  /** Cross-key groups that `drilldowns` of a key names: more than any context has. */
  drilldownGroups: 20,
  /** Drill-downs of a request that are answered at once, so that one statement reads for many. */
  drilldownsAtOnce: 1_000,
  /** Rows of a flat series: a hundred keys over three days, far more than a chart shows. */
  flatSeriesRows: 100_000,
  /** Keys listed by one page of `keys` unless `first` says otherwise. */
  defaultKeysPage: 50,
  /** Keys listed by one page of `keys`. */
  keysPage: 1_000,
  /** Seconds; beyond it PostgreSQL's statement_timeout and Node's timers overflow (decision 14). */
  timeoutSeconds: 2_147_483,
  /** Bytes of a text key (decisions, section 7). */
  textKeyBytes: 512,
  /** Bytes of a whole cross-key: the most that a PostgreSQL b-tree entry can hold. */
  crossKeyBytes: 2_600,
  /** Characters of a key pattern: RE2's time is linear in it, but the program stays in memory. */
  patternLength: 10_000,
  /** Instructions of a compiled key pattern: only counted repetitions exceed its length. */
  patternInstructions: 20_000,
  /** Values in one list of a key filter. */
  filterListItems: 10_000,
  /** Bytes of one line of an import: a longer line is not a log line. */
  importLineBytes: 1024 * 1024,
  /** Rows of readings kept in memory before an import writes them as segments. */
  importBatchRows: 1_500_000,
  /** Memory in bytes for these rows, because each may have its own key. */
  importBatchBytes: 160 * 1024 * 1024,
  /** Bytes of key texts, labels and attributes kept in memory before an import writes them. */
  importBatchTextBytes: 64 * 1024 * 1024,
  /** Rows of an export whose keys are looked up together: the keys may have long texts. */
  exportPageRows: 5_000,
  /** Keys with texts that an export reads at once. It remembers their compact form. */
  exportTextKeys: 20_000,
  /** Characters that an export renders before it writes them. */
  exportChunkCharacters: 256 * 1024,
  /** Delay before a started server looks for segments to merge: it answers requests first. */
  mergingFirstMs: 3_000,
  /** How often it looks again: a feed that commits every minute has a merge due every 12. */
  mergingEveryMs: 10_000,
  /** How often the server looks for due roll-ups in a context with nothing to merge. */
  rollUpCheckSeconds: 3600,
  /** The same if nothing was imported or merged since: then only time makes a roll-up due. */
  quietRollUpCheckSeconds: 86_400,
  /** Pause before merging is retried in a context where it failed. */
  mergingRetrySeconds: 60,
  /** How often a command that waits for the merge of another one checks whether it is done. */
  mergeCheckMs: 200,
  /** How often replaced segments are swept: they stay for five minutes anyway. */
  sweepingEverySeconds: 60,
  /**
   * How long a read retries distributed pages that a worker does not have yet, before the request
   * is retried from the start. A worker commits some milliseconds after the coordinator, later if
   * it is overloaded.
   */
  latePagesMs: 2_000,
  /** How often a read of distributed pages checks whether all workers still answer. */
  workerCheckMs: 1_000,
  /**
   * How long a worker may take to answer this check. Together with `workerCheckMs` it is less than
   * `connectTimeoutMs`, after which requests that wait for a connection are refused.
   */
  workerAnswerMs: 1_500,
  /** How long a new partition of pages waits while Citus moves a shard. Feeds then retry. */
  shardMoveWaitMs: 120_000,
  /** How often the partition is retried meanwhile. */
  shardMoveCheckMs: 500,
  /** Shards of each table of pages: every partition is a separate table in each shard. */
  shards: 1_000,
  /** How long removing an archived or dropped slice's pages waits for older readers, at first. */
  detachWaitMs: 10_000,
  /** How often it checks whether these readers are done. */
  detachCheckMs: 50,
  /** Bytes of an archive's header, which names groups, meters and probes. */
  archiveHeaderBytes: 64 * 1024 * 1024,
  /** Characters of a context's folder in a pool: a file name may have 255 bytes. */
  archiveFolderCharacters: 150,
  /** Delay before a started server looks for slices that are too old: it answers requests first. */
  retentionFirstMs: 3_000,
  /** How often it looks again: slices become too old at most once an hour. */
  retentionEveryMs: 60_000,
  /** How far the clocks of database and server may differ: beyond it, one of them is wrong. */
  clockDifferenceSeconds: 300,
  /** How long it waits for an import to release the context before it retries later. */
  retentionLockMs: 10_000,
  /** Differences that `verify` names. It only counts the others. */
  namedDifferences: 1_000,
  /** Addresses whose key and network an import remembers: a large office's day. */
  importKnownAddresses: 65_536,
  /** Slices that one file may fill: each takes a few of PostgreSQL's locks (6,400 by default). */
  importSlices: 1_000,
  /** Days that one flow may last: a longer flow comes from a wrong clock. */
  flowDays: 31,
  /** Bad lines that an import names. It only counts the others. */
  importNamedBadLines: 100,
  /** Characters of names of contexts, users, nodes, probes, pools, groups and meters. */
  nameLength: 200,
  /** Time limit for a connection to a database; then the database counts as unreachable. */
  connectTimeoutMs: 3_000,
  /** How long a pooler may make a new connection wait until a process of the server is free. */
  poolerWaitMs: 30_000,
  /** How long a cancelled statement may take to end before its socket is cut. */
  cancelGraceMs: 2_000,
  /** How often the cancel is repeated: one that arrives before its statement is lost. */
  cancelAgainMs: 100,
  /** Time limit for a start: after a crash the server first replays up to 2 GB of WAL. */
  embeddedStartMs: 300_000,
  /** Time limit for a fast shutdown, which ends with a checkpoint; then it is made immediate. */
  embeddedStopMs: 60_000,
  /** How often `serve` checks whether its embedded server is alive. */
  embeddedCheckMs: 250,
  /** Pause before an embedded server that died again is restarted; doubles each time. */
  embeddedPauseMs: 500,
  /** The longest such pause. A server that lived longer is restarted immediately. */
  embeddedLongestPauseMs: 30_000,
  /** How long the processes of a killed server may take to end after each signal. */
  orphanGraceMs: 1_000,
  /** How long a request counts as running after its caller has gone: its statement is cancelled. */
  goneCallerMs: 250,
  /** Bytes of a refused body that are still read, so that the caller sees the answer. */
  discardedBodyBytes: 16 * 1024 * 1024,
  /** How long reading them may take. */
  discardMs: 5_000,
  /** Seconds that a server that is shutting down waits for the requests it is answering. */
  shutdownSeconds: 10,
  /** Maximum in seconds: systemd and Kubernetes are rarely told to wait longer before a kill. */
  shutdownSecondsCeiling: 3_600,
  /** Delay before a shutdown closes idle connections: requests may be on their way there. */
  drainIdleMs: 500,
  /** Connections waiting to be accepted: the kernel's own limit, which is the same on Linux. */
  waitingConnections: 4_096,
  /** Addresses whose network is remembered: some hundred bytes each. */
  knownCallers: 1_000,
  /**
   * Requests in progress at once. Most wait for their turn, and ten at a time use the database. A
   * small server that stalls for a second fills them.
   */
  concurrentRequests: 1_024,
  /** More than one process can handle. */
  concurrentRequestsCeiling: 100_000,
  /** Identical reads in progress at once. Later callers share the next read. */
  sharedReads: 2,
  /** How long a shared read waits for those before it. */
  sharedReadMs: 25,
  /** How long a request may wait to start: one that a one-second stall delays is still answered. */
  startWaitMs: 2_000,
  /** Period whose refused requests are reported in one line of the log. */
  refusalLogMs: 10_000,
  /** Period in which requests that fail for the same reason are logged once in full. */
  repeatedFailureMs: 60_000,
  /** Reasons that are kept in mind for that. */
  repeatedFailures: 100,
  /** Failed log-ins of a user from one address: nobody mistypes so often, guessing needs more. */
  loginFailures: 20,
  /** Failed log-ins from one address: an office behind it may have a dozen failing scripts. */
  loginFailuresPerAddress: 300,
  /** Seconds over which failures are counted and a caller with too many is refused. */
  loginFailureSeconds: 60,
  /** Callers, and pairs of caller and user, whose log-ins are remembered: about 10 MB. */
  rememberedCallers: 50_000,
  /** Megabytes of an uploaded file: a day of flows of a large office, compressed. */
  uploadMegabytes: 1_024,
  /** Highest size that can be configured: a terabyte. */
  uploadCeilingMegabytes: 1_048_576,
  /** Files that a process of the server imports at once: each takes a processor and its memory. */
  uploadsAtOnce: 1,
  /** Seconds after which another upload may be tried: most files are imported by then. */
  uploadRetrySeconds: 10,
  /** Bytes of a file that arrive in `slowCallerSeconds` at least: 4 kbit/s. */
  uploadLeastBytes: 16 * 1024,
  /** Characters that are kept of what an importer says, in case it ends without a result. */
  uploadLastWords: 4_000,
  /** Open connections: an idle one takes about 20 KB and a file descriptor. */
  connections: 2_048,
  /** More than an operating system gives to a program. */
  connectionsCeiling: 1_000_000,
  /** Bytes of a request's line and headers: the longest key pattern fits in a query string. */
  headerBytes: 32 * 1024,
  /** Seconds for a request's line and headers to arrive: they are one packet or a few. */
  headersSeconds: 10,
  /** Seconds for a whole request (256 KiB at 70 kbit/s), and to accept any part of an answer. */
  slowCallerSeconds: 30,
  /** How often the server checks for requests that take too long to arrive. */
  connectionCheckMs: 1_000,
  /** Seconds an idle connection is kept: longer than the 60 after which proxies close theirs. */
  keepAliveSeconds: 65,
  /** Maximum, an hour: an idle connection is cheap to reopen. */
  keepAliveSecondsCeiling: 3_600,
  /** Silence on a connection after which TCP probes whether the other side is still there. */
  tcpProbeMs: 30_000,
  /** Worker threads that add up blocks: beyond it memory is the limit, not processors. */
  workersCeiling: 64,
  /** Tasks waiting for a worker thread. Beyond it, the user who has the most is refused one. */
  workerQueue: 256,
  /** Decoded segments in memory: a month of a large group, on a machine with 2 GB. */
  blockCacheMegabytes: 256,
  /** Highest size that can be configured: a terabyte. */
  blockCacheCeilingMegabytes: 1_048_576,
  /** Answers in memory: about a thousand toppers of a hundred keys. */
  answerCacheMegabytes: 32,
  /** Rendered answers in memory: about a thousand of a hundred keys. */
  responseCacheMegabytes: 32,
  /** Duration beyond which a request is logged as slow, unless configured. */
  slowRequestMs: 1_000,
  /** Plans in such a log line: the first ones show what kind of request it was. */
  slowLogPlans: 20,
  /** Caller-chosen names that are labels of metrics: each is kept until the server ends. */
  metricNames: 200,
  /** How long a server that is shutting down waits for its last traces to be accepted. */
  traceFlushMs: 5_000,
  /** How often a primary that does not answer is checked: it is used again within that time. */
  primaryCheckMs: 1_000,
  /** Total time that a request waits for a shared standby before the primary answers. */
  standbyWaitMs: 2_000,
  /** Delay before a standby that was passed over is checked again; doubles each time. */
  standbyCheckMs: 100,
  /** The longest such delay. */
  standbyLongestCheckMs: 5_000,
  /** How long a standby may be passed over before that is logged: others catch up sooner. */
  standbyWarnMs: 1_000,
  /** Connections to each PostgreSQL node. */
  poolConnections: 10,
  /** Minimum of these for each process when several processes serve. */
  poolConnectionsLeast: 2,
  /** Processes that serve at one address: the largest machines have a few more processors. */
  processesCeiling: 64,
  /** Pause before a process that failed to start is restarted; doubles each time. */
  processPauseMs: 500,
  /** The longest such pause. */
  processLongestPauseMs: 30_000,
  /** Consecutive failed starts after which the server gives up, if no process serves. */
  processStarts: 8,
  /** How often each process is pinged to check whether it still handles messages … */
  processCheckMs: 5_000,
  /** … and how many pings in a row it may miss: nothing that it does takes half a minute. */
  processSilentChecks: 6,
  /** How long a process may take to report its metrics. Then its last report is used. */
  processMetricsMs: 1_000,
  /** How long an ending process may take beyond the time for its requests and traces. */
  processEndMs: 5_000,
  /** Requests that `parity` sends to both services at once: it must not put load on either. */
  parityAtOnce: 4,
  /** Different requests of one run. They are held in memory. */
  parityRequests: 200_000,
  /** How long `parity` waits: as long as a topper may take. Callers notice a longer wait. */
  parityTimeoutMs: 120_000,
  /** Bytes of an answer that `parity` reads: several times those of 10,000 keys. */
  parityBodyBytes: 64 * 2 ** 20,
  ...LIVE_LIMITS,
  ...ALERT_LIMITS,
  ...ACCESS_LIMITS,
  // The audit.
  /** How long rows of the audit are kept: a year, and a month to look back at it. */
  auditDays: 400,
  /** A century. */
  auditDaysCeiling: 36_500,
  /** How often failed sign-ins are written, and rows of other processes logged. */
  auditEveryMs: 1_000,
  /** Rows that are read, or logged, at a time. */
  auditRows: 1_000,
  /**
   * Failed sign-ins that are told apart by name and address, in a minute. More are only counted: an
   * attack must not fill the database.
   */
  failedSignIns: 50,
  /** The same for the names that come from one address: it must not take all places. */
  failedSignInsOfAddress: 10,
  // What users change over GraphQL.
  /** Keys in one `updateKeys`: the largest page of a list of keys (decisions, section 10). */
  updatedKeys: 1_000,
  /** Characters of a label that a user types: several times the longest host name. */
  labelCharacters: 1_000,
  /** Characters of a description, and of an attribute's value: some pages of text. */
  descriptionCharacters: 10_000,
  /** Attributes of a key: what an inventory knows about a host. */
  keyAttributes: 100,
  /** Characters of an attribute's name. */
  attributeNameCharacters: 200,
  /** Tags of a slice (decisions, section 10). */
  sliceTags: 20,
  /** Characters of each tag. */
  sliceTagCharacters: 100,
  ...FEED_LIMITS,
  ...DATAGRAM_LIMITS,
  ...COLLECT_LIMITS,
} as const;
