import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { updateSliceRestored } from '../../db/write/slices/update-slice-archived.ts';
import { foldOf } from '../../domain/toppers/meter-type.ts';
import { dropOldTables } from '../../store/convert/convert-database.ts';
import type { OldArchiveHeader } from '../../store/convert/old-archive-form.ts';
import { openOldArchive } from '../../store/convert/read-old-archive.ts';
import { restoreOldArchive } from '../../store/convert/restore-old-archive.ts';
import { type ConvertLab, LATER, openClone, restoreMigrated } from './convert-lab.ts';
import { combined, differences, type PlainReadings } from './plain-readings.ts';
import type { StoredDatabase } from './stored-database.ts';

let stored: StoredDatabase;
let lab: ConvertLab;

beforeAll(async () => {
  stored = await restoreMigrated();
});

afterAll(() => stored?.remove());

beforeEach(async () => {
  lab = await openClone(stored);
  await lab.convert();
  await dropOldTables({ databaseUrl: lab.url });
});

afterEach(() => lab.close());

type StoredArchive = {
  readonly contextId: number;
  readonly sliceId: number;
  readonly path: string;
  readonly rows: number;
};

const archives = () =>
  lab.rows<StoredArchive>(
    `select context_id as "contextId", slice_id as "sliceId",
       archive_path as path, archive_rows::int as rows
     from slices where archived order by slice_id`,
  );

const fileOf = ({ path }: StoredArchive): string => join(stored.pool, path);

/** Restores as the commands do, once they have verified the digest of the file. */
async function restore(archive: StoredArchive, file = fileOf(archive)) {
  const reader = await openOldArchive(file);
  try {
    return await inTransaction(lab.connection, async () => {
      await updateSliceRestored(lab.connection, archive.sliceId);
      const toRestore = { ...archive, archive: reader.read() };
      return restoreOldArchive(lab.connection, toRestore, { now: LATER });
    });
  } finally {
    await reader.close();
  }
}

/** Parses the text of an archive line by line, independently of the product. */
async function readingsOf(archive: StoredArchive): Promise<PlainReadings> {
  const text = (await promisify(gunzip)(await readFile(fileOf(archive)))).toString();
  const [head = '', ...rest] = text.split('\n');
  const { groups } = JSON.parse(head) as OldArchiveHeader;
  const types = new Map<string, number>(
    groups.flatMap(({ groupId, meters }) =>
      meters.map(({ slot, type }) => [`${groupId} ${slot}`, type] as const),
    ),
  );
  const end = rest.indexOf('\\.');
  const keys = new Map<string, string>();
  for (const line of rest.slice(0, end)) {
    const [group, shard, id, key = ''] = line.split('\t');
    // COPY doubles a backslash.
    keys.set(`${group} ${shard} ${id}`, key.replaceAll('\\\\', '\\'));
  }
  const found: PlainReadings = new Map();
  for (const line of rest.slice(end + 1, rest.lastIndexOf('\\.'))) {
    const [group, bucket, shard, id, probe, slice, readings, counts = ''] = line.split('\t');
    const key = keys.get(`${group} ${shard} ${id}`);
    const counted = numbersOf(counts);
    for (const [place, value] of numbersOf(readings ?? '').entries()) {
      if (value === null) continue;
      const name = `${slice} ${group} ${probe} ${bucket} ${place + 1} ${key}`;
      const fold = foldOf(types.get(`${group} ${place + 1}`) ?? 0);
      const reading = { value, count: counted[place] ?? 1n };
      found.set(name, combined(found.get(name), reading, fold));
    }
  }
  return found;
}

const numbersOf = (array: string): (bigint | null)[] =>
  array.startsWith('{')
    ? array
        .slice(1, -1)
        .split(',')
        .map((text) => (text === 'NULL' ? null : BigInt(text)))
    : [];

describe('an archive that version 0.7 wrote', () => {
  it('is restored to the last reading, even without the old tables', async () => {
    const wanted = await lab.segments();
    for (const archive of await archives()) {
      const own = await readingsOf(archive);
      expect(own.size).toBeGreaterThan(50);
      for (const [place, value] of own) wanted.set(place, value);
      expect((await restore(archive)).samples).toBe(archive.rows);
    }
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('comes back as one sealed segment for each group and probe, and as new data', async () => {
    const versions = () =>
      lab.rows<{ version: number }>(
        'select version::int as version from context_versions where context_id = 1',
      );
    const [before] = await versions();
    const [archive] = await archives();
    if (!archive) throw new Error('there are two');
    const { segments } = await restore(archive);
    const rows = await lab.rows(
      'select distinct group_id, probe_id, level from segments where slice_id = $1',
      [archive.sliceId],
    );
    expect(rows).toHaveLength(segments);
    expect((await versions())[0]?.version).toBeGreaterThan(before?.version ?? 0);
  });

  it('brings no texts back: labels that were looked up were kept for it', async () => {
    const texts = () => lab.rows('select * from key_texts order by group_id, key');
    const own = await archives();
    const until = await lab.rows<{ source: string; until: number }>(
      `select distinct label_source as source, archived_until::int as until
       from key_texts join counter_groups using (group_id)
       where context_id = 1 and label is not null order by 1`,
    );
    const [last] = await lab.rows<{ ends: number }>(
      'select max(ends_at)::int as ends from slices where context_id = 1 and archived',
    );
    expect(own.some(({ contextId }) => contextId === 1)).toBe(true);
    expect(until).toEqual([
      { source: 'dns', until: last?.ends },
      { source: 'user', until: null },
    ]);
    const before = await texts();
    for (const archive of own) await restore(archive);
    expect(await texts()).toEqual(before);
  });

  it('has only groups that `apply` no longer changes, and is restored after others changed', async () => {
    const own = await archives();
    const used = new Set<number>();
    for (const archive of own) {
      for (const place of (await readingsOf(archive)).keys()) used.add(Number(place.split(' ')[1]));
    }
    const fixed = await lab.rows<{ id: number }>(
      'select group_id as id from counter_groups where has_data',
    );
    expect(fixed.map(({ id }) => id)).toEqual(expect.arrayContaining([...used]));
    expect(used.size).toBeGreaterThan(3);
    await lab.rows('update counter_groups set topper_bucket_size = 86400 where not has_data');
    for (const archive of own) expect((await restore(archive)).samples).toBe(archive.rows);
  });

  it('is refused for another slice or number of samples, and changes nothing', async () => {
    const [first, second] = await archives();
    if (!first || !second) throw new Error('there are two');
    const before = await lab.segments();
    await expect(restore(first, fileOf(second))).rejects.toThrow(
      `an archive of slice ${first.sliceId} was expected, not of ${second.sliceId}`,
    );
    await expect(restore({ ...first, rows: first.rows + 1 })).rejects.toThrow(
      `an archive of ${first.rows + 1} samples was expected, but it has ${first.rows}`,
    );
    expect(differences(await lab.segments(), before)).toEqual([]);
    expect(await archives()).toEqual([first, second]);
  });
});
