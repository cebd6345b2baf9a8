import type { PlainSample } from './plain-segments.ts';

const HOUR = 3600;
export const MANY_KEYS_FROM = 1_752_537_600;

export type ManyKeys = {
  readonly keys: number;
  readonly hours: number;
  /** Whether some readings are larger than a double holds exactly. */
  readonly isWide?: boolean;
  readonly seed?: number;
  /** The first byte of the IPv4 addresses. */
  readonly network?: string;
};

/**
 * Samples of the meters of plain-segments.ts for many keys, most of them IPv4 addresses, the others
 * IPv6. Many have equal sums, and many have none but zeros. The same arguments give the same samples.
 */
export function manySamples({
  keys,
  hours,
  isWide = false,
  seed = 1,
  network = '0A',
}: ManyKeys): PlainSample[] {
  const random = randomFrom(seed);
  return Array.from({ length: keys }, (_, i) => keyOf(i, keys, network)).flatMap((key) =>
    Array.from({ length: 1 + random(3) }, (): PlainSample => {
      const value = drawValue(random, isWide);
      const once = { value, count: 1n };
      return {
        key,
        bucket: MANY_KEYS_FROM + random(hours) * HOUR + random(60) * 60,
        readings: [
          once,
          { value, count: 2n },
          null,
          { value: value - 5n, count: 1n },
          once,
          random(4) === 0 ? null : { value: BigInt(random(3)), count: 1n },
        ],
      };
    }),
  );
}

function keyOf(i: number, keys: number, network: string): string {
  const byte = (number: number): string =>
    (number & 255).toString(16).toUpperCase().padStart(2, '0');
  const ipv4 = `${network}.${byte(i >> 16)}.${byte(i >> 8)}.${byte(i)}`;
  return i < keys - 300 ? ipv4 : `20.01${'.00'.repeat(10)}.${ipv4}`;
}

function drawValue(random: (below: number) => number, isWide: boolean): bigint {
  const kind = random(10);
  if (kind < 2) return 0n;
  if (kind < 7) return BigInt(random(6));
  if (kind < 9 || !isWide) return BigInt(random(1_000_000));
  return 2n ** 62n + BigInt(random(3));
}

/** Returns a function that gives whole numbers below its argument (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
