import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inSnapshot } from '../../db/connection/connection.ts';
import { selectContext } from '../../db/sql/contexts.ts';
import { selectGroups } from '../../db/sql/declaration.ts';
import { selectSliceTimes } from '../../db/sql/slices.ts';
import { LIMITS } from '../../domain/limits.ts';
import { exportedGroup } from '../../export/export-context.ts';
import type { KeyCounts, ReadingPage } from '../../export/reading-source.ts';
import { openSegments } from '../../export/segments-source.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';

const MANY = guidOf(1);
const FEW = guidOf(2);

/** More keys than are looked up at once. */
const KEYS = 2 * LIMITS.exportPageRows + 100;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1),
      group(2, { meters: [meter(0, 2), meter(1, 5), meter(2, 11), meter(3, 12)] }),
    ],
    lines: [
      ...Array.from({ length: KEYS }, (_, i) => ({
        group: MANY,
        key: `k${i}`,
        ts: T0 + 60 * (i % 3),
        values: { 0: i },
        label: `label ${i}`,
      })),
      { group: FEW, key: 'a', ts: T0, values: { 0: 1, 1: 8, 2: 4, 3: 4 }, count: 2, probe: 'p1' },
      { group: FEW, key: 'a', ts: T0 + DAY, values: { 0: 5 }, description: 'said later' },
    ],
  });
  await lab.importSamples([
    { group: FEW, key: 'a', ts: T0 + 59, values: { 0: 2, 1: -3, 2: 3, 3: 3 }, probe: 'p1' },
    { group: FEW, key: 'a', ts: T0, values: { 0: 7 } },
    { group: MANY, key: 'k0', ts: T0 + DAY, values: { 0: 3 } },
  ]);
});

afterAll(() => lab.close());

type Read = { readonly pages: readonly ReadingPage[]; readonly keys: KeyCounts };

/** Reads all pages of a window. `afterPage` is called after the first one. */
function read(
  window: { from: number; to: number } = { from: 0, to: T0 + 9 * DAY },
  afterPage: () => Promise<unknown> = async () => undefined,
): Promise<Read> {
  return lab.write((connection) =>
    inSnapshot(connection, async () => {
      const contextId = (await selectContext(connection, CONTEXT))?.contextId ?? 0;
      const source = await openSegments({
        ...window,
        connection,
        contextId,
        groups: (await selectGroups(connection, contextId)).map(exportedGroup),
        slices: await selectSliceTimes(connection, contextId),
      });
      const pages: ReadingPage[] = [];
      for await (const page of source.pages()) {
        pages.push(page);
        if (pages.length === 1) await afterPage();
      }
      return { pages, keys: await source.keyCounts() };
    }),
  );
}

const rowsOf = ({ pages }: Read, guid: string) =>
  pages
    .filter((page) => page.group.guid === guid)
    .flatMap(({ probe, rows }) =>
      rows.map(({ key, bucket, readings, counts }) => [probe, key, bucket, readings, counts]),
    );

describe('the readings of segments', () => {
  it('are one row for each key, bucket and probe, from however many imports', async () => {
    expect(rowsOf(await read(), FEW)).toEqual([
      [null, 'a', T0, [7, null, null, null], [null, null, null, null]],
      ['p1', 'a', T0, [3, 5, 4, 3], [null, 3, null, null]],
      [null, 'a', T0 + DAY, [5, null, null, null], [null, null, null, null]],
    ]);
  });

  it('come in small pages, which report the progress', async () => {
    const { pages, keys } = await read();
    expect(keys).toEqual({ read: KEYS + 1, withoutReadings: 0 });
    expect(pages.length).toBeGreaterThan(3);
    expect(Math.max(...pages.map(({ rows }) => rows.length))).toBe(LIMITS.exportPageRows);
    const shares = pages.map(({ done }) => done);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.filter((share) => share < 0 || share > 1)).toEqual([]);
    expect(shares[0]).toBeLessThan(0.5);
    expect(shares.at(-1)).toBe(1);
  });

  it('have the texts of a key only in its first row', async () => {
    const { pages } = await read();
    const said = pages.flatMap(({ group: { guid }, rows }) =>
      rows.flatMap(({ key, bucket, texts }) => (texts ? [{ guid, key, bucket, texts }] : [])),
    );
    expect(said).toHaveLength(KEYS + 1);
    expect(new Set(said.map(({ guid, key }) => `${guid} ${key}`)).size).toBe(KEYS + 1);
    expect(said.find(({ key }) => key === 'k0')).toMatchObject({
      bucket: T0,
      texts: { label: 'label 0', isLabelDerived: false, description: null, attributes: null },
    });
  });

  it('are those of buckets that begin in the window', async () => {
    const bucketsOf = async (from: number, to: number) => {
      const { pages, keys } = await read({ from, to });
      const buckets = pages.flatMap(({ rows }) => rows.map(({ bucket }) => bucket));
      return [[...new Set(buckets)].toSorted(), keys];
    };
    const third = Math.ceil(KEYS / 3);
    expect(await bucketsOf(T0 + 1, T0 + 61)).toEqual([
      [T0 + 60],
      { read: third, withoutReadings: KEYS + 1 - third },
    ]);
    expect(await bucketsOf(T0 + 60, T0 + 121)).toMatchObject([[T0 + 60, T0 + 120], {}]);
    expect(await bucketsOf(T0 + 1, T0 + 60)).toEqual([[], { read: 0, withoutReadings: KEYS + 1 }]);
  });

  it('are of one version, whatever is written meanwhile', async () => {
    const before = await read();
    const during = await read(undefined, async () => {
      await lab.importSamples([
        { group: FEW, key: 'b', ts: T0, values: { 0: 1 }, probe: 'p2' },
        { group: FEW, key: 'a', ts: T0 + DAY, values: { 0: 100 }, label: 'renamed' },
        { group: FEW, key: 'a', ts: T0 + 2 * DAY, values: { 0: 1 } },
      ]);
    });
    expect(during).toEqual(before);
    const after = await read();
    expect(after.keys.read).toBe(before.keys.read + 1);
    expect(rowsOf(after, FEW)).toContainEqual([
      null,
      'a',
      T0 + DAY,
      [105, null, null, null],
      [null, null, null, null],
    ]);
  });

  it('can be abandoned halfway', async () => {
    const leaving = read(undefined, async () => {
      throw new Error('enough');
    });
    await expect(leaving).rejects.toThrow('enough');
  });
});
