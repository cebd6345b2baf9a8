import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SWEEP_AFTER_SECONDS } from '../../../store/sweep/sweep-context.ts';
import { sorted } from '../../segments/plain-segments.ts';
import { sweepAll } from '../../support/lab/sweep-all.ts';
import { DAY_START } from '../store-lab.ts';
import {
  address,
  dayOf,
  hostsTo,
  type KeepingLab,
  NOW,
  openKeepingLab,
  SEALED,
} from './keeping-lab.ts';

let lab: KeepingLab;

beforeEach(async () => {
  lab = await openKeepingLab();
});

afterEach(() => lab.close());

type Texts = { readonly label?: string; readonly source?: string; readonly description?: string };

const setTexts = (hosts: readonly number[], { label, source, description }: Texts) =>
  lab.importer.query(
    `insert into key_texts (group_id, key, label, label_source, description)
     select 1, key, $2, $3, $4 from unnest($1::text[]) as key`,
    [hosts.map(address), label ?? null, source ?? null, description ?? null],
  );

const lookedUp = (...hosts: number[]) => setTexts(hosts, { label: 'found', source: 'dns' });

const labelled = async () => {
  const rows = await lab.rows<{ key: string }>('select key from key_texts order by key');
  return rows.map(({ key }) => Number.parseInt(key.slice(-2), 16));
};

describe('dropping a slice', () => {
  it('removes it at once, except its rows of the manifest, which are swept later', async () => {
    await lab.importDays(dayOf(2, [1]));
    const others = { table: sorted(await lab.table()), coverage: await lab.coverage() };
    await lab.importDays(dayOf(1, hostsTo(50), SEALED), dayOf(1, [7], { probeId: 4 }));
    const { version } = await lab.manifest();
    await lab.drop(1);
    expect((await lab.manifest()).version).toBe(version + 1);
    expect(sorted(await lab.table())).toEqual(others.table);
    expect(await lab.coverage()).toEqual(others.coverage);
    expect(await lab.partitions()).toEqual(['open_segment_pages_2']);
    expect(await lab.rows('select from slices where slice_id = 1')).toEqual([]);
    await sweepAll(lab.importer, NOW + SWEEP_AFTER_SECONDS);
    expect(await lab.rows('select from segments where slice_id = 1')).toEqual([]);
  });

  it('that is archived removes its file, and no other', async () => {
    await lab.importDays(dayOf(1, [1]), dayOf(2, [2]));
    await lab.archive(1);
    await lab.archive(2);
    await lab.drop(1);
    expect(await lab.files()).toEqual([expect.stringContaining('20250716')]);
    expect(await lab.leftovers()).toEqual([]);
    await lab.restore(2);
    expect((await lab.table()).size).toBe(2);
  });

  it('keeps its pages for an older snapshot until that ends', async () => {
    await lab.importDays(dayOf(1, hostsTo(50), SEALED), dayOf(1, [200]));
    const connection = await lab.open();
    await lab.reader.query('begin isolation level repeatable read');
    const before = sorted(await lab.table());
    await lab.drop(1, { connection, waitMs: 50 });
    expect(sorted(await lab.table())).toEqual(before);
    await lab.reader.query('commit');
    await lab.drop(2);
    expect(await lab.partitions()).toEqual([]);
  });
});

describe('labels that came from DNS answers or MaxMind files', () => {
  it('are removed with the last slice that has their key', async () => {
    await lab.importDays(dayOf(1, [1, 2, 3], SEALED), dayOf(2, [2, 4]), dayOf(3, [3, 4]));
    await lookedUp(1, 2);
    await setTexts([3, 4], { label: 'found', source: 'mmdb' });
    await lab.drop(1);
    expect(await labelled()).toEqual([2, 3, 4]);
    await lab.drop(2);
    expect(await labelled()).toEqual([3, 4]);
    await lab.drop(3);
    expect(await labelled()).toEqual([]);
  });

  it('stay if a user gave the key a text too, as labels of users do', async () => {
    await lab.importDays(dayOf(1, [1, 2, 3]));
    await setTexts([1], { label: 'typed', source: 'user' });
    await setTexts([2], { label: 'found', source: 'dns', description: 'typed' });
    await setTexts([3], { description: 'typed' });
    await lab.drop(1);
    expect(await labelled()).toEqual([1, 2, 3]);
  });

  it('stay while an archived slice has their key, and are removed when it is dropped', async () => {
    await lab.importDays(dayOf(1, [1, 2]), dayOf(2, [2, 3]), dayOf(3, [3]));
    await lookedUp(1, 2, 3);
    await lab.archive(1);
    await lab.archive(2);
    expect(await labelled()).toEqual([1, 2, 3]);
    await lab.drop(1);
    expect(await labelled()).toEqual([2, 3]);
    await lab.drop(2);
    expect(await labelled()).toEqual([3]);
    await lab.drop(3);
    expect(await labelled()).toEqual([]);
  });

  it('are still there when a slice is restored, and are removed with it', async () => {
    await lab.importDays(dayOf(1, [1]), dayOf(2, [2]), dayOf(4, [1, 4]));
    await lookedUp(1, 2, 4);
    await lab.archive(1);
    await lab.drop(4);
    expect(await labelled()).toEqual([1, 2]);
    await lab.restore(1);
    await lab.drop(1);
    expect(await labelled()).toEqual([2]);
  });

  it('may outlive their key, but only while an older slice is archived', async () => {
    await lab.importDays(dayOf(1, [1]), dayOf(2, [2]), dayOf(3, [3]));
    await lookedUp(1, 2, 3);
    await lab.archive(1);
    await lab.archive(2);
    // Only the file of slice 1 shows that slice 1 does not have key 2.
    await lab.drop(2);
    expect(await labelled()).toEqual([1, 2, 3]);
    await lab.drop(1);
    expect(await labelled()).toEqual([3]);
  });

  it('belong to an available slice again once all archived ones are gone', async () => {
    await lab.importDays(dayOf(1, [1]), dayOf(2, [1]));
    await lookedUp(1);
    await lab.archive(1);
    await lab.drop(1);
    expect(await lab.rows('select archived_until from key_texts')).toEqual([
      { archived_until: null },
    ]);
    await lab.drop(2);
    expect(await labelled()).toEqual([]);
  });

  it('are all checked, however many there are', async () => {
    const key = (number: number) =>
      `0A.00.${[number >> 8, number & 255].map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join('.')}`;
    const list = Array.from({ length: 5000 }, (_, number) => ({
      key: key(number),
      bucket: DAY_START + 60,
      readings: [{ value: 1n, count: 1n }, null, null, null, null, null],
    }));
    await lab.importDays({ list }, { list: list.slice(100, 102), scope: { sliceId: 2 } });
    await lab.importer.query(
      `insert into key_texts (group_id, key, label, label_source)
       select 1, key, 'found', 'dns' from unnest($1::text[]) as key`,
      [list.map((sample) => sample.key)],
    );
    await lab.archive(2);
    await lab.drop(1);
    expect(await lab.rows('select key from key_texts order by key')).toEqual(
      [100, 101].map((number) => ({ key: key(number) })),
    );
    await lab.drop(2);
    expect(await labelled()).toEqual([]);
  });
});
