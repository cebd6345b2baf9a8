import { ceilTo, floorTo, type Interval } from '../../domain/time/interval.ts';
import type { ImportKey } from '../import-key.ts';
import { addWhole, type Whole } from '../whole.ts';
import type { Flow } from './flow.ts';
import type { FlowGroupName } from './flow-groups.ts';
import { type FlowRoleKind, type FlowSurroundings, flowRoles } from './flow-roles.ts';
import { amountBetween } from './spread.ts';

/**
 * Takes what a flow adds to one bucket of one key. Amounts are in the order of the group's meters
 * in FLOW_GROUPS. An amount is null if the flow adds nothing: a connection is counted only where it
 * starts.
 */
export type FlowSink = (
  group: FlowGroupName,
  bucket: number,
  key: ImportKey,
  amounts: readonly (Whole | null)[],
) => void;

export type FlowReadingsOptions = FlowSurroundings & {
  /** The groups by their bucket size, in seconds. */
  readonly groups: ReadonlyMap<number, ReadonlySet<FlowGroupName>>;
  readonly sink: FlowSink;
};

/**
 * Passes to the sink the readings of `flow` in the buckets that start within `piece`. Every bucket
 * of the flow's span gets a reading, even one of 0, so that intervals are correct. The bucket in
 * which the flow starts belongs to the piece that holds the flow's first moment.
 */
export function flowReadings(options: FlowReadingsOptions, flow: Flow, piece: Interval): void {
  const roles = flowRoles(flow, options);
  const start = flow.startUs / 1e6;
  const startsHere = start >= piece.from && start < piece.to;
  const endUs = flow.startUs + flow.durationUs;
  for (const [bucketSeconds, groups] of options.groups) {
    const first = floorTo(start, bucketSeconds);
    let bucket = startsHere ? first : ceilTo(piece.from, bucketSeconds);
    // A flow without duration has only its first bucket; the end of a span is not part of it.
    while (bucket < piece.to && (bucket === first || bucket * 1e6 < endUs)) {
      const part = partOf(flow, { from: bucket, to: bucket + bucketSeconds });
      for (const role of roles) {
        if (groups.has(role.group)) {
          options.sink(role.group, bucket, role.key, amountsOf(role.kind, part));
        }
      }
      bucket += bucketSeconds;
    }
  }
}

const PIECE_SECONDS = 3600;

/**
 * Returns hours that together hold all buckets of a flow. Between two pieces of a long flow, the
 * readings gathered so far can be written out.
 */
export function* flowPieces(flow: Flow): Generator<Interval> {
  const end = (flow.startUs + flow.durationUs) / 1e6;
  let from = floorTo(flow.startUs / 1e6, PIECE_SECONDS);
  do {
    yield { from, to: from + PIECE_SECONDS };
    from += PIECE_SECONDS;
  } while (from < end);
}

/** What a flow adds to one bucket: what its originator sent, and what its responder answered. */
type FlowPart = {
  readonly sentBytes: Whole;
  readonly sentPackets: Whole;
  readonly answeredBytes: Whole;
  readonly answeredPackets: Whole;
  /** The flow's connections in the bucket of its start, null in the others. */
  readonly connections: Whole | null;
};

function partOf(flow: Flow, bucket: Interval): FlowPart {
  const { startUs, durationUs, originator, responder } = flow;
  const span = {
    fromUs: Math.max(0, bucket.from * 1e6 - startUs),
    toUs: Math.min(durationUs, bucket.to * 1e6 - startUs),
    durationUs,
  };
  return {
    sentBytes: amountBetween(originator.bytes, span),
    sentPackets: amountBetween(originator.packets, span),
    answeredBytes: amountBetween(responder.bytes, span),
    answeredPackets: amountBetween(responder.packets, span),
    connections: bucket.from * 1e6 <= startUs ? (flow.connections ?? 1) : null,
  };
}

/**
 * Returns the part's amounts, in the order of the meters of the group in which a key has this role.
 */
function amountsOf(kind: FlowRoleKind, part: FlowPart): (Whole | null)[] {
  const { sentBytes, sentPackets, answeredBytes, answeredPackets, connections } = part;
  const bytes = addWhole(sentBytes, answeredBytes);
  switch (kind) {
    case 'originator':
      return [bytes, answeredBytes, sentBytes, addWhole(sentPackets, answeredPackets), connections];
    case 'responder':
      return [bytes, sentBytes, answeredBytes, addWhole(sentPackets, answeredPackets), connections];
    case 'appIntoHome':
      return [bytes, sentBytes, answeredBytes, connections];
    case 'appOutOfHome':
      return [bytes, answeredBytes, sentBytes, connections];
    case 'appElsewhere':
      // Traffic within home, and traffic that never touches it, goes neither into home nor out of
      // it.
      return [bytes, 0, 0, connections];
    case 'protocol':
      return [bytes, addWhole(sentPackets, answeredPackets), connections];
    case 'everything':
      return [bytes, addWhole(sentPackets, answeredPackets)];
    case 'sent':
      return [sentBytes, sentPackets];
    case 'answered':
      return [answeredBytes, answeredPackets];
    case 'crosskey':
      return [bytes, connections];
  }
}
