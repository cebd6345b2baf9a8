import { invalidWindow, malformed, serviceError } from '../../domain/errors.ts';
import { isEmptyFilter, type KeyFilter } from '../../domain/filters/key-filter.ts';
import { lengthsName, type NetworkLengths } from '../../domain/filters/network-lengths.ts';
import { isAddressKind } from '../../domain/keys/key-text.ts';
import { type Interval, intersect, MAX_EPOCH_SECONDS } from '../../domain/time/interval.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import type { WindowRequest } from '../../domain/time/window.ts';
import { type Aggregate, aggregateOf } from '../../domain/toppers/meter-type.ts';
import type { PlannedRanking, Ranking } from '../../domain/toppers/ranking.ts';
import type { MeterRule } from '../../domain/toppers/topper-arithmetic.ts';
import type { MeterScan } from '../../engine/plan/meter-scan.ts';
import { probeIdOf } from '../contexts.ts';
import { type CounterGroupView, findMeter, type MeterView } from '../counter-groups.ts';
import type { KeyView } from '../keys.ts';
import type { Deadline } from '../loaders/request-reads.ts';
import type { RequestScope } from '../request-scope.ts';
import { windowOf } from '../window-of.ts';

/** A topper as requested, with its texts decoded and nothing looked up. */
export type TopperRequest = {
  readonly group: CounterGroupView;
  readonly meterIndex: number;
  readonly window: WindowRequest;
  readonly maxItems: number;
  /** Whether the number of keys is not needed. */
  readonly withoutCount: boolean;
  readonly ranking: Ranking;
  /** Networks of this length are ranked in place of keys; null: keys are. */
  readonly prefix: NetworkLengths | null;
  readonly filter: KeyFilter;
  readonly probe: string | null;
  /** IANA name; null: the server's. */
  readonly timeZone: string | null;
  /** null: the time limit of the request. */
  readonly timeoutSeconds: number | null;
  /** The surface's own names of what its errors are about. */
  readonly names: TopperNames;
};

export type TopperNames = { maxItems: string; timeZone: string; match: string; exclude: string };

/** The key that a drill-down goes into; only its cross-keys count. */
type Within = { readonly group: CounterGroupView; readonly key: string };

/** A topper that can be read: everything looked up and checked. */
export type TopperPlan = {
  readonly meter: MeterView;
  readonly aggregate: Aggregate;
  readonly rule: MeterRule;
  readonly window: Interval;
  /** The span in which the group has data of the probe, or of all probes; null: no data. */
  readonly available: Interval | null;
  /** The window within the available data: percentiles, peak and series use only this part. */
  readonly covered: Interval;
  readonly probeId: number | null;
  /** Which keys may be listed; null: all. */
  readonly filter: KeyFilter | null;
  readonly within: Within | null;
  /** Its keys are networks of this length; null: they are the group's. */
  readonly prefix: NetworkLengths | null;
  readonly ranking: PlannedRanking;
  readonly maxItems: number;
  readonly withoutCount: boolean;
  readonly deadline: Deadline | null;
};

/** Checks a request and looks up what it names. Errors: those of decisions 2 to 4. */
export async function planTopper(scope: RequestScope, request: TopperRequest): Promise<TopperPlan> {
  const { group, names } = request;
  checkMaxItems(request.maxItems, scope.settings.maxTopperItems, names.maxItems);
  const timeZone = request.timeZone ?? scope.settings.timeZone;
  if (!isTimeZone(timeZone)) {
    throw malformed(names.timeZone, 'an IANA time zone name', timeZone);
  }
  const filter = isEmptyFilter(request.filter) ? null : request.filter;
  await checkKeys(request, filter);
  const { meter, aggregate } = rankableMeter(group, request.meterIndex);
  const probeId = await probeIdOf(group.at, request.probe);
  const asked = { requested: request.window, timeZone, probeId };
  const { window, available } = await windowOf(scope, group, asked);
  const { timeoutSeconds, maxItems, withoutCount } = request;
  const deadline = timeoutSeconds === null ? null : scope.reads.deadlineIn(timeoutSeconds);
  return planOf({
    meter,
    aggregate,
    window,
    probeId,
    ranking: plannedRanking(request.ranking, window),
    prefix: request.prefix,
    filter,
    maxItems,
    withoutCount,
    deadline,
    available,
    within: null,
  });
}

/** Completes a plan with what follows from the rest of it. */
export const planOf = (parts: Omit<TopperPlan, 'rule' | 'covered'>): TopperPlan => ({
  ...parts,
  rule: ruleOf(parts.meter.group, parts.aggregate),
  covered: coveredPart(parts.window, parts.available),
});

/** Checks filter and prefix, for the sake of errors in the surface's own names. */
async function checkKeys(
  { group, prefix, names }: TopperRequest,
  filter: KeyFilter | null,
): Promise<void> {
  if (prefix) checkPrefix(group, prefix);
  const of = prefix ? 'networks' : 'keys';
  if (filter) await group.at.loaders.checkFilter({ filter, kinds: group.kinds, of, names });
}

const plannedRanking = (ranking: Ranking, window: Interval): PlannedRanking =>
  'ago' in ranking ? { by: ranking.by, since: earlierWindow(window, ranking.ago) } : ranking;

/** Returns the part of a window within the available data; empty if there is none. */
const coveredPart = (window: Interval, available: Interval | null): Interval =>
  available ? intersect(window, available) : { from: window.from, to: window.from };

export function checkMaxItems(maxItems: number, ceiling: number, name: string): void {
  if (!Number.isInteger(maxItems) || maxItems < 1 || maxItems > ceiling) {
    throw malformed(name, `an integer from 1 to ${ceiling}`, maxItems);
  }
}

/** Returns the group's meter and its aggregate. Error: no such meter, or its type cannot be ranked. */
export function rankableMeter(
  group: CounterGroupView,
  index: number,
): Pick<TopperPlan, 'meter' | 'aggregate'> {
  const meter = findMeter(group, index);
  const aggregate = meter && aggregateOf(meter.row.type);
  if (!meter || !aggregate) throw serviceError('invalidMeter', { meter: index });
  return { meter, aggregate };
}

const ruleOf = ({ row }: CounterGroupView, aggregate: Aggregate): MeterRule => ({
  aggregate,
  samplingRate: row.samplingRate,
  topperBucketSeconds: row.topperBucketSize,
});

/** Returns what the plan reads within `interval`. */
export function readOf(
  { meter, aggregate, probeId, prefix }: TopperPlan,
  interval: Interval,
): MeterScan {
  const { groupId, meterIndex } = meter.row;
  const bucketSeconds = meter.group.row.bucketSize;
  return { groupId, bucketSeconds, meterIndex, aggregate, probeId, interval, prefix };
}

/**
 * Returns the window to compare with: of the same length, `ago` seconds earlier; null: the one just
 * before. Errors: it would begin before 1970; `ago` is not positive.
 */
export function earlierWindow({ from, to }: Interval, ago: number | null): Interval {
  const seconds = ago ?? to - from;
  if (ago !== null && ago < 1) throw malformed('ago', 'a positive number of seconds', ago);
  if (from - seconds < 0 && ago === null) {
    throw invalidWindow(`the one just before must not begin before 0, got ${from - seconds}`);
  }
  if (from - seconds < 0) {
    const must = `at most ${from} seconds, so that the window stays within 0 to ${MAX_EPOCH_SECONDS}`;
    throw malformed('ago', must, seconds);
  }
  return { from: from - seconds, to: to - seconds };
}

const MAX_BITS: NetworkLengths = { ipv4: 32, ipv6: 128 };

/** Checks a prefix. Errors: the group's keys are not addresses, or an address has fewer bits. */
function checkPrefix(group: CounterGroupView, prefix: NetworkLengths): void {
  const { keyKind } = group.read.shape;
  if (keyKind === 'crosskey' || !isAddressKind(keyKind)) {
    const must = 'left out for a group whose keys are not addresses';
    throw malformed('prefix', must, lengthsName(prefix));
  }
  for (const family of ['ipv4', 'ipv6'] as const) {
    const bits = prefix[family];
    const maxBits = MAX_BITS[family];
    if (bits >= 0 && bits <= maxBits) continue;
    throw malformed(`prefix.${family}`, `an integer from 0 to ${maxBits}`, bits);
  }
}

/** Returns networks as keys of kind `subnet`, which have no texts of their own. */
export function viewNetworks(group: CounterGroupView, keys: readonly string[]): KeyView[] {
  const { groupId } = group.read;
  const ofNetworks: CounterGroupView = { ...group, kinds: ['subnet'] };
  const unknown = { label: null, description: null, attributes: null, parts: [], partLabels: [] };
  return keys.map((key) => ({ group: ofNetworks, row: { groupId, key, ...unknown } }));
}
