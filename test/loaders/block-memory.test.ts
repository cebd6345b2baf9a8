import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockMemory } from '../../resolvers/loaders/block-memory.ts';
import type { BlockPage, BlockRange, BlockUnit, UnitColumn } from '../../topk/block-page.ts';

const LEVELS = [60, 3600] as const;
const CONTEXTS = ['one', 'two'];

/** What a block holds: it is told by a number that goes up with every change to it. */
class Data {
  version = 1;
  readonly #changes = new Map<string, number>();

  change(groupId: number, from: number, to: number): void {
    for (const level of LEVELS) {
      for (let start = 0; start < 7200; start += level) {
        if (start >= to || start + level <= from) continue;
        const place = `${groupId} ${level} ${start}`;
        this.#changes.set(place, this.contentOf(groupId, level, start) + 1);
      }
    }
  }

  contentOf(groupId: number, level: number, start: number): number {
    return this.#changes.get(`${groupId} ${level} ${start}`) ?? 0;
  }
}

const column = (content: number, slot: number): UnitColumn => ({
  values: { low: Float64Array.of(content, slot), high: null },
  ...{ counts: null, bound: content + slot, countBound: 2 },
});

const unit = (range: BlockRange, start: number, content: number): BlockUnit => ({
  ...{ groupId: range.groupId, level: range.level, start, probeId: 0, sliceId: 1 },
  ...{ ids: Uint32Array.of(content, content + 1), shardEnds: Uint32Array.of(2) },
  columns: new Map(range.slots.map((slot) => [slot, column(content, slot)])),
});

/** Blocks at every other start; in between there are none. */
const hasBlock = (level: number, start: number): boolean => (start / level) % 2 === 0;

function pageOf(data: Data, range: BlockRange): BlockPage {
  const units: BlockUnit[] = [];
  for (let start = range.from; start < range.to; start += range.level) {
    const content = data.contentOf(range.groupId, range.level, start);
    if (hasBlock(range.level, start)) units.push(unit(range, start, content));
  }
  return { units, bytes: units.length * 40 };
}

const place = fc
  .tuple(fc.constantFrom(1, 2), fc.constantFrom(...LEVELS), fc.nat({ max: 119 }))
  .map(([groupId, level, n]) => ({ groupId, level, start: (n * level) % 7200 }));

const slots = fc.subarray([1, 2, 3], { minLength: 1 });

const range: fc.Arbitrary<BlockRange> = fc
  .tuple(place, fc.integer({ min: 1, max: 5 }), slots)
  .map(([{ groupId, level, start }, count, wanted]) => ({
    ...{ groupId, level, from: start, to: Math.min(7200, start + count * level), slots: wanted },
  }));

const change = fc
  .tuple(fc.constantFrom(1, 2), fc.nat({ max: 7199 }), fc.integer({ min: 1, max: 900 }))
  .map(([groupId, from, seconds]) => ({ groupId, from, to: from + seconds }));

const step = fc.record({
  context: fc.constantFrom(...CONTEXTS),
  action: fc.oneof(
    { weight: 4, arbitrary: fc.record({ keep: range, isOld: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ changes: fc.array(change, { maxLength: 2 }) }) },
    { weight: 1, arbitrary: fc.constant({ forget: true }) },
  ),
  asked: fc.array(fc.tuple(place, fc.constantFrom(1, 2, 3)), { maxLength: 12 }),
});

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Plays what requests do, and checks after each that nothing that is found is another block. */
function play(memory: BlockMemory, maxBytes: number, steps: readonly Step[]): number {
  const all = new Map(CONTEXTS.map((context) => [context, new Data()]));
  for (const [context, { version }] of all) memory.moveOn(context, version, null);
  let found = 0;
  for (const { context, action, asked } of steps) {
    const data = all.get(context) ?? new Data();
    const read = 'keep' in action ? pageOf(data, action.keep) : null;
    const { version } = data;
    if ('changes' in action || ('keep' in action && action.isOld)) {
      const changes = 'changes' in action ? action.changes : [action.keep];
      for (const { groupId, from, to } of changes) data.change(groupId, from, to);
      data.version += 1;
      memory.moveOn(context, data.version, changes);
    }
    // What was read before the data moved on belongs to the version of then.
    if ('keep' in action && read) memory.keep(context, version, [action.keep], read);
    if ('forget' in action) {
      data.version += 1500;
      memory.moveOn(context, data.version, null);
    }
    expect(memory.bytes).toBeLessThanOrEqual(maxBytes);
    for (const [at, slot] of asked) {
      expect(memory.find(context, data.version - 1, at, slot)).toBeUndefined();
      expect(memory.find(context, data.version + 1, at, slot)).toBeUndefined();
      const block = memory.find(context, data.version, at, slot);
      if (!block) continue;
      found += 1;
      const content = data.contentOf(at.groupId, at.level, at.start);
      expect(block.units.map(({ ids }) => ids[0])).toEqual(
        hasBlock(at.level, at.start) ? [content] : [],
      );
      for (const { columns } of block.units)
        expect(columns.get(slot)).toEqual(column(content, slot));
    }
  }
  return found;
}

describe('remembered blocks', () => {
  it('are those of the version that is asked for, whatever has changed and been read', () => {
    let found = 0;
    const isTrue = fc.property(
      fc.array(step, { minLength: 10, maxLength: 40 }),
      fc.constantFrom(0, 3000, 20_000, 10_000_000),
      (steps, maxBytes) => {
        found += play(new BlockMemory(maxBytes), maxBytes, steps);
      },
    );
    fc.assert(isTrue, { numRuns: 200 });
    expect(found).toBeGreaterThan(100);
  });

  const data = new Data();
  const minute = (start: number, wanted = [1]): BlockRange => ({
    ...{ groupId: 1, level: 60, from: start, to: start + 60, slots: wanted },
  });
  const keep = (memory: BlockMemory, ...ranges: BlockRange[]) => {
    for (const each of ranges) memory.keep('one', 1, [each], pageOf(data, each));
  };
  const has = (memory: BlockMemory, start: number, slot = 1): boolean =>
    memory.find('one', 1, { groupId: 1, level: 60, start }, slot) !== undefined;

  const opened = (maxBytes: number): BlockMemory => {
    const memory = new BlockMemory(maxBytes);
    memory.moveOn('one', 1, null);
    return memory;
  };

  it('are there with every slot that was read, be it one after the other', () => {
    const memory = opened(10_000);
    keep(memory, minute(0, [1]), minute(0, [2, 3]), minute(120, [2]));
    expect([1, 2, 3].map((slot) => has(memory, 0, slot))).toEqual([true, true, true]);
    expect([1, 2, 3].map((slot) => has(memory, 120, slot))).toEqual([false, true, false]);
    const block = memory.find('one', 1, { groupId: 1, level: 60, start: 0 }, 1);
    expect(block?.units).toHaveLength(1);
    expect([...(block?.units[0]?.columns.keys() ?? [])].sort()).toEqual([1, 2, 3]);
  });

  it('are forgotten when there are too many, those that were not used for longest first', () => {
    // Of 640 bytes each with what they take besides, four fit.
    const memory = opened(4 * 640);
    keep(memory, ...[0, 120, 240, 360].map((start) => minute(start)));
    expect(has(memory, 0)).toBe(true);
    keep(memory, minute(480));
    expect([0, 120, 240, 360, 480].map((start) => has(memory, start))).toEqual([
      ...[true, false, true, true, true],
    ]);
    expect(memory.bytes).toBe(4 * 640);
  });

  it('are not kept where they would push out most of the others', () => {
    const memory = opened(1000);
    keep(memory, minute(0));
    expect([has(memory, 0), memory.bytes]).toEqual([false, 0]);
  });

  it('are none when all is forgotten', () => {
    const memory = opened(10_000);
    keep(memory, minute(0));
    memory.clear();
    expect([has(memory, 0), memory.bytes, memory.versionOf('one')]).toEqual([false, 0, null]);
  });
});
