/** Limits of alerts and of their notifications, each with its reason. */
export const ALERT_LIMITS = {
  /** Keys of one rule that may fire at once. All others together are one event without a key. */
  alertMaxKeys: 1_000,
  /** Keys that a rule compares: the largest, or the most changed. Others count while they fire. */
  alertKeys: 10_000,
  /** Maximum of `for_windows` and `clear_windows`: a day has 288 windows of five minutes. */
  alertWindows: 1_000,
  /** Windows of a rule that are read and decided together: two hours at five minutes each. */
  alertBatchWindows: 24,
  /** Decoded segments kept in memory for rules: those of the newest windows. */
  alertCacheMegabytes: 32,
  /** How often the server looks for windows that are due. */
  alertsEveryMs: 1_000,
  /** How long after its start the server first looks: it answers requests first. */
  alertsFirstMs: 1_000,
  /** How often `silent_seconds` is compared with the clock. */
  alertSilenceSeconds: 10,
  /** How long reading a batch of windows may take. */
  alertTimeoutSeconds: 60,
  /**
   * How long a statement that evaluates or notifies may take, each of which is short. Then its
   * connection counts as lost: a proxy may keep it open although nothing passes any longer.
   */
  alertStatementMs: 20_000,
  /** How long the evaluation may make no progress before this counts as lag. */
  alertStallMs: 10_000,
  /** The pause after a rule could not be decided. */
  alertRetrySeconds: 10,
  /** Rules of a context that can be made in the page: each is evaluated every few minutes. */
  alertRules: 1_000,
  /**
   * Characters of the filter of one rule, its texts one a line: all rules of a context are read
   * and compiled together. A thousand addresses fit.
   */
  alertFilterCharacters: 16_384,
  /** Mistakes of one rule that are named; the others are counted. */
  alertMistakes: 10,
  /** Characters of the reason of a silence, and of the note of an acknowledgement. */
  alertNoteCharacters: 1_000,
  /** The longest silence, in days: one that lasts forever is forgotten, and is a disabled rule. */
  alertSilenceDays: 366,
  /** Trials of rules at once: each may take seconds, and tens of megabytes. */
  trialsAtOnce: 2,
  /** Windows that one trial of a rule reads: a month of five minutes each. */
  trialWindows: 9_000,
  /** Events that a trial lists: more than anybody would read. */
  trialEvents: 1_000,
  /** Events that are dropped in one statement: the next begins where it ended. */
  droppedEvents: 10_000,
  /** Events listed by one page of `alertEvents` unless `first` says otherwise. */
  defaultAlertEventsPage: 50,
  /** The most that one page lists, as for keys. */
  alertEventsPage: 1_000,
  /** How often the server looks for notifications that are due. */
  notificationCheckMs: 1_000,
  /** Waiting deliveries of one sink that are counted for metrics: takes less than a second. */
  countedDeliveries: 1_000_000,
  /** The pause after waiting deliveries were counted, as a multiple of how long that took. */
  waitingCountPause: 100,
  /** How long a sink may take to answer. */
  notificationMs: 10_000,
  /** The pause before a failed delivery is retried; doubles each time. */
  notificationFirstRetryMs: 1_000,
  /** The longest such pause. */
  notificationLongestRetryMs: 300_000,
  /** How long a delivery is retried before it is given up: a day. */
  notificationGiveUpMs: 86_400_000,
  /** Requests to one webhook at once, so that a slow one still gets several each second. */
  webhookRequests: 4,
  /** Changes of events sent to an Alertmanager at a time, along with all that is firing. */
  alertmanagerChanges: 1_000,
  /** Bytes of alerts in one request to an Alertmanager. Proxies often refuse more than 1 MiB. */
  alertmanagerBytes: 256 * 1024,
  /** How often everything that is firing is sent to an Alertmanager again. */
  alertmanagerRepeatMs: 60_000,
  /** How long an Alertmanager shows an alert that is not repeated: it may miss two repeats. */
  alertmanagerEndsMs: 180_000,
  /** Bytes of a sink's response that are read, so that its connection can be reused. */
  sinkAnswerBytes: 64 * 1024,
} as const;
