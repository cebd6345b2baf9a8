import { upsertLookedUpLabels } from '../../db/sql/looked-up-labels.ts';
import type { KeyText } from '../../domain/keys/key-text.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { ImportGroup } from '../import-group.ts';
import { inOrder } from '../in-order.ts';
import { BadLine } from '../lines/bad-line.ts';
import type { ImportSession } from '../session/import-session.ts';
import { checkTime, type TimeBounds } from '../time-bounds.ts';
import { addWhole, isReading, type Whole } from '../whole.ts';
import { addressScopes, DEFAULT_HOME } from './address-scope.ts';
import type { Flow } from './flow.ts';
import { ensureFlowGroups, type FlowImportGroups } from './flow-context.ts';
import { type FlowGroupName, flowGroup, flowGroupNames } from './flow-groups.ts';
import {
  type FlowReadingsOptions,
  type FlowSink,
  flowPieces,
  flowReadings,
} from './flow-readings.ts';
import type { AddressGeo, GeoLookup } from './geo-lookup.ts';

type FlowWriterOptions = {
  /** Home networks in CIDR form; if empty, the private networks. */
  readonly home: readonly string[];
  readonly probe: string | null;
  /** Databases that locate addresses, if that is to be counted. */
  readonly geo: GeoLookup | null;
};

type FlowWriter = {
  /**
   * Adds a flow that `checkFlow` accepts. Returns what to wait for before the next flow, or null.
   */
  readonly add: (flow: Flow) => Promise<void> | null;
  /** Called once everything in the session's writer is written. */
  readonly finish: () => Promise<void>;
};

/** Returns a writer that takes flows and passes their readings to the session's writer. */
export async function createFlowWriter(
  session: ImportSession,
  { home, probe, geo }: FlowWriterOptions,
): Promise<FlowWriter> {
  const scopeOf = addressScopes(home.length > 0 ? home : DEFAULT_HOME);
  const { writer, connection } = session;
  const groups = await ensureFlowGroups(session, flowGroupNames(geo));
  const names = systemNames(geo);
  const options: FlowReadingsOptions = {
    groups: byBucketSize(groups),
    scopeOf,
    geoOf: names.geoOf,
    sink: sinkOf(groups, probe, writer),
  };
  return {
    add(flow) {
      return inOrder(flowPieces(flow), (piece) => {
        flowReadings(options, flow, piece);
        return writer.makeRoom();
      });
    },
    async finish() {
      const group = groups.get('systems');
      if (!group) return;
      const { keysGroupId: groupId } = group;
      await upsertLookedUpLabels(connection, { groupId, source: 'mmdb', names: names.all() });
    },
  };
}

/** Collects the names of the autonomous systems that occur in flows, as labels of their keys. */
function systemNames(geo: GeoLookup | null) {
  const names = new Map<KeyText, string>();
  const namedGeoOf = (address: KeyText, { geoOf: find }: GeoLookup): AddressGeo => {
    const found = find(address);
    if (found.system?.name) names.set(found.system.key, found.system.name);
    return found;
  };
  return {
    geoOf: geo && ((address: KeyText) => namedGeoOf(address, geo)),
    all: () => Array.from(names, ([key, name]) => ({ key, name })),
  };
}

function byBucketSize(groups: FlowImportGroups): Map<number, Set<FlowGroupName>> {
  const sizes = new Map<number, Set<FlowGroupName>>();
  for (const [name, { bucketSeconds }] of groups) {
    sizes.set(bucketSeconds, (sizes.get(bucketSeconds) ?? new Set()).add(name));
  }
  return sizes;
}

/**
 * Returns a sink that puts the amounts of a group's meters where these meters are in this
 * context.
 */
function sinkOf(
  groups: FlowImportGroups,
  probe: string | null,
  writer: ImportSession['writer'],
): FlowSink {
  const targets = new Map(
    Array.from(groups, ([name, group]) => [name, { group, toMeters: meterMappingOf(name, group) }]),
  );
  return (name, bucket, key, amounts) => {
    const target = targets.get(name);
    if (!target) throw new Error(`there is no group for ${name}`);
    const values = target.toMeters(amounts);
    writer.batch.add({ group: target.group, probe, bucket, key, values, count: 1 });
  };
}

/** Maps amounts in the order of FLOW_GROUPS to values in the order of the group's meters. */
type MeterMapping = (amounts: readonly (Whole | null)[]) => readonly (Whole | null)[];

function meterMappingOf(name: FlowGroupName, { meters, aggregates }: ImportGroup): MeterMapping {
  const indexes = flowGroup(name).meters.map(({ id }) => meters.get(id)?.meterIndex ?? -1);
  // In a group that an import created, nothing has to move.
  if (indexes.length === aggregates.length && indexes.every((index, i) => index === i)) {
    return (amounts) => amounts;
  }
  return (amounts) => {
    const values: (Whole | null)[] = aggregates.map(() => null);
    for (const [i, index] of indexes.entries()) values[index] = amounts[i] ?? null;
    return values;
  };
}

const DAY_US = 86_400e6;

/** Throws a `BadLine` if the flow is out of bounds, or more than can be counted. */
export function checkFlow(
  { startUs, durationUs, originator, responder }: Flow,
  bounds: TimeBounds,
): void {
  checkTime(bounds, 'the start', startUs / 1e6);
  checkTime(bounds, 'the end', (startUs + durationUs) / 1e6);
  if (durationUs > LIMITS.flowDays * DAY_US) {
    const days = Math.round(durationUs / DAY_US).toLocaleString('en');
    throw new BadLine(`a flow must last at most ${LIMITS.flowDays} days, got ${days} days`);
  }
  if (
    !isReading(addWhole(originator.bytes, responder.bytes)) ||
    !isReading(addWhole(originator.packets, responder.packets))
  ) {
    throw new BadLine('both sides together must be at most 2^63-1');
  }
}
