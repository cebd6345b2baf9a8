import { BUCKET_SECONDS, createUint32, DAY_SECONDS, START } from './traffic.ts';

/** A day in which most addresses are seen once: a scan, or a flood from forged sources. */
export type ChurnShape = {
  /** Addresses with a single sample, spread evenly over the day. */
  readonly addresses: number;
  /** Addresses with a sample in every minute. */
  readonly steady: number;
  readonly seed: number;
};

/** A sample with a reading for each of `METERS`. */
export type ChurnSample = {
  /** Steady addresses come first, then the others in the order in which they are seen. */
  readonly keyId: number;
  readonly address: number;
  readonly bytes: number;
  readonly packets: number;
  readonly connections: number;
};

const MINUTES = DAY_SECONDS / BUCKET_SECONDS;
/** 10.0.0.0/8 is reserved for steady addresses. */
const STEADY_NETWORK = 10;

export const churnKeys = ({ addresses, steady }: ChurnShape): number => addresses + steady;

export const churnSamples = ({ addresses, steady }: ChurnShape): number =>
  addresses + steady * MINUTES;

/** Generates the day bucket by bucket, and calls `take` for each sample. */
export function* generateChurn(
  shape: ChurnShape,
  take: (start: number, sample: ChurnSample) => void,
): Generator<void> {
  const random = createUint32(shape.seed);
  const nextAddress = strangers(shape.seed);
  let keyId = shape.steady;
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const start = START + minute * BUCKET_SECONDS;
    for (let id = 0; id < shape.steady; id += 1) {
      const packets = 1 + (random() % 2000);
      const address = STEADY_NETWORK * 2 ** 24 + 7 * id;
      const bytes = packets * (40 + (random() % 1440));
      take(start, { keyId: id, address, bytes, packets, connections: 1 + (random() % 20) });
    }
    const seen = Math.floor(((minute + 1) * shape.addresses) / MINUTES);
    for (; keyId < shape.steady + seen; keyId += 1) {
      const packets = 1 + (random() % 3);
      const bytes = packets * (40 + (random() % 24));
      take(start, { keyId, address: nextAddress(), bytes, packets, connections: 1 });
    }
    yield;
  }
}

/**
 * Returns addresses from all over IPv4, each only once: a linear congruential generator modulo 2^32
 * with full period (Numerical Recipes). Its low bits are not random, but sorted addresses look so.
 */
function strangers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    do state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    while (state >>> 24 === STEADY_NETWORK);
    return state;
  };
}
