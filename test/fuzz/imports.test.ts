import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImportFormat } from '../../domain/import-formats.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { type LabelFormat, labelFile } from '../../ingest/labels/label-file.ts';
import { verifyContext } from '../../store/check/verify-context.ts';
import { conn, connLog, declareSamples, importText, NOW } from '../ingest/import-support.ts';
import { textSource } from '../ingest/text-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { type DatabaseDigest, digestOf } from '../support/database/database-digest.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
import {
  addressLabelFiles,
  type DamagedFile,
  damaged,
  dnsObjects,
  dnsTables,
  goflow2Files,
  labelFiles,
  nfdumpTables,
  sampleFiles,
  zeekObjects,
  zeekTables,
} from './damaged-files.ts';
import { expectNoLeak } from './expect-told.ts';

/** With more slices the test starts over: all data are compared after every case. */
const MOST_SLICES = 20;

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

/** Creates what a file needs before it can be imported. */
type Prepare = (databaseUrl: string) => Promise<unknown>;

async function startAnew(prepare: Prepare): Promise<DatabaseDigest> {
  await database.drop();
  database = await createTestDatabase();
  await prepare(database.url);
  return digestOf(database.url);
}

type Take = (file: DamagedFile) => Promise<unknown>;

const importAs =
  (format: ImportFormat): Take =>
  ({ content, skipBadLines }) =>
    importText(textSource(content), {
      databaseUrl: database.url,
      format,
      skipBadLines,
      again: true,
      batchRows: 40,
    });

const labelAs =
  (format: LabelFormat): Take =>
  ({ content }) =>
    labelFile({ databaseUrl: database.url, context: 'lab', format, source: textSource(content) });

/** Returns null on success. Every failure must be an IngestError about the file. */
async function failureOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(IngestError);
    return String(error);
  }
}

type Format = {
  readonly name: string;
  readonly files: fc.Arbitrary<string>;
  readonly take: Take;
  readonly prepare: Prepare;
};

/** Tries files, and returns how many were imported and how many refused. */
async function tryFiles({ files, take, prepare }: Format, numRuns: number) {
  const outcomes = { taken: 0, refused: 0 };
  let before = await startAnew(prepare);
  const property = fc.asyncProperty(damaged(files), async (file) => {
    const failure = await failureOf(take(file));
    const after = await digestOf(database.url);
    if (failure === null) {
      outcomes.taken += 1;
      const report = await verifyContext({ databaseUrl: database.url, context: 'lab' });
      expect(report).toMatchObject({ differences: [], differenceCount: 0 });
      before = (await sliceCount()) > MOST_SLICES ? await startAnew(prepare) : after;
      return;
    }
    outcomes.refused += 1;
    expect(after).toEqual(before);
    expect(failure).toContain('test.log');
    expectNoLeak(failure);
  });
  const [whole = ''] = fc.sample(files, 1);
  const undamaged = { content: Buffer.from(whole), skipBadLines: false };
  await fc.assert(property, { numRuns, examples: [[undamaged]] });
  return outcomes;
}

async function sliceCount(): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    database.url,
    'select count(*)::int as count from slices',
  );
  return rows[0]?.count ?? 0;
}

const flowsOf = (format: ImportFormat) => ({ take: importAs(format), prepare: async () => {} });

/** Imports addresses, so that the files have some to label. */
const importFlows: Prepare = (databaseUrl) =>
  importText(connLog(conn(NOW), conn(NOW, { from: '10.0.0.2', to: '2001:db8::7' })), {
    databaseUrl,
  });

const FORMATS: readonly Format[] = [
  { name: 'samples', files: sampleFiles, take: importAs('samples'), prepare: declareSamples },
  { name: 'Zeek in TSV', files: zeekTables, ...flowsOf('zeek') },
  { name: 'Zeek in JSON', files: zeekObjects, ...flowsOf('zeek') },
  { name: 'nfdump', files: nfdumpTables, ...flowsOf('nfdump') },
  { name: 'goflow2', files: goflow2Files, ...flowsOf('goflow2') },
  { name: 'labels in CSV', files: labelFiles, take: labelAs('csv'), prepare: declareSamples },
  {
    name: 'labels of addresses in CSV',
    files: addressLabelFiles,
    take: labelAs('csv'),
    prepare: importFlows,
  },
  { name: 'DNS answers in TSV', files: dnsTables, take: labelAs('zeek-dns'), prepare: importFlows },
  {
    name: 'DNS answers in JSON',
    files: dnsObjects,
    take: labelAs('zeek-dns'),
    prepare: importFlows,
  },
];

describe('a damaged file', { timeout: 600_000 }, () => {
  it.each(FORMATS)('of $name is imported completely or not at all', async (format) => {
    const { taken, refused } = await tryFiles(format, Math.ceil(FUZZ_CASES / 4));
    expect([taken > 0, refused > 0]).toEqual([true, true]);
  });
});
