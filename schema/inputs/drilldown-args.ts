import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type {
  Drilldown,
  DrilledBy,
  KeyDrilldown,
} from '../../resolvers/toppers/topper-comparisons.ts';
import { builder } from '../builder.ts';
import { decodeGroupRef, requireGroupRef } from './group-ref.ts';
import { listed, PERIOD_ARGS, zoneOf } from './topper-args.ts';
import { decodeWindow } from './window-input.ts';

const LISTED_ARGS = builder.args((t) => ({
  meter: t.int({
    required: true,
    defaultValue: 0,
    description: 'Number of the meter of that group to rank by.',
  }),
  maxItems: t.int({
    required: true,
    defaultValue: LIMITS.defaultDrilldownItems,
    description: 'Maximum number of listed keys.',
  }),
}));

const BY_NAME = builder.args((t) => ({
  name: t.string({ description: 'Its name, in place of `crosskey`.' }),
}));

export const DRILLDOWN_ARGS = builder.args((t) => ({
  crosskey: t.field({ type: 'Guid', description: "GUID of one of the group's `drilldowns`." }),
  ...BY_NAME,
  ...LISTED_ARGS,
}));

/** The arguments of a drill-down that has no topper to take its window and probe from. */
export const KEY_DRILLDOWN_ARGS = builder.args((t) => ({
  crosskey: t.field({
    type: 'Guid',
    description: "GUID of one of the group's `drilldowns`; default: the only one.",
  }),
  ...BY_NAME,
  ...LISTED_ARGS,
  ...PERIOD_ARGS,
}));

type GivenCrosskey = { crosskey?: Guid | null | undefined; name?: string | null | undefined };

type GivenDrilldown = GivenCrosskey & { meter: number; maxItems: number };

const crosskeyOf = ({ crosskey: guid, name }: GivenCrosskey) =>
  ({ guid, name, argument: 'crosskey' }) as const;

/** Errors: `BAD_USER_INPUT` unless it is given either the GUID or the name of the group. */
export const decodeDrilldown = (given: GivenDrilldown, { settings }: RequestScope): Drilldown => ({
  crosskey: requireGroupRef(crosskeyOf(given)),
  ...decodeListed(given, settings),
});

const decodeListed = (
  { meter, maxItems }: GivenDrilldown,
  settings: RequestScope['settings'],
): Pick<Drilldown, 'meterIndex' | 'maxItems'> => ({
  meterIndex: meter,
  maxItems: listed(maxItems, LIMITS.defaultDrilldownItems, settings),
});

const DrilldownInput = builder.inputType('DrilldownInput', {
  description: 'A cross-key group to drill down by: its GUID, or its name.',
  fields: (t) => ({
    crosskey: t.field({ type: 'Guid', description: "GUID of one of the group's `drilldowns`." }),
    name: t.string({ description: 'Its name, in place of `crosskey`.' }),
    meter: t.int({
      required: true,
      defaultValue: 0,
      description: 'Number of the meter of that group to rank by.',
    }),
  }),
});

export const DRILLDOWNS_ARGS = builder.args((t) => ({
  by: t.field({
    type: [DrilldownInput],
    description:
      "The groups to drill down by, in this order; default: all of the group's `drilldowns`, each by its first meter.",
  }),
  maxItems: t.int({
    required: true,
    defaultValue: LIMITS.defaultDrilldownItems,
    description: 'Maximum number of listed keys of each.',
  }),
}));

type GivenDrilldowns = {
  by?: readonly (GivenCrosskey & { meter: number })[] | null | undefined;
  maxItems: number;
};

/** Errors: as decodeDrilldown, and too many groups. */
export const decodeDrilldowns = (
  { by, maxItems }: GivenDrilldowns,
  { settings }: RequestScope,
) => ({
  by: by ? decodeGroups(by) : null,
  maxItems: listed(maxItems, LIMITS.defaultDrilldownItems, settings),
});

function decodeGroups(by: NonNullable<GivenDrilldowns['by']>): readonly DrilledBy[] {
  const limit = LIMITS.drilldownGroups;
  if (by.length > limit) {
    throw malformed('by', `a list of at most ${limit} groups`, `${by.length} of them`);
  }
  return by.map((each) => ({
    crosskey: requireGroupRef(crosskeyOf(each)),
    meterIndex: each.meter,
  }));
}

type GivenKeyDrilldown = GivenDrilldown & {
  window?: Parameters<typeof decodeWindow>[0];
  probe?: string | null | undefined;
  timeZone?: string | null | undefined;
};

/** Errors: `BAD_USER_INPUT` for each invalid argument. */
export function decodeKeyDrilldown(given: GivenKeyDrilldown, scope: RequestScope): KeyDrilldown {
  const timeZone = zoneOf(given.timeZone, scope.settings);
  return {
    crosskey: decodeGroupRef(crosskeyOf(given)),
    ...decodeListed(given, scope.settings),
    window: decodeWindow(given.window, timeZone),
    probe: given.probe ?? null,
    timeZone,
  };
}
