import { keyTexts } from './key-texts.ts';
import { BUCKET_SECONDS, createUint32, START } from './traffic.ts';
import { createDraw } from './weighted-draw.ts';

/** The fields of the product's `Flow` (ingest/flows/flow.ts) that are filled in here. */
export type BenchFlow = {
  readonly startUs: number;
  readonly durationUs: number;
  readonly protocol: number;
  readonly ports: { readonly source: number; readonly destination: number };
  readonly portRule: 'destination';
  readonly originator: BenchSide;
  readonly responder: BenchSide;
};

type BenchSide = { readonly address: string; readonly bytes: number; readonly packets: number };

export type FlowShape = {
  readonly flowsPerMinute: number;
  /** Number of addresses, at home and elsewhere together. */
  readonly keys: number;
  readonly seed: number;
};

const TCP = 6;
/** One address in a hundred is at home. */
const HOME_SHARE = 100;
const PORTS = [443, 80, 53, 22, 25, 123, 993, 3389, 5432, 8080, 8443, 1194, 179, 389, 636, 5060];
/** One flow in eight lasts up to this long, so it may have begun in the minute before. */
const LONG_SECONDS = 60;

/**
 * Returns a function for the flows that ended in a minute. Both ends are drawn by Zipf's law with
 * exponent 1: some addresses are always present and most appear rarely, so new ones keep appearing
 * all day.
 */
export function createFlowTraffic(shape: FlowShape): (minute: number) => BenchFlow[] {
  const random = createUint32(shape.seed);
  const homeKeys = keyTexts(Math.max(1, Math.floor(shape.keys / HOME_SHARE)));
  const farKeys = farAddresses(Math.max(1, shape.keys - homeKeys.length), random);
  const home = zipf(homeKeys, random);
  const far = zipf(farKeys, random);
  const port = zipf(PORTS, random);
  const below = (limit: number): number => Math.floor((random() / 2 ** 32) * limit);
  const draw = (fromUs: number): BenchFlow => {
    const endUs = fromUs + below(BUCKET_SECONDS * 1e6);
    const isLong = below(8) === 0;
    const wantedUs = isLong ? below(LONG_SECONDS * 1e6) : Math.min(below(5e6), endUs - fromUs);
    // Do not begin on the previous day.
    const durationUs = Math.min(wantedUs, endUs - START * 1e6);
    const sent = 1 + below(20);
    const received = 1 + below(200);
    const isOutward = below(4) > 0;
    const ends = [home(), far()] as const;
    const [from, to] = isOutward ? ends : ends.toReversed();
    return {
      startUs: endUs - durationUs,
      durationUs,
      protocol: TCP,
      ports: { source: 49_152 + below(16_384), destination: port() },
      portRule: 'destination',
      originator: { address: from ?? '', bytes: sent * (40 + below(400)), packets: sent },
      responder: { address: to ?? '', bytes: received * (40 + below(1440)), packets: received },
    };
  };
  return (minute) => {
    const fromUs = (START + minute * BUCKET_SECONDS) * 1e6;
    return Array.from({ length: shape.flowsPerMinute }, () => draw(fromUs));
  };
}

function zipf<Item>(items: readonly Item[], random: () => number): () => Item {
  const draw = createDraw(
    Float64Array.from(items, (_, rank) => 1 / (rank + 1)),
    random,
  );
  return () => {
    const item = items[draw()];
    if (item === undefined) throw new Error('there must be something to draw from');
    return item;
  };
}

/** Distinct raw keys of addresses that are not private: 16.0.0.0 to 111.255.255.255. */
function farAddresses(count: number, random: () => number): string[] {
  const seen = new Set<number>();
  while (seen.size < count) seen.add(0x1000_0000 + Math.floor((random() / 2 ** 32) * 0x6000_0000));
  return [...seen].map((address) =>
    [24, 16, 8, 0]
      .map((shift) => ((address >>> shift) & 0xff).toString(16).toUpperCase().padStart(2, '0'))
      .join('.'),
  );
}
