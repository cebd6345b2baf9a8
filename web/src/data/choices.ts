import type { ChoicesFragment } from '../../generated/operations.ts';
import type { Address } from '../address/address.ts';
import { addsUp, meterKind } from './meter-kind.ts';

/** The groups, meters and probes to choose from in a context. */
export type ContextChoice = ChoicesFragment & {
  /** For each subject that was shown: the time for which it has data. */
  readonly spans?: Readonly<Record<string, Span>>;
};

/** A span of time, in epoch seconds; `to` is not part of it. */
export type Span = { readonly from: number; readonly to: number };

/** A group, or one probe in it. */
export type Subject = { readonly group: string | null; readonly probe: string | null };

/** The time for which a subject has data; null: it has none. */
export type SubjectSpan = { readonly subject: Subject; readonly span: Span | null };

export type GroupChoice = ContextChoice['counterGroups'][number];
export type MeterChoice = GroupChoice['meters'][number];

/** The Hosts group of every flow import: what most people want to see first. */
export const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

/** Prefers a context that has data to the first by name. */
export const firstContext = (contexts: readonly ContextChoice[]): string | null =>
  (contexts.find(({ totalWindow }) => totalWindow !== null) ?? contexts[0])?.name ?? null;

export const groupOf = (context: ContextChoice | null, guid: string | null): GroupChoice | null =>
  context?.counterGroups.find((group) => group.guid === guid) ?? null;

/** Returns the GUIDs of all groups that have keys of the same group as this one. */
export const groupsWithKeysLike = (choice: ContextChoice, group: GroupChoice): string[] =>
  choice.counterGroups
    .filter((other) => keysGroupOf(other) === keysGroupOf(group))
    .map(({ guid }) => guid);

const keysGroupOf = ({ keysOf, guid }: GroupChoice): string => keysOf?.guid ?? guid;

const firstGroup = (context: ContextChoice): GroupChoice | null =>
  groupOf(context, HOSTS) ??
  context.counterGroups.find(({ keyKind }) => keyKind !== 'CROSSKEY') ??
  context.counterGroups[0] ??
  null;

export const meterOf = (group: GroupChoice | null, index: number | null): MeterChoice | null =>
  group?.meters.find((meter) => meter.index === index) ?? null;

export const firstMeter = (group: GroupChoice): MeterChoice | null =>
  group.meters.find(({ type }) => meterKind(type) !== 'invalid') ?? null;

/**
 * Returns the address with context, group and meter filled in, as far as they are known. The
 * overview is of no group.
 */
export function completed(
  address: Address,
  contexts: readonly ContextChoice[],
  zone: string,
): Address {
  const context = address.context ?? firstContext(contexts);
  if (address.view === 'overview') return { ...address, context, zone: address.zone ?? zone };
  const choice = contexts.find(({ name }) => name === context) ?? null;
  const group = address.group ?? (choice && firstGroup(choice)?.guid) ?? null;
  const meter = address.meter ?? firstMeterIndex(groupOf(choice, group));
  const known = { ...address, context, group, meter, zone: address.zone ?? zone };
  if (known.view !== 'flows' || !choice) return known;
  return withPairs(known, choice, address.group !== null);
}

/** Flows are pairs: of the keys of the chosen group, if it has no pairs itself. */
function withPairs(address: Address, choice: ContextChoice, isChosen: boolean): Address {
  const group = groupOf(choice, address.group);
  const pairs = group?.crosskey ? null : pairsOf(choice, group);
  if (!pairs) return address;
  const meter = likeMeter(pairs, meterOf(group, address.meter));
  const changes = { group: pairs.guid, meter: meter?.index ?? 0 };
  return { ...address, ...(isChosen && OTHER_KEYS), ...changes };
}

/** Prefers pairs of the group's own keys, such as of two hosts, that can be drawn. */
function pairsOf(choice: ContextChoice, group: GroupChoice | null): GroupChoice | null {
  const own = (group?.drilldowns ?? []).flatMap(({ guid }) => groupOf(choice, guid) ?? []);
  const all = own.length > 0 ? own : choice.counterGroups.filter(({ crosskey }) => crosskey);
  const drawn = all.filter(({ meters }) => meters.some(({ type }) => addsUp(meterKind(type))));
  const alike = drawn.find(({ crosskey }) => crosskey?.parentGuid === crosskey?.crosskeyGuid1);
  return alike ?? drawn[0] ?? all[0] ?? null;
}

/** Keys of one group are not keys of another, and may not be addresses. */
export const OTHER_KEYS = { prefix: null, filters: [], hidden: [], key: null } as const;

const firstMeterIndex = (group: GroupChoice | null): number =>
  (group && firstMeter(group)?.index) ?? 0;

const subjectName = ({ group, probe }: Subject): string => JSON.stringify([group, probe]);

/** Returns the time for which a group, or one probe in it, has data, if that is known. */
export const spanOf = (choice: ContextChoice | null, subject: Subject): Span | null =>
  choice?.spans?.[subjectName(subject)] ?? null;

/** Returns the newest choices of a context, with all that is known of the times of its groups. */
export function withSpans(
  newest: ContextChoice,
  known: ContextChoice | null,
  learned: SubjectSpan | null,
): ContextChoice {
  const spans = {
    ...known?.spans,
    ...(learned?.span && { [subjectName(learned.subject)]: learned.span }),
  };
  return { ...newest, spans };
}

/** Returns the meter of another group that measures the same, or the first one. */
export function likeMeter(group: GroupChoice, meter: MeterChoice | null): MeterChoice | null {
  const usable = group.meters.filter(({ type }) => meterKind(type) !== 'invalid');
  return (
    usable.find(({ name, units }) => name === meter?.name && units === meter.units) ??
    usable.find(({ units }) => units === meter?.units) ??
    usable[0] ??
    null
  );
}

/** The demo's data are made up: nobody adds to them. */
export const isDemo = (context: string): boolean => context === 'demo';
