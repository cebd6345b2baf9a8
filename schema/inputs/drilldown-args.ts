import { LIMITS } from '../../domain/limits.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { RequestScope } from '../../resolvers/request-scope.ts';
import type { Drilldown, KeyDrilldown } from '../../resolvers/toppers/topper-comparisons.ts';
import { builder } from '../builder.ts';
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

export const DRILLDOWN_ARGS = builder.args((t) => ({
  crosskey: t.field({
    type: 'Guid',
    required: true,
    description: "GUID of one of the group's `drilldowns`.",
  }),
  ...LISTED_ARGS,
}));

/** The arguments of a drill-down that has no topper to take its window and probe from. */
export const KEY_DRILLDOWN_ARGS = builder.args((t) => ({
  crosskey: t.field({
    type: 'Guid',
    description: "GUID of one of the group's `drilldowns`; default: the only one.",
  }),
  ...LISTED_ARGS,
  ...PERIOD_ARGS,
}));

type GivenDrilldown<Crosskey> = { crosskey: Crosskey; meter: number; maxItems: number };

export const decodeDrilldown = <Crosskey extends Guid | null>(
  { crosskey, meter, maxItems }: GivenDrilldown<Crosskey>,
  { settings }: RequestScope,
): Drilldown<Crosskey> => ({
  crosskey,
  meterIndex: meter,
  maxItems: listed(maxItems, LIMITS.defaultDrilldownItems, settings),
});

type GivenKeyDrilldown = Omit<GivenDrilldown<Guid>, 'crosskey'> & {
  crosskey?: Guid | null | undefined;
  window?: Parameters<typeof decodeWindow>[0];
  probe?: string | null | undefined;
  timeZone?: string | null | undefined;
};

/** Errors: `BAD_USER_INPUT` for each invalid argument. */
export function decodeKeyDrilldown(given: GivenKeyDrilldown, scope: RequestScope): KeyDrilldown {
  const timeZone = zoneOf(given.timeZone, scope.settings);
  return {
    ...decodeDrilldown({ ...given, crosskey: given.crosskey ?? null }, scope),
    window: decodeWindow(given.window, timeZone),
    probe: given.probe ?? null,
    timeZone,
  };
}
