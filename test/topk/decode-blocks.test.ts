import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../domain/sliced.ts';
import {
  decodeBlocks,
  type SegmentBlock,
  type StoredGroup,
} from '../../engine/kernel/blocks/decode-blocks.ts';
import { WHOLE_SPAN } from '../../segments/blocks/levels.ts';
import type { Column } from '../../segments/codes/column.ts';
import { laneValue } from '../../segments/codes/lanes.ts';
import type { Directory } from '../../segments/pages/directory.ts';
import { EVER, readBlocks } from '../../segments/pages/read-range.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import { openSegment, SHAPE, samples, spanOf, writeSegment } from '../segments/plain-segments.ts';

const METER_INDEXES = SHAPE.folds.map((_, meterIndex) => meterIndex);

/** By block, key and meter: the reading and its count. */
type Table = Map<string, readonly [bigint, bigint]>;

function addColumn(table: Table, name: (row: number) => string, column: Column): void {
  for (let row = 0; row < column.values.low.length; row += 1) {
    if (Number.isNaN(column.values.low[row])) continue;
    const count = column.counts === null ? 1n : laneValue(column.counts, row);
    table.set(name(row), [laneValue(column.values, row), count]);
  }
}

/** Returns the stored groups of a level, and the readings of their blocks, range by range. */
function storedLevel(directory: Directory, sections: Sections, level: number) {
  const table: Table = new Map();
  const groups: StoredGroup[] = [];
  let firstOrdinal = 0;
  for (const range of directory.ranges) {
    const placed = range.levels[level];
    if (!placed) throw new Error('all ranges have the same levels');
    const { stepSeconds } = placed;
    const source = { directory, range, sections };
    const { starts, ends, ordinals, columns } = readBlocks(source, placed, {
      ...EVER,
      meterIndexes: METER_INDEXES,
    });
    const before = firstOrdinal;
    for (const meterIndex of METER_INDEXES) {
      const column = columns[meterIndex];
      if (!column) continue;
      const name = (row: number): string => {
        const block = ends.findIndex((end) => end > row);
        const start = stepSeconds === WHOLE_SPAN ? directory.span.first : starts[block];
        return `${start} ${before + (ordinals[row] ?? 0)} ${meterIndex}`;
      };
      addColumn(table, name, column);
    }
    for (const { firstStart, ordinals: keys, columns: meters } of placed.groups) {
      if (keys === null) throw new Error('a group has ordinals');
      groups.push({
        stepSeconds,
        first: firstStart,
        firstOrdinal,
        keyCount: range.keyCount,
        ordinals: sections(keys),
        columns: new Map(meters.flatMap((at, i) => (at ? [[i, sections(at)] as const] : []))),
      });
    }
    firstOrdinal += range.keyCount;
  }
  return { table, groups };
}

function tableOf(blocks: readonly SegmentBlock[]): Table {
  const table: Table = new Map();
  for (const { start, ids, columns } of blocks) {
    for (const [meterIndex, column] of columns) {
      if (column) addColumn(table, (row) => `${start} ${ids[row]} ${meterIndex}`, column);
    }
  }
  return table;
}

describe('blocks of a segment', () => {
  it('combine those of all its ranges, in memory that threads share', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const { first, last } = spanOf(list);
        const span = { from: first - 3600, to: last + 60 };
        for (const [level, { stepSeconds }] of (directory.ranges[0]?.levels ?? []).entries()) {
          const { table, groups } = storedLevel(directory, sections, level);
          const from = stepSeconds === WHOLE_SPAN ? first : span.from;
          const blocks = runWhole(
            decodeBlocks({ from, to: span.to, meterIndexes: METER_INDEXES, groups }),
          );
          expect(tableOf(blocks)).toEqual(table);
          for (const { ids, columns } of blocks) {
            expect(ids.buffer).toBeInstanceOf(SharedArrayBuffer);
            for (const column of columns.values()) {
              if (!column) continue;
              expect(column.values.low.length).toBe(ids.length);
              for (const lanes of [column.values, column.counts]) {
                if (lanes) expect(lanes.low.buffer).toBeInstanceOf(SharedArrayBuffer);
                if (lanes?.high) expect(lanes.high.buffer).toBeInstanceOf(SharedArrayBuffer);
              }
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
