import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { isTimeZone } from '../../domain/time/time-zone.ts';
import type { CounterGroupView } from '../../resolvers/counter-groups.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { TopperRequest } from '../../resolvers/toppers/topper-plan.ts';
import { builder } from '../builder.ts';
import { decodeFilter, KeyFilterInput } from './key-filter-input.ts';
import { decodePrefix, PrefixInput } from './prefix-input.ts';
import { decodeRanking, type GivenRanking, RANKING_ARGS } from './ranking-args.ts';
import { decodeWindow, WindowInput } from './window-input.ts';

/** Of which time and probe readings count. */
export const PERIOD_ARGS = builder.args((t) => ({
  window: t.field({
    type: WindowInput,
    description: 'The time window; default: the current day from midnight until now.',
  }),
  probe: t.string({ description: "Only this probe's readings." }),
  timeZone: t.string({ description: 'IANA name: for dates, presets and the default window.' }),
}));

/** Which readings of a group count, and which keys may be listed. */
const READING_ARGS = builder.args((t) => ({
  ...PERIOD_ARGS,
  filter: t.field({
    type: KeyFilterInput,
    description: 'Which keys to list. Totals always cover the whole group.',
  }),
  timeoutSeconds: t.int({
    description: 'Time limit in seconds; default: that of the server.',
  }),
}));

/** The arguments that `CounterGroup.topper` and `Meter.topper` share. */
export const TOPPER_ARGS = builder.args((t) => ({
  ...RANKING_ARGS,
  prefix: t.field({
    type: PrefixInput,
    description:
      'For address groups: ranks networks instead of addresses. Filters and all fields then apply to networks.',
  }),
  maxItems: t.int({
    required: true,
    defaultValue: LIMITS.defaultMaxItems,
    description: 'Maximum number of listed keys.',
  }),
  ...READING_ARGS,
}));

/** The arguments of a trend: those of a topper, for each step of its window. */
export const TREND_ARGS = builder.args((t) => ({
  every: t.int({
    required: true,
    description: 'Seconds of a step: a multiple of bucketSize.',
  }),
  maxItems: t.int({
    required: true,
    defaultValue: LIMITS.defaultTrendItems,
    description: 'Maximum number of listed keys of each step.',
  }),
  ...READING_ARGS,
}));

type GivenReading = {
  window?: Parameters<typeof decodeWindow>[0];
  filter?: Parameters<typeof decodeFilter>[0];
  probe?: string | null | undefined;
  timeZone?: string | null | undefined;
  timeoutSeconds?: number | null | undefined;
};

type GivenTopper = {
  prefix?: Parameters<typeof decodePrefix>[0];
  maxItems: number;
} & GivenReading &
  GivenRanking;

/**
 * Returns how many keys to list: a default above the server's ceiling becomes that ceiling. If the
 * caller gives the same number as the default, it is treated as the default.
 */
export const listed = (
  maxItems: number,
  byDefault: number,
  { maxTopperItems }: RequestScope['settings'],
): number => (maxItems === byDefault ? Math.min(maxItems, maxTopperItems) : maxItems);

const NAMES = { maxItems: 'maxItems', timeZone: 'timeZone', match: 'match', exclude: 'exclude' };

/** Returns the time zone, by default the server's. Error: `BAD_USER_INPUT` if there is none. */
export function zoneOf(
  given: string | null | undefined,
  settings: RequestScope['settings'],
): string {
  const timeZone = given ?? settings.timeZone;
  if (!isTimeZone(timeZone)) throw malformed(NAMES.timeZone, 'an IANA time zone name', timeZone);
  return timeZone;
}

/** Errors: `BAD_USER_INPUT` for each invalid argument. */
export function decodeTopper(
  group: CounterGroupView,
  meterIndex: number,
  given: GivenTopper,
  { settings }: RequestScope,
): TopperRequest {
  const timeZone = zoneOf(given.timeZone, settings);
  return {
    group,
    meterIndex,
    window: decodeWindow(given.window, timeZone),
    maxItems: listed(given.maxItems, LIMITS.defaultMaxItems, settings),
    withoutCount: false,
    ranking: decodeRanking(given),
    prefix: decodePrefix(given.prefix),
    filter: decodeFilter(given.filter),
    probe: given.probe ?? null,
    timeZone,
    timeoutSeconds: checkTimeout(given.timeoutSeconds ?? null),
    names: NAMES,
  };
}

type GivenTrend = { maxItems: number } & GivenReading;

/** Decodes the topper of each step. Errors: as decodeTopper. */
export const decodeTrend = (
  group: CounterGroupView,
  meterIndex: number,
  given: GivenTrend,
  scope: RequestScope,
): TopperRequest => ({
  ...decodeTopper(group, meterIndex, { ...given, rankBy: 'metric' }, scope),
  maxItems: listed(given.maxItems, LIMITS.defaultTrendItems, scope.settings),
});

function checkTimeout(seconds: number | null): number | null {
  if (seconds !== null && (seconds < 1 || seconds > LIMITS.timeoutSeconds)) {
    throw malformed('timeoutSeconds', `an integer from 1 to ${LIMITS.timeoutSeconds}`, seconds);
  }
  return seconds;
}
