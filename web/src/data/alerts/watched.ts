import type { AlertMarksQuery } from '../../../generated/operations.ts';
import type { Address } from '../../address/address.ts';
import type { Rule } from './firing.ts';

/** The rules that watch what a top view shows, and their events. */
export type Watched = {
  readonly rules: readonly Rule[];
  readonly events: readonly WatchedEvent[];
  /** Some events that began earlier are not loaded. */
  readonly knownFrom: number;
};

export type WatchedEvent = {
  readonly id: string;
  readonly startedAt: number;
  /** null: the whole group. */
  readonly key: { readonly key: string; readonly label: string; readonly readable: string } | null;
  readonly rule: string;
  readonly severity: string;
};

export const NOTHING_WATCHED: Watched = { rules: [], events: [], knownFrom: 0 };

type Shown = Pick<Address, 'group' | 'meter' | 'probe'>;

type About = {
  readonly counterGroup: { readonly guid: string };
  readonly meter: { readonly index: number };
  readonly probe: string | null;
};

/** A rule of one probe does not watch the readings of all probes, nor the other way round. */
const isAbout = ({ counterGroup, meter, probe }: About, shown: Shown): boolean =>
  counterGroup.guid === shown.group && meter.index === shown.meter && probe === shown.probe;

export const rulesAbout = (rules: readonly Rule[], shown: Shown): readonly Rule[] =>
  rules.filter((rule) => rule.enabled && isAbout(rule, shown));

export type MarkedEvents = NonNullable<AlertMarksQuery['context']>['alertEvents'];

/**
 * Returns the rules and events of a view. history null: not loaded yet; firing events are known.
 */
export function watched(
  rules: readonly Rule[],
  history: MarkedEvents | null,
  shown: Shown,
): Watched {
  const watching = rulesAbout(rules, shown);
  const nodes = (history?.edges ?? []).map(({ node }) => node);
  // Events of rules that were removed, or watch something else by now, are left out.
  const names = new Set(watching.map(({ name }) => name));
  const past = nodes.filter(({ alert }) => names.has(alert.name) && isAbout(alert, shown));
  const firing = watching.flatMap((alert) => alert.firing.map((event) => ({ ...event, alert })));
  const byId = new Map([...past, ...firing].map((event) => [event.id, event]));
  return {
    rules: watching,
    events: [...byId.values()]
      .map(({ id, startedAt, key, alert }) => {
        const { name, severity } = alert;
        return { id, startedAt, key, rule: name, severity };
      })
      .sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)),
    knownFrom: history?.pageInfo.hasNextPage ? (nodes.at(-1)?.startedAt ?? 0) : 0,
  };
}
