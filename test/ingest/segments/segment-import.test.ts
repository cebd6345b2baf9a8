import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { pagePartitionOf } from '../../../db/page-tables.ts';
import { copiesOf } from '../../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { ThreadPool } from '../../../engine/kernel/threads/thread-pool.ts';
import type { SegmentQuestion } from '../../../engine/plan/key-questions.ts';
import { collectBadLines } from '../../../ingest/lines/bad-lines.ts';
import { loadGroups } from '../../../ingest/load-groups.ts';
import { lineText, readByteLines } from '../../../ingest/samples/byte-lines.ts';
import { createByteSamples } from '../../../ingest/samples/byte-samples.ts';
import { parseSampleLine } from '../../../ingest/samples/sample-line.ts';
import {
  GATHER_LIMITS,
  type GatherLimits,
  SegmentImport,
} from '../../../ingest/segments/segment-import.ts';
import { timeBounds } from '../../../ingest/time-bounds.ts';
import { fetchPages } from '../../../store/read/fetch-pages.ts';
import { CODEC, SHAPE } from '../../segments/plain-segments.ts';
import { DAY, DAY_START, openStoreLab, type StoreLab } from '../../store/store-lab.ts';

let lab: StoreLab;

beforeEach(async () => {
  lab = await openStoreLab();
});

afterEach(() => lab.close());

type Line = {
  readonly host: number;
  readonly minute: number;
  readonly bytes: number;
  readonly probe?: string;
};

/** Some hosts over three days, every fifth line with a probe. */
const LINES: Line[] = Array.from({ length: 600 }, (_, i) => ({
  host: (i * i) % 17,
  minute: (i * 7) % (3 * 1440),
  bytes: 1 + ((i * 31) % 977),
  ...(i % 5 === 0 ? { probe: 'edge' } : {}),
}));

const keyOf = (host: number) => `0A.00.00.${host.toString(16).toUpperCase().padStart(2, '0')}`;

async function textOf(lines: readonly Line[]): Promise<Buffer> {
  const { rows } = await lab.importer.query<{ guid: string }>(
    'select guid from counter_groups where group_id = 1',
  );
  const group = `{${rows[0]?.guid.toUpperCase()}}`;
  const written = lines.map(({ host, minute, bytes, probe }, i) =>
    JSON.stringify({
      group,
      key: keyOf(host),
      ts: DAY_START + 60 * minute + 7,
      values: { 0: bytes, 3: bytes },
      ...(probe === undefined ? {} : { probe }),
      ...(i === 5 ? { label: 'labelled' } : {}),
    }),
  );
  return Buffer.from(`${written.join('\n')}\n`);
}

/** Imports a text in one transaction; returns how many segments it became. */
async function importText(text: Buffer, limits: GatherLimits = GATHER_LIMITS): Promise<number> {
  const now = DAY_START + 30 * DAY;
  return inTransaction(lab.importer, async () => {
    const groups = await loadGroups(lab.importer, 1);
    const bounds = timeBounds(now);
    const second = await lab.open('partitions');
    const target = {
      connection: lab.importer,
      contextId: 1,
      databaseNow: now,
      importedAt: now,
      now: () => now,
      slicesAt: async (starts: readonly number[]) => {
        const slices = new Map(starts.map((start) => [start, 1 + (start - DAY_START) / DAY]));
        for (const sliceId of slices.values()) {
          await ensurePagePartition(
            second,
            pagePartitionOf({ sliceId, level: 0, importedAt: now }),
          );
        }
        return slices;
      },
    };
    const segments = new SegmentImport(target, DAY, limits);
    const add = createByteSamples({ groups, bounds, probe: null });
    await readByteLines({
      content: (async function* () {
        yield text;
      })(),
      badLines: collectBadLines('x', 'stop'),
      take: (line) => {
        if (!add(segments.batch, line)) {
          const {
            readings: values,
            texts,
            ...sample
          } = parseSampleLine({ groups, bounds }, lineText(line));
          segments.batch.add({ ...sample, values });
          if (texts) segments.addTexts({ group: sample.group, key: sample.key, texts });
        }
        return segments.makeRoom();
      },
    });
    await segments.finish();
    return segments.publish();
  });
}

async function topper(from: number, to: number, probeId: number | null) {
  const { segments } = await lab.manifest();
  const reader = {
    node: 'test',
    memory: new SegmentCache(2 ** 24),
    threadPool: new ThreadPool({ workers: 1, queueLength: 10 }),
    caller: { user: 'test', signal: new AbortController().signal },
    pause: () => undefined,
    afterKeys: () => undefined,
    yieldToEventLoop: async () => {},
    fetch: (requests: Parameters<typeof fetchPages>[1]) =>
      fetchPages(copiesOf(lab.reader), requests),
  };
  const question: SegmentQuestion = {
    group: { groupId: 1, shape: SHAPE, codec: CODEC },
    read: {
      groupId: 1,
      bucketSeconds: 60,
      meterIndex: 0,
      aggregate: 'sum',
      probeId,
      interval: { from, to },
      prefix: null,
    },
    question: { kind: 'top', maxItems: 5, within: null, passing: null },
  };
  const own = [...segments.values()].map((segment) => ({ ...segment, limit: null }));
  const live = { segments: own, rollUps: [] };
  const [answer] = await answerSegments(reader, live, [question], null);
  if (answer?.kind !== 'top') throw new Error('a topper was asked for');
  return answer;
}

/** The sums of the keys, largest first. */
function plainTopper(from: number, to: number, lines: readonly Line[] = LINES) {
  const sums = new Map<string, bigint>();
  for (const { host, minute, bytes } of lines) {
    const bucket = DAY_START + 60 * minute;
    if (bucket < from || bucket >= to) continue;
    sums.set(keyOf(host), (sums.get(keyOf(host)) ?? 0n) + BigInt(bytes));
  }
  const ordered = [...sums].sort(([a, x], [b, y]) => Number(y - x) || (a < b ? -1 : 1));
  const total = ordered.reduce((sum, [, value]) => sum + value, 0n);
  return { ordered, total };
}

const windows: [string, number, number][] = [
  ['all of it', DAY_START, DAY_START + 3 * DAY],
  ['one day', DAY_START + DAY, DAY_START + 2 * DAY],
  ['some hours over midnight', DAY_START + 82_333, DAY_START + 91_111],
];

describe('an import as segments', () => {
  it.each([
    ['in one part', GATHER_LIMITS],
    ['in parts of a few rows', { rows: 90, bytes: 2 ** 30 }],
  ])('%s gives the same toppers as plain arithmetic', async (_, limits) => {
    const count = await importText(await textOf(LINES), limits);
    expect(count).toBe((await lab.manifest()).segments.size);
    for (const [, from, to] of windows) {
      const { listed, total, keyCount } = await topper(from, to, null);
      const plain = plainTopper(from, to);
      expect(listed.map(({ key, value }) => [key, value.sum])).toEqual(plain.ordered.slice(0, 5));
      expect(total?.sum ?? 0n).toBe(plain.total);
      expect(keyCount).toBe(plain.ordered.length);
    }
  });

  it('makes a segment for each group, probe and slice, and more if memory is limited', async () => {
    // Three days, each with readings of the probe and readings of none.
    expect(await importText(await textOf(LINES))).toBe(6);
    const more = await importText(await textOf(LINES), { rows: 90, bytes: 2 ** 30 });
    expect(more).toBeGreaterThan(6);
  });

  it('adds up two imports, and counts each probe separately', async () => {
    await importText(await textOf(LINES));
    await importText(await textOf(LINES));
    const [, from, to] = windows[0] as [string, number, number];
    expect((await topper(from, to, null)).total?.sum).toBe(2n * plainTopper(from, to).total);
    const { rows } = await lab.reader.query<{ probe_id: number }>('select probe_id from probes');
    const ofProbe = LINES.filter(({ probe }) => probe === 'edge');
    const probed = await topper(from, to, rows[0]?.probe_id ?? -1);
    expect(probed.total?.sum).toBe(2n * plainTopper(from, to, ofProbe).total);
  });

  it('is stored as a whole or not at all', async () => {
    const text = Buffer.concat([await textOf(LINES), Buffer.from('no sample\n')]);
    await expect(importText(text, { rows: 90, bytes: 2 ** 30 })).rejects.toThrow(/line 601/);
    expect((await lab.manifest()).segments.size).toBe(0);
    expect(await lab.rows('select * from open_segment_pages')).toEqual([]);
  });

  it('stores the texts of keys, and extends the coverage', async () => {
    await importText(await textOf(LINES));
    const texts = await lab.rows('select key, label, label_source from key_texts');
    const labelled = keyOf(LINES[5]?.host ?? -1);
    expect(texts).toEqual([{ key: labelled, label: 'labelled', label_source: 'user' }]);
    const [covered] = await lab.rows<{ first: string; last: string }>(
      'select min(first_bucket) as first, max(last_bucket) as last from coverage',
    );
    const minutes = LINES.map(({ minute }) => minute);
    expect(Number(covered?.first)).toBe(DAY_START + 60 * Math.min(...minutes));
    expect(Number(covered?.last)).toBe(DAY_START + 60 * Math.max(...minutes));
  });
});
