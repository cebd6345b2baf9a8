import fc from 'fast-check';
import type { NetworkLengths } from '../../domain/filters/network-lengths.ts';
import type { Exact } from '../../domain/toppers/exact.ts';
import { isListable } from '../../domain/toppers/topper-arithmetic.ts';
import { type PlainSample, plainTable } from '../segments/plain-segments.ts';
import { aggregateAt, type Window } from './random-stores.ts';
import type { TestSegment } from './stored-segments.ts';

/** From one network for the whole family to one for each address. */
export const lengths: fc.Arbitrary<NetworkLengths> = fc.record({
  ipv4: fc.constantFrom(0, 7, 24, 27, 30, 31, 32),
  ipv6: fc.constantFrom(0, 32, 48, 120, 126, 127, 128),
});

const bitsOf = (byte: number): string => byte.toString(2).padStart(8, '0');

const hexOf = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Returns the raw key of the network of a raw address. */
export function networkOf(address: string, { ipv4, ipv6 }: NetworkLengths): string {
  const bytes = address.split('.').map((byte) => Number.parseInt(byte, 16));
  const bits = bytes.map(bitsOf).join('');
  const length = bytes.length === 4 ? ipv4 : ipv6;
  const kept = bits.slice(0, length).padEnd(bits.length, '0');
  const own = bytes.map((_, i) => hexOf(Number.parseInt(kept.slice(8 * i, 8 * i + 8), 2)));
  return `${own.join('.')}/${hexOf(length)}`;
}

export type Asked = {
  readonly meterIndex: number;
  readonly probeId: number | null;
  readonly prefix: NetworkLengths;
};

/** Whether samples of an address count; left out: all do. */
export type Counts = (address: string) => boolean;

/** Returns, by network, the start of each step and the value in it. */
export function plainSteps(
  store: readonly TestSegment[],
  window: Window,
  {
    meterIndex,
    probeId,
    prefix,
    step,
    counts = () => true,
  }: Asked & { step: number; counts?: Counts },
): Map<string, [number, Exact][]> {
  const list = store
    .filter((segment) => probeId === null || segment.probeId === probeId)
    .flatMap((segment): readonly PlainSample[] => segment.samples)
    .filter(({ bucket, key }) => bucket >= window.from && bucket < window.to && counts(key));
  const steps = new Map<string, [number, Exact][]>();
  const table = plainTable(list, step, ({ key }) => networkOf(key, prefix));
  for (const [name, { value: sum, count }] of table) {
    const [network = '', at, of] = name.split(' ');
    if (Number(of) !== meterIndex) continue;
    const known = steps.get(network) ?? [];
    steps.set(network, [...known, [Number(at), { sum, count }]]);
  }
  return steps;
}

/** Returns, by network, its value in a window (decision 24). */
export function plainNetworks(
  store: readonly TestSegment[],
  window: Window,
  asked: Asked,
): Map<string, Exact> {
  const steps = plainSteps(store, window, { ...asked, step: Number.POSITIVE_INFINITY });
  const counted = [...steps].flatMap(([network, [whole]]): [string, Exact][] =>
    whole && isListable(whole[1], aggregateAt(asked.meterIndex)) ? [[network, whole[1]]] : [],
  );
  return new Map(counted);
}
