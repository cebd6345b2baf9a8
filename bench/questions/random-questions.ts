import {
  createUint32,
  DAY_SECONDS,
  endOf,
  METERS,
  START,
  TOPPER_BUCKET_SECONDS,
  type TrafficShape,
} from '../traffic/traffic.ts';
import type { Question } from './question.ts';

/** Generates questions without end, the same ones for the same seed. */
export function* randomQuestions(shape: TrafficShape, seed: number): Generator<Question> {
  const random = createRandom(seed);
  for (;;) {
    yield {
      ...randomWindow(shape, random),
      meter: random.below(METERS.length),
      maxItems: Math.round(10 ** (random.next() * 4)),
      filter: random.chance(0.4) ? { pattern: randomPattern(random), range: null } : null,
      exclude: random.chance(0.2) ? randomPattern(random) : null,
      ranks: random.chance(0.3) ? randomRanks(random) : [],
    };
  }
}

type Random = ReturnType<typeof createRandom>;

function createRandom(seed: number) {
  const uint32 = createUint32(seed);
  const next = (): number => uint32() / 2 ** 32;
  const below = (count: number): number => Math.floor(next() * count);
  return { next, below, chance: (probability: number): boolean => next() < probability };
}

/** Some windows begin before the data, end after them, or contain no bucket at all. */
function randomWindow(shape: TrafficShape, random: Random): { from: number; to: number } {
  const least = START - DAY_SECONDS;
  const most = endOf(shape) + DAY_SECONDS;
  // Lengths of every order of magnitude, from a second to everything.
  const length = Math.ceil((most - least) ** random.next());
  const from = least + random.below(most - least - length + 1);
  const grid = [1, 60, TOPPER_BUCKET_SECONDS, 3600, DAY_SECONDS][random.below(5)] ?? 1;
  const onGrid = (at: number): number => Math.round(at / grid) * grid;
  return { from: onGrid(from), to: Math.max(onGrid(from + length), onGrid(from) + grid) };
}

/** Returns a pattern that means the same in PostgreSQL and RE2. */
function randomPattern(random: Random): string {
  const digit = (): string => '0123456789ABCDEF'.charAt(random.below(16));
  const kinds = [
    () => `^0A\\.${digit()}`,
    () => `^0A\\.[${digit()}${digit()}]${digit()}\\.`,
    () => `${digit()}${digit()}$`,
    () => `\\.${digit()}[0-7]\\.`,
    () => `^0A\\.(${digit()}${digit()}|${digit()}${digit()}|${digit()}.)\\.`,
    () => `${digit()}.${digit()}`,
    () => '^0B',
  ];
  return (kinds[random.below(kinds.length)] ?? kinds[0] ?? digit)();
}

function randomRanks(random: Random): number[] {
  const one = (): number => (random.chance(0.5) ? random.below(101) : random.below(1001) / 10);
  return [...new Set(Array.from({ length: 1 + random.below(4) }, one))];
}
