/** Limits of subscriptions, each with its reason. */
export const LIVE_LIMITS = {
  /** Open subscriptions: each takes a connection of its caller and about 30 KB. */
  streams: 5_000,
  /** Open subscriptions of one user: a dashboard has a handful in each tab. */
  streamsPerUser: 500,
  /**
   * Characters of the documents and variables of a user's open subscriptions. They stay in memory
   * and take about 10 to 100 bytes each. 500 subscriptions of the dashboard have about 1,500,000.
   */
  streamCharactersPerUser: 2 * 1024 * 1024,
  /** How often a stream sends something: proxies end idle connections after 60 s, some after 15. */
  heartbeatMs: 12_000,
  /** Bytes of an event written at once: each piece that is taken shows that the reader reads. */
  eventPieceBytes: 64 * 1024,
  /** How often versions of contexts are polled if there is no NOTIFY. */
  versionPollMs: 1_000,
  /** With NOTIFY, only one in this many polls is made: the connection may be dead. */
  versionPollsSkipped: 5,
  /** How often the rights of subscribers are checked: twice within the promised five seconds. */
  rightsCheckMs: 2_500,
  /**
   * Answers to subscriptions that a process computes at once. It is fewer than half of its
   * connections, so fewer still when several processes serve, but at least one.
   */
  liveAtOnce: 4,
  /** The pause before they ask for admission again while the server is too busy. */
  livePermitMs: 100,
  /** The pause before a failed answer is retried; doubles each time. */
  liveRetryMs: 1_000,
  /** The longest such pause. */
  liveLongestRetryMs: 30_000,
  /** Pause between two checks for alerts that began or ended: decisions come in bursts. */
  alertChangesMs: 100,
  /** Beginnings and ends of alerts that are rendered at once: about 500 KB. */
  alertChangesAtOnce: 500,
  /** How many of them a reader may lag behind: all keys of fifty rules, begun and ended. */
  alertChangesBehind: 100_000,
  /** The pause before a lost connection for NOTIFY is reopened; doubles each time. */
  listenRetryMs: 250,
  /** The longest such pause: versions are polled meanwhile. */
  listenLongestRetryMs: 10_000,
} as const;
