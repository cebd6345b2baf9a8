import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { type KeyText, parseReadableKey } from '../../domain/keys/key-text.ts';
import { boundedCache } from '../bounded-cache.ts';
import { crossKey, type ImportKey, simpleKey } from '../import-key.ts';
import { type AddressScope, countsAsHome } from './address-scope.ts';
import { appPort, type Flow } from './flow.ts';
import type { FlowGroupName } from './flow-groups.ts';
import type { AddressGeo } from './geo-lookup.ts';

/** Which of a flow's amounts a key gets; ingest/flows/flow-readings.ts defines each role. */
export type FlowRoleKind =
  | 'originator'
  | 'responder'
  | 'appIntoHome'
  | 'appOutOfHome'
  | 'appElsewhere'
  | 'protocol'
  | 'everything'
  | 'sent'
  | 'answered'
  | 'crosskey';

/** A key that a flow counts for, the same in all buckets of the flow. */
type FlowRole = {
  readonly group: FlowGroupName;
  readonly key: ImportKey;
  readonly kind: FlowRoleKind;
};

/** What is known about addresses besides the flow. */
export type FlowSurroundings = {
  readonly scopeOf: (address: KeyText) => AddressScope;
  /** Returns where an address is; null if there are no databases that may know it. */
  readonly geoOf: ((address: KeyText) => AddressGeo) | null;
};

/**
 * Returns all keys that a flow counts for (operations, "Flows to counters"). An aggregate counts
 * for what it reports: for the total always, for its ends if it has their addresses.
 */
export function flowRoles(flow: Flow, surroundings: FlowSurroundings): FlowRole[] {
  const originator = flow.originator.address;
  const responder = flow.responder.address;
  const total: FlowRole = { group: 'aggregates', key: TOTAL, kind: 'everything' };
  const direction = directionBetween(originator, responder, surroundings);
  return [
    ...endRoles(originator, 'originator', surroundings),
    ...endRoles(responder, 'responder', surroundings),
    ...appRoles(flow, direction),
    ...protocolRoles(flow),
    total,
    ...directionRoles(direction),
    ...pairRoles(originator, responder),
  ];
}

type EndKind = 'originator' | 'responder';

/** Returns what an end counts for by itself. */
function endRoles(
  address: KeyText | null,
  kind: EndKind,
  { scopeOf, geoOf }: FlowSurroundings,
): FlowRole[] {
  if (address === null) return [];
  const scope = scopeOf(address);
  const hosts = hostRoles(address, scope, kind);
  return geoOf && scope === 'outside' ? [...hosts, ...geoRoles(geoOf(address), kind)] : hosts;
}

function hostRoles(address: KeyText, scope: AddressScope, kind: EndKind): FlowRole[] {
  const key = simpleKey(address);
  const role: FlowRole = { group: 'hosts', key, kind };
  if (scope === 'unroutable') return [role];
  return [role, { group: scope === 'home' ? 'internalHosts' : 'externalHosts', key, kind }];
}

/**
 * Returns the roles of countries and autonomous systems: an end outside counts for its own as it
 * does for itself.
 */
function geoRoles({ country, system }: AddressGeo, kind: EndKind): FlowRole[] {
  const roles: FlowRole[] = [];
  if (country) roles.push({ group: 'countries', key: simpleKey(country), kind });
  if (system) roles.push({ group: 'systems', key: simpleKey(system.key), kind });
  return roles;
}

function appRoles(flow: Flow, direction: Direction | null): FlowRole[] {
  const port = appPort(flow);
  if (port === null) return [];
  const app = portKey(String(port));
  const kind = direction === null ? 'appElsewhere' : APP_KINDS[direction];
  const roles: FlowRole[] = [{ group: 'apps', key: simpleKey(app), kind }];
  // Both ends, even if both have the same address.
  for (const { address } of [flow.originator, flow.responder]) {
    if (address === null) continue;
    roles.push({ group: 'hostApps', key: crossKey([address, app]), kind: 'crosskey' });
  }
  return roles;
}

const protocolRoles = ({ protocol }: Flow): FlowRole[] =>
  protocol === null
    ? []
    : [{ group: 'protocols', key: protocolKey(String(protocol)), kind: 'protocol' }];

/**
 * Returns the roles of directions. Each side's amount has its own direction, from its source to its
 * destination.
 */
const directionRoles = (direction: Direction | null): FlowRole[] =>
  direction === null
    ? []
    : [
        { group: 'aggregates', key: DIRECTION_KEYS[direction], kind: 'sent' },
        { group: 'aggregates', key: DIRECTION_KEYS[OPPOSITE[direction]], kind: 'answered' },
      ];

const pairRoles = (originator: KeyText | null, responder: KeyText | null): FlowRole[] =>
  originator === null || responder === null
    ? []
    : [{ group: 'hostPairs', key: crossKey([originator, responder]), kind: 'crosskey' }];

/** Direction of the originator's amount; the responder's goes the opposite way. */
type Direction = 'intoHome' | 'outOfHome' | 'withinHome' | 'transit';

/** Returns null if an end is not reported. */
const directionBetween = (
  originator: KeyText | null,
  responder: KeyText | null,
  { scopeOf }: FlowSurroundings,
): Direction | null =>
  originator === null || responder === null
    ? null
    : directionOf(scopeOf(originator), scopeOf(responder));

function directionOf(source: AddressScope, destination: AddressScope): Direction {
  if (countsAsHome(source)) return countsAsHome(destination) ? 'withinHome' : 'outOfHome';
  return countsAsHome(destination) ? 'intoHome' : 'transit';
}

const OPPOSITE = {
  intoHome: 'outOfHome',
  outOfHome: 'intoHome',
  withinHome: 'withinHome',
  transit: 'transit',
} as const satisfies Record<Direction, Direction>;

const APP_KINDS = {
  intoHome: 'appIntoHome',
  outOfHome: 'appOutOfHome',
  withinHome: 'appElsewhere',
  transit: 'appElsewhere',
} as const satisfies Record<Direction, FlowRoleKind>;

function readableKey(kind: SimpleKeyKind, text: string): KeyText {
  const key = parseReadableKey(kind, text);
  if (key === null) throw new Error(`${text} is not a key of kind ${kind}`);
  return key;
}

const textKey = (text: string): ImportKey => simpleKey(readableKey('text', text));

const TOTAL = textKey('TOTALBW');
const DIRECTION_KEYS: Record<Direction, ImportKey> = {
  intoHome: textKey('DIR_INTOHOME'),
  outOfHome: textKey('DIR_OUTOFHOME'),
  withinHome: textKey('DIR_WITHINHOME'),
  transit: textKey('DIR_TRANSIT'),
};

const PORT_COUNT = 65_536;
const portKey = boundedCache(PORT_COUNT, (port: string) => readableKey('port', port));
const PROTOCOL_COUNT = 256;
const protocolKey = boundedCache(PROTOCOL_COUNT, (protocol: string) =>
  simpleKey(readableKey('protocol', protocol)),
);
