import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ConvertLab, openClone, restoreMigrated } from './convert-lab.ts';
import { differences } from './plain-readings.ts';
import type { StoredDatabase } from './stored-database.ts';

let stored: StoredDatabase;
let lab: ConvertLab;

beforeAll(async () => {
  stored = await restoreMigrated();
});

afterAll(() => stored?.remove());

beforeEach(async () => {
  lab = await openClone(stored);
});

afterEach(() => lab.close());

/** Kills the backend of a conversion in the statement that fires the trigger. */
async function killAt(trigger: string): Promise<void> {
  await lab.rows(`
    create function kill_itself() returns trigger language plpgsql as $$
    begin
      perform pg_terminate_backend(pg_backend_pid());
      return new;
    end $$`);
  await lab.rows(`create ${trigger} execute function kill_itself()`);
}

const stopKilling = () => lab.rows('drop function kill_itself cascade');

const doneSlices = async (): Promise<number> =>
  (await lab.rows('select from converted_slices')).length;

describe('a conversion that is killed', () => {
  it.each([
    ['while it copies texts', 'trigger t before insert on key_texts for each row', 0],
    [
      'between two slices',
      'trigger t before insert on converted_slices for each row when (new.slice_id = 5)',
      2,
    ],
    [
      'within a slice, when its pages are written',
      'trigger t before insert on segments for each row when (new.slice_id = 5)',
      2,
    ],
    [
      'at the commit of a slice',
      `constraint trigger t after insert on segments deferrable initially deferred
       for each row when (new.slice_id = 5)`,
      2,
    ],
  ])('%s loses and duplicates nothing after the next run', async (_, trigger, done) => {
    const wanted = await lab.tables();
    await killAt(trigger);
    await expect(lab.convert()).rejects.toThrow(/terminat/);
    expect(await doneSlices()).toBe(done);
    expect(await lab.rows(`select from segments where slice_id = 5`)).toEqual([]);
    expect(await lab.rows(`select to_regclass('sealed_segment_pages_5') as name`)).toEqual([
      { name: null },
    ]);
    await stopKilling();
    await lab.convert();
    expect(differences(await lab.segments(), wanted)).toEqual([]);
    const texts = 'group_id, key, label, label_source, description, attributes';
    expect(await lab.rows(`select ${texts} from key_texts order by 1, 2`)).toEqual(
      await lab.rows(
        `select ${texts} from keys where num_nonnulls(label, description, attributes) > 0
         order by 1, 2`,
      ),
    );
  });

  it('continues with the next slice, however often it is killed', async () => {
    const wanted = await lab.tables();
    const slices = (await lab.rows('select from slices where not archived')).length;
    for (let done = 0; done < slices; done += 1) {
      // A run is killed at any slice after the next one.
      await killAt(
        `trigger t before insert on converted_slices for each row
         when (new.slice_id <> ${await nextSlice()})`,
      );
      const run = lab.convert();
      if (done < slices - 1) await expect(run).rejects.toThrow(/terminat/);
      else await run;
      expect(await doneSlices()).toBe(done + 1);
      await stopKilling();
    }
    expect(differences(await lab.segments(), wanted)).toEqual([]);
  });

  it('leaves the old tables refusing writes', async () => {
    await killAt('trigger t before insert on segments for each row');
    await expect(lab.convert()).rejects.toThrow(/terminat/);
    await expect(lab.rows(`update keys set label = 'x'`)).rejects.toThrow('takes no more writes');
  });
});

async function nextSlice(): Promise<number> {
  const [row] = await lab.rows<{ id: number }>(
    `select slice_id as id from slices where not archived
       and slice_id not in (select slice_id from converted_slices)
     order by context_id, starts_at, engine limit 1`,
  );
  return row?.id ?? 0;
}
