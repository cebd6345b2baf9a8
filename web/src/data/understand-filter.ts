import type { Address } from '../address/address.ts';
import { type Filter, SEVERAL, usable } from '../address/filters.ts';
import {
  type ContextChoice,
  type GroupChoice,
  groupOf,
  likeMeter,
  meterOf,
  OTHER_KEYS,
} from './choices.ts';
import { FILTER_LABELS, filterWords } from './filter-words.ts';
import { partGroups } from './key-parts.ts';
import { hasNetworks, hostsOf } from './networks.ts';
import { networkLength, portPattern, typedNetwork, typedPort } from './typed-value.ts';

/** A way to understand what was typed, with what it shows. */
export type Reading = {
  readonly label: string;
  readonly value: string;
  /** What else to know about it; null: nothing. */
  readonly note: string | null;
  readonly target: Partial<Address>;
};

/** Where something is typed. */
export type Place = {
  readonly address: Address;
  readonly choice: ContextChoice | null;
  readonly group: GroupChoice | null;
  /** The filter that is being edited, which the new one replaces. */
  readonly edited: Filter | null;
};

/** The views in which the filters of the address hold. */
const WITH_KEYS: ReadonlySet<Address['view']> = new Set(['top', 'flows', 'trend']);

export const hasKeys = ({ view }: Pick<Address, 'view'>): boolean => WITH_KEYS.has(view);

/** Returns all ways to understand a text, the most likely one first; none if it is empty. */
export function readingsOf(typed: string, place: Place): readonly Reading[] {
  const text = typed.trim();
  const isExcluded = /^-./.test(text);
  const body = isExcluded ? text.slice(1).trim() : text;
  if (body === '') return [];
  const [, pattern, after] = /^(?:\/(.+)\/|re:(.+))$/.exec(body) ?? [];
  const found = pattern ?? after;
  if (found !== undefined) {
    return [readingIn(place, { kind: isExcluded ? 'except' : 'match', text: found })];
  }
  const special = [networkReading(body, isExcluded, place), portReading(body, isExcluded, place)];
  const texts = isExcluded ? [] : [readingIn(place, { kind: 'find', text: body })];
  const known = special.filter((each) => each !== null);
  // Elsewhere a number is rather a part of a name than a port.
  return place.group && !hasNetworks(place.group) && known.every(leadsAway)
    ? [...texts, ...known]
    : [...known, ...texts];
}

/** Why nothing can be done with an excluded text. */
export const NO_EXCLUDED_TEXT =
  'A text cannot be left out: choose a key to hide, or leave out a network (-10.0.0.0/8) or a pattern (-/^0A/).';

const leadsAway = ({ target }: Reading): boolean => target.group !== undefined;

function networkReading(body: string, isExcluded: boolean, place: Place): Reading | null {
  const network = typedNetwork(body);
  if (network === null) return null;
  const filter: Filter = { kind: isExcluded ? 'outside' : 'cidr', text: network };
  if (place.group && hasAddresses(place.group, place.choice)) return readingIn(place, filter);
  const hosts = hostsOf(place.choice);
  return hosts && !isExcluded ? readingElsewhere(place, hosts, filter) : null;
}

function portReading(body: string, isExcluded: boolean, place: Place): Reading | null {
  const typed = typedPort(body);
  if (typed === null) return null;
  const { port, transport } = typed;
  const note = transport && `with all transports: ${transport} is not told apart`;
  const kinds = place.group ? kindsOf(place.group, place.choice) : [];
  if (place.group?.crosskey && kinds.includes('PORT') && !kinds.includes('TEXT')) {
    const filter = { kind: isExcluded ? 'except' : 'match', text: portPattern(port) } as const;
    return noted(readingIn(place, filter), note);
  }
  if (place.group?.keyKind === 'PORT') {
    const reading = isExcluded
      ? hidingReading(place, port)
      : readingIn(place, { kind: 'only', text: port });
    return noted({ ...reading, label: isExcluded ? 'Without port' : 'Port' }, note);
  }
  const apps = place.choice?.counterGroups.find(({ keyKind }) => keyKind === 'PORT') ?? null;
  if (!apps || isExcluded) return null;
  const reading = readingElsewhere(place, apps, { kind: 'only', text: port });
  return noted({ ...reading, label: 'Port' }, note);
}

const noted = (reading: Reading, note: string | null): Reading => ({
  ...reading,
  note: [reading.note, note].filter(Boolean).join('; ') || null,
});

/** Returns the reading of a filter in the group that is shown. */
function readingIn(place: Place, filter: Filter): Reading {
  const { address, edited, group } = place;
  if (!hasKeys(address)) return readingElsewhere(place, group, filter);
  const others = address.filters.filter((each) => each !== edited);
  const replaced = SEVERAL.has(filter.kind)
    ? null
    : (others.find(({ kind }) => kind === filter.kind) ?? null);
  const filters = usable([...others.filter((each) => each !== replaced), filter]);
  return {
    ...filterWords(filter),
    note: replaced && `instead of “${filterWords(replaced).value}”: only one is possible`,
    target: { filters, ...asAddresses(address, filter) },
  };
}

/** Returns the reading of a filter that leads to another group, or from a view without keys. */
function readingElsewhere({ address, group }: Place, to: GroupChoice | null, filter: Filter) {
  return {
    ...filterWords(filter),
    note: to && `in ${to.name}`,
    target: { ...toGroup({ address, group }, to), filters: [filter] },
  };
}

/** Returns the part of an address that leads to a group, with the meter that is most alike. */
export function toGroup(
  { address, group }: Pick<Place, 'address' | 'group'>,
  to: GroupChoice | null,
) {
  const like = to && likeMeter(to, meterOf(group, address.meter));
  // Flows show pairs only.
  const isHere = hasKeys(address) && (address.view !== 'flows' || !to || to.crosskey !== null);
  return {
    ...OTHER_KEYS,
    view: isHere ? address.view : ('top' as const),
    ...(to && { group: to.guid, meter: like?.index ?? null }),
  };
}

function hidingReading({ address }: Place, key: string): Reading {
  return {
    label: FILTER_LABELS.only,
    value: key,
    note: 'ranked again without it',
    target: { hidden: [...address.hidden, key] },
  };
}

/** Exact keys, and networks longer than those that replace addresses, are only among addresses. */
function asAddresses({ prefix }: Address, { kind, text }: Filter): Partial<Address> {
  if (prefix === null) return {};
  const { family, bits } = networkLength(text);
  const isWithin = kind === 'only' || (kind === 'cidr' && bits > prefix[family]);
  return isWithin ? { prefix: null, hidden: [], key: null } : {};
}

/** A key that the server suggests for what was typed. */
export type SuggestedKey = {
  readonly group: GroupChoice;
  readonly key: string;
  readonly label: string;
  readonly readable: string;
};

/** Returns the reading of a suggested key: only this one, or all but this one. */
export function keyReading(typed: string, suggested: SuggestedKey, place: Place): Reading {
  const { group, key, label } = suggested;
  const isHere = group.guid === place.group?.guid;
  const filter: Filter = { kind: 'only', text: key };
  const isExcluded = /^\s*-/.test(typed) && isHere && hasKeys(place.address);
  const reading = isExcluded
    ? hidingReading(place, key)
    : isHere
      ? readingIn(place, filter)
      : readingElsewhere(place, group, filter);
  return { ...reading, value: label };
}

const hasAddresses = (group: GroupChoice, choice: ContextChoice | null): boolean =>
  kindsOf(group, choice).some((keyKind) => hasNetworks({ keyKind }));

/** Returns the kinds of a key's parts. */
const kindsOf = (group: GroupChoice, choice: ContextChoice | null) =>
  group.crosskey
    ? partGroups(group).flatMap((guid) => groupOf(choice, guid)?.keyKind ?? [])
    : [group.keyKind];

/** The most groups that are searched for suggestions: each search reads all keys of its group. */
const MOST_GROUPS = 6;

/** Returns the groups to search: the one that is shown, then one group of addresses, and others. */
export function searchedGroups({ choice, group }: Pick<Place, 'choice' | 'group'>) {
  const simple = (choice?.counterGroups ?? []).filter(({ keyKind }) => keyKind !== 'CROSSKEY');
  const all = group ? [group, ...simple.filter((each) => each !== group)] : simple;
  // Internal and external hosts are hosts too: they would be listed twice.
  const addresses = group && hasNetworks(group) ? group : hostsOf(choice);
  return all.filter((each) => each === addresses || !hasNetworks(each)).slice(0, MOST_GROUPS);
}
