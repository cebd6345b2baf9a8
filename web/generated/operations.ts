// Generated from web/operations and schema/schema.graphql by `npm run operations`.

import { type Operation, operation } from '../src/api/operation.ts';

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** What an alert compares with its threshold. */
export type AlertComparison =
  /** A key is above the threshold. */
  | 'KEY_ABOVE'
  /** A key has grown by more than the threshold since the window just before. */
  | 'KEY_GROWS_BY'
  /** A key is among that many largest. */
  | 'KEY_IN_TOP'
  /** A key without a reading in the window just before is above the threshold. */
  | 'KEY_NEW_ABOVE'
  /** A key's share of the total, 0 to 1, is above the threshold. */
  | 'KEY_SHARE_ABOVE'
  /** No new data have arrived for more than that many seconds. */
  | 'SILENT_SECONDS'
  /** The total is above the threshold. */
  | 'TOTAL_ABOVE'
  /** The total is below the threshold. */
  | 'TOTAL_BELOW';

/** A whole rule, as in an `apply` file: what is left out, or null, has its default, whatever it was before. */
export type AlertInput = {
  /** How many windows in a row must not meet it before an event ends, at most 1,000; default: 1. */
  readonly clearWindows?: number | null | undefined;
  /** What it compares with the threshold. */
  readonly condition: AlertComparison;
  /** GUID of the group that it watches. */
  readonly counterGroup: string;
  /** A text for receivers, at most 10,000 characters. */
  readonly description?: string | null | undefined;
  /** Whether it is evaluated; default: true. */
  readonly enabled?: boolean | null | undefined;
  /** Which keys count; default: all. */
  readonly filter?: KeyFilterInput | null | undefined;
  /** How many windows in a row must meet the condition before an event begins, at most 1,000; default: 1. */
  readonly forWindows?: number | null | undefined;
  /** How many keys may fire at once, at most 1,000; default: 100. */
  readonly maxKeys?: number | null | undefined;
  /** Number of the meter that it compares; default: 0. */
  readonly meter?: number | null | undefined;
  /** Its name, which is unique in the context. */
  readonly name: string;
  /** The only probe whose readings count; default: all. */
  readonly probe?: string | null | undefined;
  /** For `saveAlert`: name of the rule that it replaces, which need not be the new name; left out: it is a new rule. */
  readonly replaces?: string | null | undefined;
  /** A word that receivers can route by; default: `warning`. */
  readonly severity?: string | null | undefined;
  /** An integer; with KEY_SHARE_ABOVE a number from 0 to 1. Amounts are of a whole window: 100 Mbit/s in five minutes is 3,750,000,000 bytes. */
  readonly threshold: number;
  /** Length of a window, a multiple of topperBucketSize; default: one topper bucket. */
  readonly windowSeconds?: number | null | undefined;
};

/** What kind of receiver a sink is. */
export type AlertSinkKind =
  /** An Alertmanager of Prometheus. */
  | 'ALERTMANAGER'
  /** An address that is sent a POST for each change. */
  | 'WEBHOOK';

/** A window by dates, each as ISO 8601 or as people write it: `2026-07-15`, `2026-07-15T10:00`, `2026-07-15T10:00:00+02:00`, `Jul 15 2026 10:00:00 AM`. A date alone is its first moment; without `Z` or an offset it is in `timeZone`. Fractions of a second are dropped. */
export type DateRangeInput = {
  /** Its start: `2026-07-15T10:00`. */
  readonly from: string;
  /** Its end, not included: `2026-07-15T11:00`. */
  readonly to: string;
};

/** A cross-key group to drill down by: its GUID, or its name. */
export type DrilldownInput = {
  /** GUID of one of the group's `drilldowns`. */
  readonly crosskey?: string | null | undefined;
  /** Number of the meter of that group to rank by. */
  readonly meter?: number;
  /** Its name, in place of `crosskey`. */
  readonly name?: string | null | undefined;
};

/** A name and a value that describe a key. */
export type KeyAttributeInput = {
  /** What the value describes; each name once. */
  readonly name: string;
  /** The value; an attribute with an empty value is left out. */
  readonly value: string;
};

/** Which keys to list. All given conditions must hold; an empty list counts as left out. */
export type KeyFilterInput = {
  /** For address groups: networks in CIDR form. With `prefix` the networks that lie wholly inside are listed. */
  readonly cidr?: ReadonlyArray<string> | null | undefined;
  /** RE2 pattern; keys in which it is found are left out. */
  readonly exclude?: string | null | undefined;
  /** For address groups: networks whose addresses are left out; with `prefix`, the networks that lie wholly inside. */
  readonly excludeCidr?: ReadonlyArray<string> | null | undefined;
  /** All but these keys, raw or readable. */
  readonly excludeKeys?: ReadonlyArray<string> | null | undefined;
  /** Only these keys, raw or readable. */
  readonly keys?: ReadonlyArray<string> | null | undefined;
  /** RE2 pattern searched in the raw key. */
  readonly match?: string | null | undefined;
  /** Case-insensitive text in the label or the readable form. */
  readonly search?: string | null | undefined;
};

/** What the keys of a counter group are. */
export type KeyKind =
  /** Autonomous systems: `00.00.3B.41` is AS15169. */
  | 'ASN'
  /** Countries: `US`. */
  | 'COUNTRY'
  /** Two or three keys of other groups joined by a backslash. */
  | 'CROSSKEY'
  /** Router address and interface number: `C0.A8.01.01.00.00.00.03`. */
  | 'INTERFACE'
  /** IPv4 and IPv6 addresses. */
  | 'IP'
  /** IPv4 addresses: `C0.A8.01.0A` is 192.168.1.10. */
  | 'IPV4'
  /** IPv6 addresses: 16 bytes, `20.01.0D.B8.….01`. */
  | 'IPV6'
  /** Ethernet addresses: `00.0B.DB.63.58.A6`. */
  | 'MAC'
  /** Ports: `00.50` is 80. */
  | 'PORT'
  /** IP protocols: `06` is TCP. */
  | 'PROTOCOL'
  /** Networks: `C0.A8.01.00/18` is 192.168.1.0/24, the prefix length in hexadecimal. */
  | 'SUBNET'
  /** Any text. */
  | 'TEXT';

/** New texts of a key. Fields that are left out stay as they are; null or an empty text removes the text. */
export type KeyUpdateInput = {
  /** All its attributes: they replace the existing ones. */
  readonly attributes?: ReadonlyArray<KeyAttributeInput> | null | undefined;
  /** What is known about it, at most 10,000 characters. */
  readonly description?: string | null | undefined;
  /** The key, raw or readable. It needs no readings. */
  readonly key: string;
  /** Its name, at most 1,000 characters. */
  readonly label?: string | null | undefined;
};

/** How a meter's readings combine. The REST endpoints give the number of the type. */
export type MeterType =
  /** Automatic (minimum, maximum, average, deviation); ranked by the mean. */
  | 'VT_AUTO'
  /** Average of samples: a window holds the mean. */
  | 'VT_AVERAGE'
  /** Basic counter: a window holds the sum. */
  | 'VT_COUNTER'
  /** Counter with sliding window: a window holds the sum. */
  | 'VT_COUNTER_WITH_SLIDING_WINDOW'
  /** Delta rate counter, as in SNMP, shown as volume ÷ topper bucket size. */
  | 'VT_DELTA_RATE_COUNTER'
  /** Basic gauge: a window holds the mean. */
  | 'VT_GAUGE'
  /** Gauge with minimum, maximum and average; ranked by the mean. */
  | 'VT_GAUGE_MIN_MAX_AVG'
  /** An invalid meter: it cannot be ranked. */
  | 'VT_INVALID'
  /** Maximum of samples: a window holds the largest reading. */
  | 'VT_MAX'
  /** Minimum of samples: a window holds the smallest reading. */
  | 'VT_MIN'
  /** Rate counter, stored as volume and shown as volume ÷ topper bucket size. */
  | 'VT_RATE_COUNTER'
  /** Rate counter with sliding window. */
  | 'VT_RATE_COUNTER_WITH_SLIDING_WINDOW'
  /** Running counter without deltas: a window holds the largest reading. */
  | 'VT_RUNNING_COUNTER';

/** Rolls the keys of an address group up to networks, which then become the keys, in the form of kind `subnet`. */
export type PrefixInput = {
  /** Prefix length of IPv4 networks, 0 to 32. */
  readonly ipv4?: number;
  /** Prefix length of IPv6 networks, 0 to 128. */
  readonly ipv6?: number;
};

/** What keys are ranked by. It does not change `metric`, `total` or `others`. */
export type RankBy =
  /** How much less; keys without a reading now are listed with metric 0. */
  | 'DECLINE'
  /** How much more than `ago` seconds earlier (default: the window just before); only keys with more. */
  | 'GROWTH'
  /** Their value over the window. */
  | 'METRIC'
  /** Only keys without a reading in the earlier window, by metric. */
  | 'NEW'
  /** The largest topper bucket. */
  | 'PEAK'
  /** The `percentile` (default 95) of the topper buckets. */
  | 'PERCENTILE';

/** What a grant of a context allows. */
export type Role =
  /** Also changes the texts of its keys, the tags of its slices and its alerts. */
  | 'EDITOR'
  /** Reads the context. */
  | 'READER';

/** A half-open interval: `from` is in it, `to` is not. */
export type TimeIntervalInput = {
  /** Its start. */
  readonly from: number;
  /** Its end, not included. */
  readonly to: number;
};

/** A window by its start and its length. */
export type WindowDurationInput = {
  /** Its start. */
  readonly from: number;
  /** Its length in seconds. */
  readonly seconds: number;
};

/** Exactly one of these. Left out: the current day from midnight until now. */
export type WindowInput =
  {   /** From one date to another. */
  readonly dates: DateRangeInput; readonly interval?: never; readonly preset?: never; readonly recentSeconds?: never; readonly startingAt?: never; }
  |  { readonly dates?: never;   /** From one time to another. */
  readonly interval: TimeIntervalInput; readonly preset?: never; readonly recentSeconds?: never; readonly startingAt?: never; }
  |  { readonly dates?: never; readonly interval?: never;   /** A named window. */
  readonly preset: WindowPreset; readonly recentSeconds?: never; readonly startingAt?: never; }
  |  { readonly dates?: never; readonly interval?: never; readonly preset?: never;   /** The most recent N seconds of available data. */
  readonly recentSeconds: number; readonly startingAt?: never; }
  |  { readonly dates?: never; readonly interval?: never; readonly preset?: never; readonly recentSeconds?: never;   /** A start and a length. */
  readonly startingAt: WindowDurationInput; };

/** Windows by name. LATEST_TOPPER_BUCKET is the newest complete one. */
export type WindowPreset =
  /** From the oldest to the newest available bucket. */
  | 'ALL_AVAILABLE'
  /** The newest complete topper bucket. */
  | 'LATEST_TOPPER_BUCKET'
  /** From midnight until now, in the time zone of the argument. */
  | 'TODAY'
  /** The day before, from midnight to midnight. */
  | 'YESTERDAY';

export type AcknowledgeEventMutationVariables = Exact<{
  id: string | number;
  note?: string | null | undefined;
}>;


export type AcknowledgeEventMutation = { readonly acknowledgeEvent: { readonly id: string } | null };

export type AddDataQueryVariables = Exact<{
  context: string;
}>;


export type AddDataQuery = { readonly viewer: { readonly username: string, readonly isAdmin: boolean, readonly editableContexts: ReadonlyArray<{ readonly name: string }>, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly name: string, readonly probes: ReadonlyArray<string>, readonly exporters: ReadonlyArray<{ readonly address: string, readonly protocols: ReadonlyArray<string>, readonly lastSeen: number, readonly flows: number | string, readonly lost: number | string, readonly refused: number | string, readonly waitingForTemplate: number, readonly samplingRates: ReadonlyArray<number | string>, readonly doubts: ReadonlyArray<string>, readonly refusals: ReadonlyArray<{ readonly reason: string, readonly count: number | string }> }> | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type AddUserMutationVariables = Exact<{
  name: string;
  isGroup: boolean;
  isAdmin: boolean;
}>;


export type AddUserMutation = { readonly addUser: { readonly name: string } | null };

export type AlertChangesSubscriptionVariables = Exact<{
  context: string;
}>;


export type AlertChangesSubscription = { readonly alertEvents: { readonly id: string } | null };

export type AlertHistoryQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  alert?: string | null | undefined;
  events: number;
  after?: string | null | undefined;
}>;


export type AlertHistoryQuery = { readonly viewer: { readonly username: string, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly alertSinks: ReadonlyArray<{ readonly name: string, readonly kind: AlertSinkKind, readonly target: string, readonly gets: string, readonly signed: boolean, readonly lastDelivered: number | null, readonly lastError: string | null }> | null, readonly alertEvents: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly startedAt: number, readonly endedAt: number | null, readonly value: number | string, readonly peakValue: number | string, readonly acknowledgedAt: number | null, readonly acknowledgedBy: string | null, readonly note: string | null, readonly alert: { readonly id: string, readonly name: string, readonly severity: string, readonly description: string | null, readonly enabled: boolean, readonly condition: string, readonly comparison: AlertComparison, readonly threshold: number, readonly windowSeconds: number, readonly probe: string | null, readonly filtered: boolean, readonly forWindows: number, readonly clearWindows: number, readonly maxKeys: number, readonly madeInPage: boolean, readonly madeBy: string | null, readonly silencedUntil: number | null, readonly silencedBy: string | null, readonly silenceReason: string | null, readonly filter: { readonly keys: ReadonlyArray<string>, readonly excludeKeys: ReadonlyArray<string>, readonly cidr: ReadonlyArray<string>, readonly excludeCidr: ReadonlyArray<string>, readonly match: string | null, readonly exclude: string | null, readonly search: string | null } | null, readonly counterGroup: { readonly guid: string, readonly name: string, readonly topperBucketSize: number }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string } }, readonly key: { readonly key: string, readonly label: string, readonly readable: string } | null } }>, readonly pageInfo: { readonly hasNextPage: boolean, readonly endCursor: string | null } }, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type AlertMarksQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  events: number;
}>;


export type AlertMarksQuery = { readonly context: { readonly alertEvents: { readonly edges: ReadonlyArray<{ readonly node: { readonly id: string, readonly startedAt: number, readonly key: { readonly key: string, readonly label: string, readonly readable: string } | null, readonly alert: { readonly name: string, readonly severity: string, readonly probe: string | null, readonly counterGroup: { readonly guid: string }, readonly meter: { readonly index: number } } } }>, readonly pageInfo: { readonly hasNextPage: boolean } } } | null };

export type AlertTrialQueryVariables = Exact<{
  context: string;
  alert: AlertInput;
  window: WindowInput;
  timeZone: string;
}>;


export type AlertTrialQuery = { readonly context: { readonly alertTrial: { readonly fired: number, readonly windows: number, readonly window: { readonly from: number, readonly to: number } | null, readonly events: ReadonlyArray<{ readonly startedAt: number, readonly endedAt: number | null, readonly value: number | string, readonly peakValue: number | string, readonly key: { readonly key: string, readonly label: string, readonly readable: string } | null }> } | null } | null };

export type AlertsQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
}>;


export type AlertsQuery = { readonly viewer: { readonly isAdmin: boolean, readonly editableContexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly totalWindow: { readonly to: number } | null, readonly exporters: ReadonlyArray<{ readonly address: string, readonly lastSeen: number, readonly flows: number | string, readonly lost: number | string, readonly doubts: ReadonlyArray<string> }> | null, readonly alerts: ReadonlyArray<{ readonly evaluatedTo: number | null, readonly id: string, readonly name: string, readonly severity: string, readonly description: string | null, readonly enabled: boolean, readonly condition: string, readonly comparison: AlertComparison, readonly threshold: number, readonly windowSeconds: number, readonly probe: string | null, readonly filtered: boolean, readonly forWindows: number, readonly clearWindows: number, readonly maxKeys: number, readonly madeInPage: boolean, readonly madeBy: string | null, readonly silencedUntil: number | null, readonly silencedBy: string | null, readonly silenceReason: string | null, readonly firing: ReadonlyArray<{ readonly id: string, readonly startedAt: number, readonly endedAt: number | null, readonly value: number | string, readonly peakValue: number | string, readonly acknowledgedAt: number | null, readonly acknowledgedBy: string | null, readonly note: string | null, readonly key: { readonly key: string, readonly label: string, readonly readable: string } | null }>, readonly filter: { readonly keys: ReadonlyArray<string>, readonly excludeKeys: ReadonlyArray<string>, readonly cidr: ReadonlyArray<string>, readonly excludeCidr: ReadonlyArray<string>, readonly match: string | null, readonly exclude: string | null, readonly search: string | null } | null, readonly counterGroup: { readonly guid: string, readonly name: string, readonly topperBucketSize: number }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string } }> } | null };

export type AuditQueryVariables = Exact<{
  since?: number | null | undefined;
  user?: string | null | undefined;
  rows: number;
}>;


export type AuditQuery = { readonly audit: ReadonlyArray<{ readonly at: number, readonly user: string | null, readonly from: string | null, readonly action: string, readonly object: string, readonly details: ReadonlyArray<{ readonly name: string, readonly value: string }> }> | null };

export type EarlierQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  prefix?: PrefixInput | null | undefined;
  step?: number | null | undefined;
}>;


export type EarlierQuery = { readonly context: { readonly counterGroup: { readonly topper: { readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null } | null } | null };

export type EarlierTrafficQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  timeZone: string;
  probe?: string | null | undefined;
  traffic: string;
  meter: number;
  keys?: KeyFilterInput | null | undefined;
  ofKeys: boolean;
  hasSides: boolean;
  intoMeter: number;
  intoKeys?: KeyFilterInput | null | undefined;
  outMeter: number;
  outKeys?: KeyFilterInput | null | undefined;
  step?: number | null | undefined;
  first: WindowInput;
  second: WindowInput;
  window: WindowInput;
}>;


export type EarlierTrafficQuery = { readonly context: { readonly traffic: { readonly first: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null, readonly second: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null, readonly all: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly into?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly outOf?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null } | null } | null };

export type EndSessionsMutationVariables = Exact<{
  user: string;
}>;


export type EndSessionsMutation = { readonly endSessions: number | null };

export type KeyPanelQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  key: string;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  by: ReadonlyArray<DrilldownInput> | DrilldownInput;
  drilled: number;
}>;


export type KeyPanelQuery = { readonly context: { readonly counterGroup: { readonly timeInterval: { readonly from: number, readonly to: number } | null, readonly known: { readonly key: string, readonly label: string, readonly readable: string, readonly description: string | null, readonly attributes: ReadonlyArray<{ readonly name: string, readonly value: string }> | null } | null, readonly topper: { readonly total: number | string, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly drilldowns: ReadonlyArray<{ readonly total: number | string, readonly others: number | string, readonly keyCount: number, readonly counterGroup: { readonly guid: string }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly volume: number | string | null, readonly averageRate: number | null, readonly share: number | null }> } | null> | null, readonly percentiles: ReadonlyArray<{ readonly rank: number, readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string } } | null } | null } | null };

export type KeyTextsQueryVariables = Exact<{
  context: string;
  group: string;
  key: string;
}>;


export type KeyTextsQuery = { readonly context: { readonly counterGroup: { readonly key: { readonly key: string, readonly label: string, readonly readable: string, readonly description: string | null, readonly attributes: ReadonlyArray<{ readonly name: string, readonly value: string }> | null } | null } | null } | null };

export type LiveOverviewSubscriptionVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  traffic: string;
  meter: number;
  keys?: KeyFilterInput | null | undefined;
  ofKeys: boolean;
  hasSides: boolean;
  intoMeter: number;
  intoKeys?: KeyFilterInput | null | undefined;
  outMeter: number;
  outKeys?: KeyFilterInput | null | undefined;
  step?: number | null | undefined;
  newest: WindowInput;
}>;


export type LiveOverviewSubscription = { readonly contextChanged: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly traffic: { readonly guid: string, readonly newest: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null, readonly all: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly into?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly outOf?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type LiveTopKeysSubscriptionVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  items: number;
  charted: number;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  rankBy: RankBy;
  percentile?: number | null | undefined;
  rankAgo?: number | null | undefined;
  prefix?: PrefixInput | null | undefined;
  shownPercentile: number;
  withSlices: boolean;
  within?: TimeIntervalInput | null | undefined;
  withMatching: boolean;
}>;


export type LiveTopKeysSubscription = { readonly contextChanged: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices?: ReadonlyArray<{ readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly counterGroup: { readonly guid: string, readonly table: { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> } | null, readonly chart: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type LiveTopKeysWithoutSubscriptionVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  items: number;
  charted: number;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  rankBy: RankBy;
  percentile?: number | null | undefined;
  rankAgo?: number | null | undefined;
  prefix?: PrefixInput | null | undefined;
  shownPercentile: number;
  withSlices: boolean;
  within?: TimeIntervalInput | null | undefined;
  withMatching: boolean;
  hidden: ReadonlyArray<string> | string;
  hiddenItems: number;
}>;


export type LiveTopKeysWithoutSubscription = { readonly contextChanged: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices?: ReadonlyArray<{ readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly counterGroup: { readonly guid: string, readonly table: { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> } | null, readonly chart: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null, readonly hidden: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string }> } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type MakeTokenMutationVariables = Exact<{
  user: string;
  name: string;
  expires?: number | null | undefined;
}>;


export type MakeTokenMutation = { readonly makeToken: { readonly name: string, readonly token: string } | null };

export type NetworkPanelQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  key: string;
  prefix: PrefixInput;
  cidr: string;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  drilled: number;
}>;


export type NetworkPanelQuery = { readonly context: { readonly counterGroup: { readonly timeInterval: { readonly from: number, readonly to: number } | null, readonly topper: { readonly total: number | string, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly rank: number, readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string } } | null, readonly within: { readonly othersMatching: number | string, readonly total: number | string, readonly others: number | string, readonly keyCount: number, readonly counterGroup: { readonly guid: string }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly volume: number | string | null, readonly averageRate: number | null, readonly share: number | null }> } | null } | null } | null };

export type NetworkTrafficQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
}>;


export type NetworkTrafficQuery = { readonly context: { readonly counterGroup: { readonly topper: { readonly total: number | string, readonly matching: { readonly total: number | string } } | null } | null } | null };

export type OverviewQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  traffic: string;
  meter: number;
  keys?: KeyFilterInput | null | undefined;
  ofKeys: boolean;
  hasSides: boolean;
  intoMeter: number;
  intoKeys?: KeyFilterInput | null | undefined;
  outMeter: number;
  outKeys?: KeyFilterInput | null | undefined;
  step?: number | null | undefined;
  newest: WindowInput;
}>;


export type OverviewQuery = { readonly viewer: { readonly username: string, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly traffic: { readonly guid: string, readonly newest: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null, readonly all: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly into?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly outOf?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type OverviewCardsQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  traffic: string;
  meter: number;
  keys?: KeyFilterInput | null | undefined;
  cards: ReadonlyArray<string> | string;
  cardMeter: number;
  cardStep?: number | null | undefined;
}>;


export type OverviewCardsQuery = { readonly context: { readonly traffic: { readonly all: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null } | null, readonly cards: ReadonlyArray<{ readonly guid: string, readonly topper: { readonly total: number | string, readonly keyCount: number, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly volume: number | string | null, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }> } | null }> } | null };

export type PlacesQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  items: number;
}>;


export type PlacesQuery = { readonly context: { readonly counterGroup: { readonly topper: { readonly total: number | string, readonly others: number | string, readonly keyCount: number, readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly volume: number | string | null }> } | null } | null } | null };

export type RemoveAlertMutationVariables = Exact<{
  context: string;
  name: string;
}>;


export type RemoveAlertMutation = { readonly removeAlert: boolean | null };

export type RemoveUserMutationVariables = Exact<{
  name: string;
  isGroup: boolean;
}>;


export type RemoveUserMutation = { readonly removeUser: boolean | null };

export type RemoveViewMutationVariables = Exact<{
  context: string;
  name: string;
}>;


export type RemoveViewMutation = { readonly removeView: boolean | null };

export type RevokeGrantMutationVariables = Exact<{
  user: string;
  isGroup: boolean;
  context: string;
}>;


export type RevokeGrantMutation = { readonly revokeGrant: { readonly name: string } | null };

export type RevokeTokenMutationVariables = Exact<{
  user: string;
  name: string;
}>;


export type RevokeTokenMutation = { readonly revokeToken: { readonly name: string } | null };

export type SaveAlertMutationVariables = Exact<{
  context: string;
  alert: AlertInput;
  ifId?: string | number | null | undefined;
}>;


export type SaveAlertMutation = { readonly saveAlert: { readonly name: string } | null };

export type SaveGrantMutationVariables = Exact<{
  user: string;
  isGroup: boolean;
  context: string;
  role: Role;
  onlyNetworks?: ReadonlyArray<string> | string | null | undefined;
  onlyProbes?: ReadonlyArray<string> | string | null | undefined;
  onlyGroups?: ReadonlyArray<string> | string | null | undefined;
}>;


export type SaveGrantMutation = { readonly saveGrant: { readonly name: string } | null };

export type SaveViewMutationVariables = Exact<{
  context: string;
  name: string;
  address?: string | null | undefined;
  newName?: string | null | undefined;
  shared?: boolean | null | undefined;
  live?: boolean | null | undefined;
}>;


export type SaveViewMutation = { readonly saveView: { readonly name: string, readonly owner: string, readonly isOwn: boolean, readonly address: string, readonly shared: boolean, readonly live: boolean, readonly starred: boolean } | null };

export type SavedViewsQueryVariables = Exact<{
  context: string;
}>;


export type SavedViewsQuery = { readonly context: { readonly views: ReadonlyArray<{ readonly name: string, readonly owner: string, readonly isOwn: boolean, readonly address: string, readonly shared: boolean, readonly live: boolean, readonly starred: boolean }> | null } | null };

export type SetAdminMutationVariables = Exact<{
  name: string;
  isGroup: boolean;
  isAdmin: boolean;
}>;


export type SetAdminMutation = { readonly setAdmin: { readonly name: string } | null };

export type SignInQueryVariables = Exact<{ [key: string]: never; }>;


export type SignInQuery = { readonly viewer: { readonly username: string, readonly contexts: ReadonlyArray<{ readonly name: string, readonly probes: ReadonlyArray<string>, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> }> } };

export type SilenceAlertMutationVariables = Exact<{
  context: string;
  name: string;
  until?: number | null | undefined;
  reason?: string | null | undefined;
}>;


export type SilenceAlertMutation = { readonly silenceAlert: { readonly id: string } | null };

export type StarViewMutationVariables = Exact<{
  context: string;
  name: string;
  owner?: string | null | undefined;
  starred: boolean;
}>;


export type StarViewMutation = { readonly starView: { readonly name: string } | null };

export type StarredViewsQueryVariables = Exact<{ [key: string]: never; }>;


export type StarredViewsQuery = { readonly viewer: { readonly contexts: ReadonlyArray<{ readonly name: string, readonly views: ReadonlyArray<{ readonly address: string, readonly live: boolean, readonly starred: boolean }> | null }> } };

export type StorageQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
}>;


export type StorageQuery = { readonly viewer: { readonly username: string, readonly editableContexts: ReadonlyArray<{ readonly name: string }>, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly haSlaveMode: boolean | null, readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices: ReadonlyArray<{ readonly id: string, readonly sliceId: number, readonly name: string, readonly engine: number, readonly status: string, readonly available: boolean, readonly tags: ReadonlyArray<string>, readonly path: string | null, readonly diskSize: number | string | null, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly pools: ReadonlyArray<{ readonly id: string, readonly name: string, readonly status: string, readonly mounted: string | null, readonly fileSystem: string | null, readonly totalSize: number | string | null, readonly availSize: number | string | null, readonly offlineArchive: boolean, readonly offlineArchiveMounted: boolean, readonly additionalInfo: string | null }> | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type SuggestionsQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  searched: ReadonlyArray<string> | string;
  typed: string;
  suggested: number;
}>;


export type SuggestionsQuery = { readonly context: { readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly keys: { readonly pageInfo: { readonly hasNextPage: boolean }, readonly edges: ReadonlyArray<{ readonly node: { readonly key: string, readonly label: string, readonly readable: string } }> } | null }> } | null };

export type TopKeysQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  items: number;
  charted: number;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  rankBy: RankBy;
  percentile?: number | null | undefined;
  rankAgo?: number | null | undefined;
  prefix?: PrefixInput | null | undefined;
  shownPercentile: number;
  withSlices: boolean;
  within?: TimeIntervalInput | null | undefined;
  withMatching: boolean;
}>;


export type TopKeysQuery = { readonly viewer: { readonly username: string, readonly editableContexts: ReadonlyArray<{ readonly name: string }>, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices?: ReadonlyArray<{ readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly counterGroup: { readonly guid: string, readonly table: { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> } | null, readonly chart: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type TopKeysWithoutQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  items: number;
  charted: number;
  step?: number | null | undefined;
  ago?: number | null | undefined;
  rankBy: RankBy;
  percentile?: number | null | undefined;
  rankAgo?: number | null | undefined;
  prefix?: PrefixInput | null | undefined;
  shownPercentile: number;
  withSlices: boolean;
  within?: TimeIntervalInput | null | undefined;
  withMatching: boolean;
  hidden: ReadonlyArray<string> | string;
  hiddenItems: number;
}>;


export type TopKeysWithoutQuery = { readonly viewer: { readonly username: string, readonly editableContexts: ReadonlyArray<{ readonly name: string }>, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices?: ReadonlyArray<{ readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly counterGroup: { readonly guid: string, readonly table: { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> } | null, readonly chart: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null, readonly hidden: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string }> } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type TrendQueryVariables = Exact<{
  context: string;
  node?: string | null | undefined;
  fromDr: boolean;
  group: string;
  meter: number;
  window: WindowInput;
  timeZone: string;
  probe?: string | null | undefined;
  filter?: KeyFilterInput | null | undefined;
  every: number;
  items: number;
  rows: number;
  withMatching: boolean;
  hidden: ReadonlyArray<string> | string;
  withHidden: boolean;
}>;


export type TrendQuery = { readonly viewer: { readonly username: string, readonly contexts: ReadonlyArray<{ readonly name: string }> }, readonly context: { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly counterGroup: { readonly guid: string, readonly timeInterval: { readonly from: number, readonly to: number } | null, readonly trend: ReadonlyArray<{ readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string }> }> | null, readonly whole: { readonly total: number | string, readonly keyCount: number, readonly window: { readonly from: number, readonly to: number }, readonly matching?: { readonly total: number | string, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly key: string, readonly metric: number | string }> } | null, readonly hidden?: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string }> } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> } | null };

export type UpdateKeysMutationVariables = Exact<{
  context: string;
  group: string;
  keys: ReadonlyArray<KeyUpdateInput> | KeyUpdateInput;
}>;


export type UpdateKeysMutation = { readonly updateKeys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly description: string | null, readonly attributes: ReadonlyArray<{ readonly name: string, readonly value: string }> | null }> | null };

export type UpdateSliceMutationVariables = Exact<{
  id: string | number;
  tags: ReadonlyArray<string> | string;
}>;


export type UpdateSliceMutation = { readonly updateSlice: { readonly id: string, readonly tags: ReadonlyArray<string> } | null };

export type UserDetailsQueryVariables = Exact<{
  names: ReadonlyArray<string> | string;
}>;


export type UserDetailsQuery = { readonly users: ReadonlyArray<{ readonly name: string, readonly shownName: string | null, readonly isGroup: boolean, readonly isAdmin: boolean, readonly tokens: ReadonlyArray<{ readonly name: string, readonly created: number, readonly expires: number | null, readonly lastUsed: number | null }>, readonly sessions: ReadonlyArray<{ readonly began: number, readonly ends: number, readonly token: string | null, readonly issuer: string | null }>, readonly grants: ReadonlyArray<{ readonly context: string, readonly role: Role, readonly onlyNetworks: ReadonlyArray<string> | null, readonly onlyProbes: ReadonlyArray<string> | null, readonly onlyGroups: ReadonlyArray<string> | null }> }> | null };

export type UsersQueryVariables = Exact<{ [key: string]: never; }>;


export type UsersQuery = { readonly viewer: { readonly username: string, readonly isAdmin: boolean }, readonly users: ReadonlyArray<{ readonly name: string, readonly shownName: string | null, readonly isGroup: boolean, readonly isAdmin: boolean, readonly grants: ReadonlyArray<{ readonly context: string, readonly role: Role, readonly onlyNetworks: ReadonlyArray<string> | null, readonly onlyProbes: ReadonlyArray<string> | null, readonly onlyGroups: ReadonlyArray<string> | null }> }> | null };

export type AccountFragment = { readonly name: string, readonly shownName: string | null, readonly isGroup: boolean, readonly isAdmin: boolean, readonly grants: ReadonlyArray<{ readonly context: string, readonly role: Role, readonly onlyNetworks: ReadonlyArray<string> | null, readonly onlyProbes: ReadonlyArray<string> | null, readonly onlyGroups: ReadonlyArray<string> | null }> };

export type AlertOccurrenceFragment = { readonly id: string, readonly startedAt: number, readonly endedAt: number | null, readonly value: number | string, readonly peakValue: number | string, readonly acknowledgedAt: number | null, readonly acknowledgedBy: string | null, readonly note: string | null, readonly key: { readonly key: string, readonly label: string, readonly readable: string } | null };

export type AlertRuleFragment = { readonly id: string, readonly name: string, readonly severity: string, readonly description: string | null, readonly enabled: boolean, readonly condition: string, readonly comparison: AlertComparison, readonly threshold: number, readonly windowSeconds: number, readonly probe: string | null, readonly filtered: boolean, readonly forWindows: number, readonly clearWindows: number, readonly maxKeys: number, readonly madeInPage: boolean, readonly madeBy: string | null, readonly silencedUntil: number | null, readonly silencedBy: string | null, readonly silenceReason: string | null, readonly filter: { readonly keys: ReadonlyArray<string>, readonly excludeKeys: ReadonlyArray<string>, readonly cidr: ReadonlyArray<string>, readonly excludeCidr: ReadonlyArray<string>, readonly match: string | null, readonly exclude: string | null, readonly search: string | null } | null, readonly counterGroup: { readonly guid: string, readonly name: string, readonly topperBucketSize: number }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string } };

export type AnsweringFragment = { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> };

export type ChoicesFragment = { readonly name: string, readonly probes: ReadonlyArray<string>, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> };

export type DrilldownFragment = { readonly total: number | string, readonly others: number | string, readonly keyCount: number, readonly counterGroup: { readonly guid: string }, readonly meter: { readonly index: number, readonly name: string, readonly type: MeterType, readonly units: string }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly volume: number | string | null, readonly averageRate: number | null, readonly share: number | null }> };

export type HiddenKeysOfContextFragment = { readonly counterGroup: { readonly hidden: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string }> } | null } | null };

export type KeyFiguresFragment = { readonly metric: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly rank: number, readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null };

export type KeyWindowFragment = { readonly total: number | string, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string } };

export type KnownKeyFragment = { readonly key: string, readonly label: string, readonly readable: string, readonly description: string | null, readonly attributes: ReadonlyArray<{ readonly name: string, readonly value: string }> | null };

export type OverviewOfContextFragment = { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly traffic: { readonly guid: string, readonly newest: { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> } | null, readonly all: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly into?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly outOf?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> };

export type SavedViewFragment = { readonly name: string, readonly owner: string, readonly isOwn: boolean, readonly address: string, readonly shared: boolean, readonly live: boolean, readonly starred: boolean };

export type StoredSliceFragment = { readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } };

export type TopChartFragment = { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } };

export type TopKeysOfContextFragment = { readonly nodeName: string, readonly name: string, readonly probes: ReadonlyArray<string>, readonly slices?: ReadonlyArray<{ readonly name: string, readonly status: string, readonly timeInterval: { readonly from: number, readonly to: number } }> | null, readonly counterGroup: { readonly guid: string, readonly table: { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> } | null, readonly chart: { readonly keys: ReadonlyArray<{ readonly key: string, readonly label: string, readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly matching: { readonly series: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null } } | null } | null, readonly totalWindow: { readonly from: number, readonly to: number } | null, readonly counterGroups: ReadonlyArray<{ readonly guid: string, readonly name: string, readonly keyKind: KeyKind, readonly bucketSize: number, readonly topperBucketSize: number, readonly samplingRate: number, readonly keysOf: { readonly guid: string } | null, readonly crosskey: { readonly parentGuid: string, readonly crosskeyGuid1: string, readonly crosskeyGuid2: string | null } | null, readonly drilldowns: ReadonlyArray<{ readonly guid: string, readonly name: string }>, readonly meters: ReadonlyArray<{ readonly index: number, readonly name: string, readonly description: string, readonly type: MeterType, readonly units: string }> }> };

export type TopTableFragment = { readonly total: number | string, readonly othersMatching: number | string, readonly keyCount: number, readonly samplingRate: number, readonly window: { readonly from: number, readonly to: number, readonly seconds: number | string }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly matching?: { readonly total: number | string, readonly share: number | null, readonly keyCount: number }, readonly keys: ReadonlyArray<{ readonly rank: number, readonly key: string, readonly label: string, readonly readable: string, readonly metric: number | string, readonly rankValue: number | string, readonly volume: number | string | null, readonly share: number | null, readonly averageRate: number | null, readonly peak: number | string | null, readonly percentiles: ReadonlyArray<{ readonly value: number | string }> | null, readonly previous: { readonly metric: number | string | null, readonly rank: number | null, readonly changeRatio: number | null, readonly window: { readonly from: number, readonly to: number } } | null }> };

export type TrafficAmountFragment = { readonly total: number | string, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null, readonly keys: ReadonlyArray<{ readonly metric: number | string }> };

export type TrafficOfGroupFragment = { readonly all: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly into?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null, readonly outOf?: { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null } | null };

export type TrafficOverTimeFragment = { readonly total: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly total: number | string }> | null, readonly keys: ReadonlyArray<{ readonly metric: number | string, readonly series?: ReadonlyArray<{ readonly at: number, readonly value: number | string }> | null }>, readonly window: { readonly from: number, readonly to: number }, readonly availableWindow: { readonly from: number, readonly to: number } | null };

export const AcknowledgeEvent: Operation<AcknowledgeEventMutation, AcknowledgeEventMutationVariables> = operation('AcknowledgeEvent', 'af48c6050bbb8af777f77537bb32ff9363b20710684a2de6812dd270c3b636a3');
export const AddData: Operation<AddDataQuery, AddDataQueryVariables> = operation('AddData', '67edf69f4cc9ad951d41fe36924ce10b3e0adbefafba83f5979c7740e1c99977');
export const AddUser: Operation<AddUserMutation, AddUserMutationVariables> = operation('AddUser', '4491ee9386cc99c3440393feedd0db40b943a6807fb5a42d65b9addba2016c15');
export const AlertChanges: Operation<AlertChangesSubscription, AlertChangesSubscriptionVariables> = operation('AlertChanges', 'ee5c0712220ee77c5922eca49b53aa9b999745785f65dac012c96fea0345a397');
export const AlertHistory: Operation<AlertHistoryQuery, AlertHistoryQueryVariables> = operation('AlertHistory', '93e5fa1bc657c7472f8a583c2a1402264a731a05c596067b8868bf268a66d6e1');
export const AlertMarks: Operation<AlertMarksQuery, AlertMarksQueryVariables> = operation('AlertMarks', 'f74897054e7c00b855299265587ff6fa01416e1055ae7ab6f4b814236e64832e');
export const AlertTrial: Operation<AlertTrialQuery, AlertTrialQueryVariables> = operation('AlertTrial', '0f5fcf6fa794446b543e29caef76bdf3dd98cf8244540d8819de152dfb4c5e5b');
export const Alerts: Operation<AlertsQuery, AlertsQueryVariables> = operation('Alerts', '07e6e703a3771ccc16abca17090d735103b7779406a699f4ae4975a2fb53ac4a');
export const Audit: Operation<AuditQuery, AuditQueryVariables> = operation('Audit', 'e8370dfff8fcbb97d9dc47d24cb3b9a7c42506bf9205ec668cf51a2e80ab4485');
export const Earlier: Operation<EarlierQuery, EarlierQueryVariables> = operation('Earlier', '68165f59dd6dd1e15e6ebd07f4eca6c3b64c27b0accf389482e60c761d1b3ed1');
export const EarlierTraffic: Operation<EarlierTrafficQuery, EarlierTrafficQueryVariables> = operation('EarlierTraffic', '4644dc554bc49fc875664400d6fe144e83a646bd88dc3cf4c42830c57827175a');
export const EndSessions: Operation<EndSessionsMutation, EndSessionsMutationVariables> = operation('EndSessions', 'df68753393ebda23a700bd417b3c16fe2353de7249e4a123889fcc62f36ae627');
export const KeyPanel: Operation<KeyPanelQuery, KeyPanelQueryVariables> = operation('KeyPanel', '27254842465ddb65b81f7a7b4ef7421e1caf2bfc5f7aceb87c31844345cd988e');
export const KeyTexts: Operation<KeyTextsQuery, KeyTextsQueryVariables> = operation('KeyTexts', 'a60af9f90974c0413227247fa3afd9e5395f86b6bdb5a5ff1a4b61224aab8212');
export const LiveOverview: Operation<LiveOverviewSubscription, LiveOverviewSubscriptionVariables> = operation('LiveOverview', 'b28893e24e549991da7b9b9b8ffd3f246dcbf5e832f511c3188fdb725046d996');
export const LiveTopKeys: Operation<LiveTopKeysSubscription, LiveTopKeysSubscriptionVariables> = operation('LiveTopKeys', 'b9ba96f190d3b0e829d9147ed8c1f494a0b796c6a6764cd10c0f1c2b4f4cd295');
export const LiveTopKeysWithout: Operation<LiveTopKeysWithoutSubscription, LiveTopKeysWithoutSubscriptionVariables> = operation('LiveTopKeysWithout', 'ae0ec4e65929c7c434eabebba0efbd4b21402e294e56da91c19f99dfc6c03c01');
export const MakeToken: Operation<MakeTokenMutation, MakeTokenMutationVariables> = operation('MakeToken', '8b09dedf01aaa43f0991cc3022248f4b88315cd83f94829f3b18014a5236c5fe');
export const NetworkPanel: Operation<NetworkPanelQuery, NetworkPanelQueryVariables> = operation('NetworkPanel', 'abb10475742985771034eed5893ff70884c63dcede95cbf38e0a394f625d2d83');
export const NetworkTraffic: Operation<NetworkTrafficQuery, NetworkTrafficQueryVariables> = operation('NetworkTraffic', 'b1ac7e588d326bd5992a699cd81848611b1d1a40677f3302282a71052069145c');
export const Overview: Operation<OverviewQuery, OverviewQueryVariables> = operation('Overview', '199570cb75b25e3ba079bbe5c551aabc0da0e889951fa5104305b78303bc24c3');
export const OverviewCards: Operation<OverviewCardsQuery, OverviewCardsQueryVariables> = operation('OverviewCards', 'c449d103b4ebadc920155831226ec72416611b36104b5246e62f0b78e3620867');
export const Places: Operation<PlacesQuery, PlacesQueryVariables> = operation('Places', '6ab7b9019145efa633b42a89c40d4a3a58ab6806df8c4f590f31b40d8a7ece37');
export const RemoveAlert: Operation<RemoveAlertMutation, RemoveAlertMutationVariables> = operation('RemoveAlert', '8be519c1a28035a8149b50e02125ebb1352adf8d9dfc4350362e33b52d7582cd');
export const RemoveUser: Operation<RemoveUserMutation, RemoveUserMutationVariables> = operation('RemoveUser', 'c41bab117f3f92464cb70a7ff794dd068d4a65283c9f9c7b86aa3d0b85cc10b2');
export const RemoveView: Operation<RemoveViewMutation, RemoveViewMutationVariables> = operation('RemoveView', 'e706ea3eacc50898842c4e9307f1a27b988b16292efcc803efa13be30d889949');
export const RevokeGrant: Operation<RevokeGrantMutation, RevokeGrantMutationVariables> = operation('RevokeGrant', '3bc834d8d9dee39e448596d824db5ad311101b5bc262f5714945bd211dde4162');
export const RevokeToken: Operation<RevokeTokenMutation, RevokeTokenMutationVariables> = operation('RevokeToken', '049511215c38e08ed49b3669fec57cbb5aec3a33d3919b49ef5d7a025c5f7a82');
export const SaveAlert: Operation<SaveAlertMutation, SaveAlertMutationVariables> = operation('SaveAlert', 'c964f627778b7260c7e29c307f03d3aa711fe5302af26d62965035ee4ec162df');
export const SaveGrant: Operation<SaveGrantMutation, SaveGrantMutationVariables> = operation('SaveGrant', '0026c5cfab36871d89202fd09434a65f1e7d1caeb7802d337d7626f6a64d3a1f');
export const SaveView: Operation<SaveViewMutation, SaveViewMutationVariables> = operation('SaveView', 'da3ae82501dd3a2dc7e7de6ce7890437d14b3fc7fa05be26d03ad25c8dd76f31');
export const SavedViews: Operation<SavedViewsQuery, SavedViewsQueryVariables> = operation('SavedViews', 'deca65c51c27bfff32efd9c11a5f48b0a1a42a3002d9ca3d147bf000523325dc');
export const SetAdmin: Operation<SetAdminMutation, SetAdminMutationVariables> = operation('SetAdmin', '9da38275007db3d085db66850beb3d57a8e1676499a1b46be54404d69f0a605d');
export const SignIn: Operation<SignInQuery, SignInQueryVariables> = operation('SignIn', 'c95bc309bb5d73992c46a91b1164fe34c251e4deb2e22537f24e3c119e280b3e');
export const SilenceAlert: Operation<SilenceAlertMutation, SilenceAlertMutationVariables> = operation('SilenceAlert', '6f92d2efe1703420bc5c4cb8e9f1da501f15f86ab0dcedbf3d11da49d5088cc2');
export const StarView: Operation<StarViewMutation, StarViewMutationVariables> = operation('StarView', 'eb99fbcc3682ca2446873250d0c04284a707c5ae130e5a753925f7f47caa57d9');
export const StarredViews: Operation<StarredViewsQuery, StarredViewsQueryVariables> = operation('StarredViews', '42d7a80e8948b289f64b2657e651ee39498233501331e7e2cdb3eabd708d605b');
export const Storage: Operation<StorageQuery, StorageQueryVariables> = operation('Storage', 'ad03e0ed0ecba7f1b9a43ba753b4d4e7573a8336ca847e8fb8d8ec10f4357820');
export const Suggestions: Operation<SuggestionsQuery, SuggestionsQueryVariables> = operation('Suggestions', '737e671f1a93205c48c367811d5b41ec2028b3ff035611edc2065cdf15e57363');
export const TopKeys: Operation<TopKeysQuery, TopKeysQueryVariables> = operation('TopKeys', 'b03350497c0f0bbe6450c21de2faec5a8f9ba9d35eae0efd5f7f059abb435103');
export const TopKeysWithout: Operation<TopKeysWithoutQuery, TopKeysWithoutQueryVariables> = operation('TopKeysWithout', 'd6ed453a0fd6597cbef8b55302f15cb5bf9d41e75eb6b1523fcad0bac769fac5');
export const Trend: Operation<TrendQuery, TrendQueryVariables> = operation('Trend', 'dd9c80927428bd6a2be59094ab57d9c4cdd54032dfc51dbf5d916d7461710410');
export const UpdateKeys: Operation<UpdateKeysMutation, UpdateKeysMutationVariables> = operation('UpdateKeys', 'a0dafee84a62e1868b6e430037ab49919ef4fdf5c8d3661a8b011758accba14f');
export const UpdateSlice: Operation<UpdateSliceMutation, UpdateSliceMutationVariables> = operation('UpdateSlice', '1961b4b726a4c81cb5cb123a049838491458250d755550a2606ff0520a416d6a');
export const UserDetails: Operation<UserDetailsQuery, UserDetailsQueryVariables> = operation('UserDetails', '1256e7931150de219e9981c6d2dbd131005b964011c0db31edce31f869fa67cd');
export const Users: Operation<UsersQuery, UsersQueryVariables> = operation('Users', '03e379a6c60ec6e38c0687c19debc5bf7e2f893773b9c136026d07bcc2b28110');