import { keyTexts } from './key-texts.ts';
import { createDraw } from './weighted-draw.ts';

/** Describes the samples. The same shape gives the same samples in the same order. */
export type TrafficShape = {
  readonly samples: number;
  readonly days: number;
  readonly seed: number;
  /** How often keys appear: as 1/rank (Zipf's law with exponent 1), or all equally often. */
  readonly popularity: 'zipf' | 'flat';
};

export const KEY_COUNT = 200_000;
export const BUCKET_SECONDS = 60;
export const TOPPER_BUCKET_SECONDS = 300;
export const DAY_SECONDS = 86_400;
/** 2026-01-05T00:00:00Z, a Monday. */
export const START = Date.UTC(2026, 0, 5) / 1000;

/** The meters, by number. All are counters (type 2), and no reading is 0. */
export const METERS = ['bytes', 'packets', 'connections'] as const;

/** One bucket's samples, column by column. The arrays are reused for the next bucket. */
export type Bucket = {
  /** Epoch seconds. */
  readonly start: number;
  readonly count: number;
  /** Key ids. 0 is the most popular key. */
  readonly keys: Int32Array;
  /** By meter. */
  readonly readings: readonly [bytes: Int32Array, packets: Int32Array, connections: Int32Array];
};

/** Beyond this share of the keys in one bucket, drawing without repetition takes too long. */
const FULLEST_BUCKET = KEY_COUNT / 4;

export const bucketCount = ({ days }: TrafficShape): number =>
  (days * DAY_SECONDS) / BUCKET_SECONDS;

export const endOf = ({ days }: TrafficShape): number => START + days * DAY_SECONDS;

/** The raw text of each key, by id. */
export const trafficKeys = (): readonly string[] => keyTexts(KEY_COUNT);

/** Error: more samples than fit the buckets, or so few that a bucket would be empty. */
export function checkShape(shape: TrafficShape): void {
  const least = bucketCount(shape);
  const most = bucketCount(shape) * FULLEST_BUCKET;
  if (shape.samples >= least && shape.samples <= most) return;
  throw new Error(
    `${shape.days} days take from ${least} to ${most} samples, got ${shape.samples}: change --days`,
  );
}

/** Generates about two million samples a second, never holding more than one bucket in memory. */
export function* generateTraffic(shape: TrafficShape): Generator<Bucket> {
  checkShape(shape);
  const buckets = bucketCount(shape);
  const room = Math.ceil(shape.samples / buckets);
  const fill = createFill(shape, room);
  for (let index = 0; index < buckets; index += 1) {
    // The differences of rounded-down multiples add up to exactly the wanted number of samples.
    const before = Math.floor((index * shape.samples) / buckets);
    const count = Math.floor(((index + 1) * shape.samples) / buckets) - before;
    yield fill(START + index * BUCKET_SECONDS, count);
  }
}

/** How many different volumes are prepared. A power of two makes drawing cheap. */
const VOLUMES = 2 ** 16;

function createFill({ seed, popularity }: TrafficShape, room: number) {
  const random = createUint32(seed);
  const draw = createDraw(weights(popularity), random);
  const volumes = logNormals(VOLUMES, random, { median: 8, spread: 1.5 });
  // Each key has its usual volume; otherwise all popular keys would add up to nearly the same.
  const habits = logNormals(KEY_COUNT, random, { median: 1, spread: 0.8 });
  const seen = new Float64Array(KEY_COUNT);
  const column = (): Int32Array => new Int32Array(room);
  const keys = column();
  const readings: Bucket['readings'] = [column(), column(), column()];
  const [bytes, packets, connections] = readings;
  return (start: number, count: number): Bucket => {
    for (let i = 0; i < count; i += 1) {
      let key = draw();
      while (seen[key] === start) key = draw();
      seen[key] = start;
      const volume = (volumes[random() & (VOLUMES - 1)] ?? 1) * (habits[key] ?? 1);
      const amount = clamp(Math.round(volume), 1, 1000);
      keys[i] = key;
      packets[i] = amount;
      // Each packet has from 40 bytes, as an empty TCP packet, to 1,480 bytes.
      bytes[i] = amount * 40 + Math.floor((random() / 2 ** 32) * 1440 * amount);
      connections[i] = 1 + Math.floor((random() / 2 ** 32) * Math.log2(amount + 1));
    }
    return { start, count, keys, readings };
  };
}

const clamp = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), most);

const weights = (popularity: TrafficShape['popularity']): Float64Array =>
  Float64Array.from({ length: KEY_COUNT }, (_, rank) =>
    popularity === 'zipf' ? 1 / (rank + 1) : 1,
  );

/** Log-normally distributed numbers, by the Box-Muller method. */
function logNormals(
  count: number,
  random: () => number,
  { median, spread }: { median: number; spread: number },
): Float64Array {
  return Float64Array.from({ length: count }, () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random() / 2 ** 32));
    const normal = radius * Math.cos((2 * Math.PI * random()) / 2 ** 32);
    return median * Math.exp(spread * normal);
  });
}

/** Whole numbers below 2^32: mulberry32 (Tommy Ettinger), good enough for synthetic traffic. */
export function createUint32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
