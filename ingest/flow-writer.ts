import type { Interval } from '../domain/interval.ts';
import { addressScopes, DEFAULT_HOME } from './address-scope.ts';
import { BadLine } from './bad-line.ts';
import type { Flow } from './flow.ts';
import { ensureFlowGroups } from './flow-context.ts';
import { FLOW_GROUPS, type FlowGroupName } from './flow-groups.ts';
import {
  type FlowReadingsOptions,
  type FlowSink,
  flowPieces,
  flowReadings,
} from './flow-readings.ts';
import type { ImportGroup } from './import-group.ts';
import type { ImportSession } from './import-session.ts';
import { checkTime, type TimeBounds } from './time-bounds.ts';
import { addWhole, isReading, type Whole } from './whole.ts';

export type FlowWriterOptions = {
  /** Home networks in CIDR form; none means the private ones. */
  readonly home: readonly string[];
  readonly probe: string | null;
  readonly bounds: TimeBounds;
};

/**
 * Takes flows, and gives their readings to the session's writer. A flow that cannot be taken fails
 * as a `BadLine` before any of its readings is given on.
 */
export async function createFlowWriter(
  session: ImportSession,
  { home, probe, bounds }: FlowWriterOptions,
): Promise<(flow: Flow) => Promise<void> | null> {
  const scopeOf = addressScopes(home.length > 0 ? home : DEFAULT_HOME);
  const { writer, connection, contextId } = session;
  const groups = await ensureFlowGroups(connection, contextId);
  const options: FlowReadingsOptions = {
    groups: byBucketSize(groups),
    scopeOf,
    sink: sinkOf(groups, probe, writer),
  };
  return (flow) => {
    checkFlow(flow, bounds);
    return addPieces(flowPieces(flow), (piece) => {
      flowReadings(options, flow, piece);
      return writer.makeRoom();
    });
  };
}

/** Adds one piece after the other; null when that was done without having to wait. */
function addPieces(
  pieces: Iterator<Interval>,
  add: (piece: Interval) => Promise<void> | null,
): Promise<void> | null {
  for (let next = pieces.next(); !next.done; next = pieces.next()) {
    const due = add(next.value);
    if (due !== null) return due.then(() => addPieces(pieces, add) ?? undefined);
  }
  return null;
}

const NAMES = Object.keys(FLOW_GROUPS) as FlowGroupName[];

function byBucketSize(
  groups: Readonly<Record<FlowGroupName, ImportGroup>>,
): Map<number, Set<FlowGroupName>> {
  const sizes = new Map<number, Set<FlowGroupName>>();
  for (const name of NAMES) {
    const { bucketSeconds } = groups[name];
    sizes.set(bucketSeconds, (sizes.get(bucketSeconds) ?? new Set()).add(name));
  }
  return sizes;
}

/** Puts the amounts of a group's meters into the slots that the meters have in this context. */
function sinkOf(
  groups: Readonly<Record<FlowGroupName, ImportGroup>>,
  probe: string | null,
  writer: ImportSession['writer'],
): FlowSink {
  const placements = Object.fromEntries(
    NAMES.map((name) => [name, placementOf(name, groups[name])]),
  ) as Record<FlowGroupName, Placement>;
  return (name, bucket, key, amounts) => {
    const values = placements[name](amounts);
    writer.batch().add({ group: groups[name], probe, bucket, key, values, count: 1 });
  };
}

/** From amounts in the order of FLOW_GROUPS to values in the order of slots. */
type Placement = (amounts: readonly (Whole | null)[]) => readonly (Whole | null)[];

function placementOf(name: FlowGroupName, { meters, folds }: ImportGroup): Placement {
  const slots = FLOW_GROUPS[name].meters.map(({ id }) => (meters.get(id)?.slot ?? 0) - 1);
  // In a group that an import has made, nothing has to move.
  if (slots.length === folds.length && slots.every((slot, i) => slot === i)) {
    return (amounts) => amounts;
  }
  return (amounts) => {
    const values: (Whole | null)[] = folds.map(() => null);
    for (const [i, slot] of slots.entries()) values[slot] = amounts[i] ?? null;
    return values;
  };
}

function checkFlow({ startUs, durationUs, originator, responder }: Flow, bounds: TimeBounds): void {
  checkTime(bounds, 'the start', startUs / 1e6);
  checkTime(bounds, 'the end', (startUs + durationUs) / 1e6);
  if (
    !isReading(addWhole(originator.bytes, responder.bytes)) ||
    !isReading(addWhole(originator.packets, responder.packets))
  ) {
    throw new BadLine('both sides together must be at most 2^63-1');
  }
}
