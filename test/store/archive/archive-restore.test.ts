import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archivePath, explainPool, fileInPool } from '../../../store/archive/pool-folder.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import type { SlicesBody } from '../../support/http/answers.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import {
  filesBelow,
  keepingOf,
  makePoolFolder,
  partitionedSlices,
  readingsDigest,
  removeFolder,
} from './keep-support.ts';

const GROUP = guidOf(1);
const MEANS = guidOf(2);

let lab: TestService;
let pool: string;
let keeping: ReturnType<typeof keepingOf>;

const line = (key: string, ts: number, value: number | bigint, more = {}): Line => ({
  group: GROUP,
  key,
  ts,
  values: { 0: value },
  ...more,
});

/** Texts that must be escaped, the largest possible reading, counts, probes. */
const LINES: readonly Line[] = [
  line('back\\slash', T0 + 60, 2n ** 63n - 1n, { label: 'first\\floor' }),
  line('\\.', T0 + 120, 5, { probe: 'p1', description: 'two\nlines\tand a tab' }),
  line('a', T0 + DAY, 1),
  line('a', T0 + 2 * DAY + 3600, 10),
  { group: MEANS, key: 'm', ts: T0 + 60, values: { 0: -7, 3: 12 }, count: 3 },
  { group: MEANS, key: 'm', ts: T0 + DAY + 60, values: { 0: 4 } },
  line('late', T0 + 5 * DAY, 3),
];

const OLD = ['slice-20240715-0000', 'slice-20240715-0000-1', 'slice-20240716-0000'];

beforeAll(async () => {
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1), group(2, { meters: [meter(0, 5), meter(3, 11)] })],
    declaration: { pools: [{ name: 'oper', path: pool }] },
    lines: LINES,
  });
  await lab.importSamples([line('of engine one', T0 + 60, 1000)], { engine: 1 });
  lab.clock.seconds = T0 + 20 * DAY;
  keeping = keepingOf(lab);
});

afterAll(async () => {
  await lab.close();
  await removeFolder(pool);
});

const listed = () =>
  lab.ok<SlicesBody>('slices', {
    get_total_window: true,
    get_disk_usage: true,
    get_all_engines: true,
  });

const toppers = () =>
  Promise.all(
    [
      { counter_group: GROUP, window_fromts: T0, window_tots: T0 + 10 * DAY },
      { counter_group: GROUP, window_fromts: T0 + 90, window_tots: T0 + 3 * DAY },
      { counter_group: MEANS, window_fromts: T0, window_tots: T0 + 10 * DAY, probe_id: '' },
      { counter_group: MEANS, meter: 3, window_fromts: T0, window_tots: T0 + 10 * DAY },
      { counter_group: GROUP, recentsecs: 10 * DAY, get_percentiles: '50,95', probe_id: 'p1' },
      { counter_group: GROUP, window_fromts: T0, window_tots: T0 + 10 * DAY, get_percentiles: 95 },
    ].map((parameters) => lab.topper(parameters)),
  );

type GraphSlices = {
  context: {
    totalWindow: { from: number; to: number } | null;
    slices: {
      name: string;
      status: string;
      available: boolean;
      tags: string[];
      path: string;
      diskSize: number;
    }[];
  };
};

const graph = async () =>
  (
    await lab.data<GraphSlices>(
      `{ context(name: "${CONTEXT}") { totalWindow { from to }
          slices(allEngines: true) { name status available tags path diskSize } } }`,
    )
  ).context;

describe('archiving slices and restoring them', () => {
  let before: Awaited<ReturnType<typeof toppers>>;
  let stored: { sliceId: number; digest: string }[];

  beforeAll(async () => {
    before = await toppers();
    const slices = (await keeping.list()).filter(({ name }) => OLD.includes(name));
    stored = await Promise.all(
      slices.map(async ({ sliceId }) => ({ sliceId, digest: await readingsDigest(lab, sliceId) })),
    );
    expect(stored).toHaveLength(3);
    expect((await listed()).total_window).toEqual({ from: T0 + 60, to: T0 + 5 * DAY + 60 });
  });

  it('writes a self-describing file for each slice, and removes the slice everywhere else', async () => {
    const archived = await keeping.archive(...OLD);
    const files = archived.map((each) => each?.file ?? '');
    for (const [i, file] of files.entries()) {
      expect(file.slice(pool.length)).toMatch(
        new RegExp(`^/lab/${OLD[i]}\\.[0-9a-f]{8}\\.segments$`),
      );
      const content = await readFile(file);
      expect(createHash('sha256').update(content).digest('hex')).toBe(archived[i]?.digest);
      const head = content.subarray(0, content.indexOf('\n')).toString();
      expect(JSON.parse(head)).toMatchObject({
        countergraph: 'archive',
        version: 2,
        context: CONTEXT,
        slice: { name: OLD[i], id: stored[i]?.sliceId },
        probes: [{ name: 'p1' }],
        content: { rows: archived[i]?.rows },
      });
    }
    expect(archived.map((each) => each?.rows)).toEqual([3, 1, 2]);
    expect(await filesBelow(pool)).toHaveLength(3);
    expect(await partitionedSlices(lab)).toHaveLength(2);
    expect(await keeping.verify()).toMatchObject({ differences: [], slices: 2 });
  });

  it('shows in REST and GraphQL of a running server, and in no topper', async () => {
    const { slices, total_window } = await listed();
    expect(total_window).toEqual({ from: T0 + 2 * DAY + 3600, to: T0 + 5 * DAY + 60 });
    const gone = slices.filter(({ name }) => OLD.includes(name));
    expect(gone).toHaveLength(3);
    for (const slice of gone) {
      expect(slice).toMatchObject({ status: 'archived', available: false, tags: ['archive'] });
      expect(slice.path).toMatch(`${pool}/lab/${slice.name}.`);
      expect(slice.disk_size).toBe((await readFile(slice.path ?? '')).length);
    }
    const shown = await graph();
    expect(shown.totalWindow).toEqual(total_window);
    expect(shown.slices.filter(({ status }) => status === 'archived')).toEqual(
      gone.map(({ name, status, available, tags, path, disk_size: diskSize }) => ({
        name,
        status,
        available,
        tags,
        path,
        diskSize,
      })),
    );
    const [all, , means] = await toppers();
    expect(all?.keys.map(({ key, metric }) => [key, metric])).toEqual([
      ['a', 10],
      ['late', 3],
    ]);
    expect(means?.keys).toEqual([]);
    const { keys } = await lab.topper({ counter_group: GROUP, recentsecs: 90 * DAY, maxitems: 1 });
    expect(keys.map(({ key }) => key)).toEqual(['a']);
  });

  it('refuses imports into an archived slice, and says what to do', async () => {
    await expect(lab.importSamples([line('x', T0 + 60, 1)])).rejects.toThrow(
      'slice-20240715-0000 is archived: restore it before importing into it, with ' +
        '`countergraph slices restore --context lab --slice slice-20240715-0000`',
    );
    // Imports into other slices do not affect the archive.
    await lab.importSamples([line('meanwhile', T0 + 7 * DAY, 1)]);
  });

  it('restores every reading, and every answer is as before', async () => {
    const texts = await lab.sql('select * from key_texts order by 1, 2');
    expect(texts).not.toEqual([]);
    await keeping.restore(...OLD);
    for (const { sliceId, digest } of stored) {
      expect(await readingsDigest(lab, sliceId)).toBe(digest);
    }
    expect(await filesBelow(pool)).toEqual([]);
    expect(await lab.sql('select * from archive_leftovers')).toEqual([]);
    expect(await lab.sql('select * from key_texts order by 1, 2')).toEqual(texts);
    expect(await keeping.verify()).toMatchObject({ differences: [] });
    await keeping.drop('slice-20240722-0000');
    expect(await toppers()).toEqual(before);
    const { slices, total_window } = await listed();
    expect(total_window).toEqual({ from: T0 + 60, to: T0 + 5 * DAY + 60 });
    for (const slice of slices) {
      expect(slice).toMatchObject({ status: 'available', available: true, tags: ['primary'] });
      expect(slice.path).toMatch(/^base\//);
    }
  });

  it('writes the same content again when it is repeated', async () => {
    const [first] = await keeping.archive('slice-20240716-0000');
    await keeping.restore('slice-20240716-0000');
    const [second] = await keeping.archive('slice-20240716-0000');
    expect(second?.digest).toBe(first?.digest);
    expect(second?.file).not.toBe(first?.file);
    await keeping.restore('slice-20240716-0000');
  });

  it('finds the file where the pool is mounted now', async () => {
    await keeping.archive('slice-20240716-0000');
    const moved = join(pool, 'moved');
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: moved }] });
    await expect(keeping.restore('slice-20240716-0000')).rejects.toThrow(
      `is not there: is pool oper mounted at ${moved}?`,
    );
    await lab.apply({ context: CONTEXT, pools: [{ name: 'oper', path: pool }] });
    await keeping.restore('slice-20240716-0000');
    expect(await keeping.verify()).toMatchObject({ differences: [] });
  });
});

describe('dropping a slice', () => {
  it('removes it completely, archived or not, with its file', async () => {
    await keeping.archive('slice-20240716-0000');
    await keeping.drop('slice-20240716-0000', 'slice-20240715-0000-1');
    expect(await filesBelow(pool)).toEqual([]);
    expect((await listed()).slices.map(({ name }) => name)).toEqual([
      'slice-20240715-0000',
      'slice-20240717-0000',
      'slice-20240720-0000',
    ]);
    expect(await partitionedSlices(lab)).toHaveLength(3);
    expect(await keeping.verify()).toMatchObject({ differences: [], slices: 3 });
  });

  it.skipIf(isOnCluster)('frees the space of all its data, keys included', async () => {
    const size = async () => {
      const [row] = await lab.sql<{ bytes: number }>(
        'select pg_database_size(current_database())::float8 as bytes',
      );
      return row?.bytes ?? 0;
    };
    const before = await size();
    const lines = Array.from({ length: 30_000 }, (_, i) =>
      line(`only here ${Math.sin(i)}`, T0 + 12 * DAY + 60 * (i % 1000), i),
    );
    await lab.importSamples(lines);
    expect(await size()).toBeGreaterThan(before + 500_000);
    await keeping.drop('slice-20240727-0000');
    expect(await size()).toBeLessThan(before + 200_000);
    const [texts] = await lab.sql(
      `select count(*)::int as rows from key_texts where key ~ '^only'`,
    );
    expect(texts).toEqual({ rows: 0 });
  });
});

describe('the path of an archive', () => {
  it.each([
    ['lab', 'lab/'],
    ['..', '%2E%2E/'],
    ['.', '%2E/'],
    ['../../etc/passwd', '%2E%2E%2F..%2Fetc%2Fpasswd/'],
    ['a/b\\c', 'a%2Fb%5Cc/'],
    ['Büro 1', 'B%C3%BCro%201/'],
  ])('of the context %j is in a separate folder', (context, folder) => {
    expect(archivePath(context, 'slice', '01')).toBe(`${folder}slice.01.segments`);
    expect(fileInPool('/pool', archivePath(context, 'slice', '01'))).toBe(
      `/pool/${folder}slice.01.segments`,
    );
  });

  it('is short enough for a file system, and distinct for distinct long names', () => {
    const [one, other] = ['1', '2'].map((end) => archivePath(`${'é'.repeat(199)}${end}`, 's', ''));
    expect(one?.split('/')[0]?.length).toBeLessThan(200);
    expect(one).not.toBe(other);
  });

  it.each(['../x', '../../x', 'a/../b', '/etc/passwd', 'a', 'a/b/c', './b', 'a/..', 'a\\b/c', ''])(
    'is never outside its pool: %j',
    (path) => expect(fileInPool('/pool', path)).toBeNull(),
  );

  it('is null if the pool has no absolute path', () => {
    expect(fileInPool(null, 'a/b')).toBeNull();
    expect(fileInPool('relative', 'a/b')).toBeNull();
  });
});

describe('a pool that cannot be used', () => {
  it.each(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'EFBIG'])(
    'is reported with what to do: %s',
    (code) => {
      const error = Object.assign(new Error(code), { code });
      expect(explainPool({ name: 'oper', path: '/pool' }, error)).toMatchObject({
        message: expect.stringMatching(
          /^Pool oper at \/pool .*: .*(mount|declare|make|free|use) .+/,
        ),
        cause: error,
      });
    },
  );
});
