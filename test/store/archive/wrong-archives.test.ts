import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openArchive } from '../../../store/archive/read-archive.ts';
import { sorted } from '../../segments/plain-segments.ts';
import { digestOf } from '../../support/database/database-digest.ts';
import { dayOf, hostsTo, type KeepingLab, openKeepingLab, SEALED } from './keeping-lab.ts';

let lab: KeepingLab;
let file: string;
let content: Buffer;
let table: unknown;

beforeEach(async () => {
  lab = await openKeepingLab();
  await lab.importDays(dayOf(1, hostsTo(60), SEALED), dayOf(1, [7], { probeId: 1 }), dayOf(2, [1]));
  await lab.importer.query(`insert into probes (context_id, name) values (1, 'core')`);
  table = sorted(await lab.table());
  await lab.archive(1);
  [file = ''] = await lab.files();
  content = await readFile(file);
});

afterEach(() => lab.close());

/** The slice is not restored, and nothing changes in the database or the pool. */
async function expectRefused(message: string | RegExp): Promise<void> {
  const before = await digestOf(lab.databaseUrl);
  const files = await lab.files();
  const partitions = await lab.partitions();
  await expect(lab.restore(1)).rejects.toThrow(message);
  expect(await digestOf(lab.databaseUrl)).toEqual(before);
  expect(await lab.files()).toEqual(files);
  expect(await lab.partitions()).toEqual(partitions);
}

/** Replaces the file and its digest, as if these bytes had been written by archiving. */
async function writeAsWritten(bytes: Buffer): Promise<void> {
  await writeFile(file, bytes);
  await lab.importer.query('update slices set archive_digest = $1 where slice_id = 1', [
    createHash('sha256').update(bytes).digest(),
  ]);
}

async function withHeader(change: (header: Record<string, unknown>) => object): Promise<void> {
  const end = content.indexOf('\n');
  const header = JSON.parse(content.toString('utf8', 0, end));
  const line = `${JSON.stringify({ ...header, ...change(header) })}\n`;
  await writeAsWritten(Buffer.concat([Buffer.from(line), content.subarray(end + 1)]));
}

describe('an archive that differs from what was written', () => {
  it.each([
    ['in its header', () => 30],
    ['in a page', (length: number) => Math.floor(length / 2)],
    ['in its last byte', (length: number) => length - 1],
  ])('is refused if one bit is flipped: %s', async (_, offsetOf) => {
    const damaged = Buffer.from(content);
    const offset = offsetOf(content.length);
    damaged[offset] = (damaged[offset] ?? 0) ^ 1;
    await writeFile(file, damaged);
    await expectRefused(/is damaged: its SHA-256 is [0-9a-f]{64}, and [0-9a-f]{64} was written/);
  });

  it('is refused if it is truncated, longer, empty, or not an archive', async () => {
    await truncate(file, content.length - 1);
    await expectRefused('is damaged');
    await writeFile(file, Buffer.concat([content, Buffer.of(0)]));
    await expectRefused('is damaged');
    await truncate(file, 0);
    await expectRefused('is damaged');
    await writeFile(file, gzipSync('{"a":1}\n'));
    await expectRefused('Nothing was changed: put the file back from a copy');
  });

  it('is refused if it is of another slice, which the message names', async () => {
    await lab.archive(2);
    const other = (await lab.files()).find((name) => name.includes('20250716')) ?? '';
    await copyFile(other, file);
    await expectRefused(
      'is the archive of slice-20250716-0000 of context lab, not of slice-20250715-0000',
    );
  });

  it('is refused if it is missing, or something other than a file', async () => {
    await rm(file);
    await expectRefused(
      `The archive of slice-20250715-0000, ${file}, is not there: is pool oper mounted at ${lab.pool}?`,
    );
    await mkdir(file);
    await expectRefused(`${file}, cannot be read: it is not a plain file`);
    await rm(file, { recursive: true });
    execFileSync('mkfifo', [file]);
    // Opening it would block until another process writes to it.
    await expectRefused(`${file}, cannot be read: it is not a plain file`);
  });

  it('is restored once the right file is put back', async () => {
    await truncate(file, 100);
    await expectRefused('is damaged');
    await writeFile(file, content);
    await lab.restore(1);
    expect(sorted(await lab.table())).toEqual(table);
  });
});

describe('an archive of another form', () => {
  it('is refused, and if it is newer, the message says what to do', async () => {
    await withHeader(() => ({ version: 3 }));
    await expectRefused(
      `${file} is of form 3; this version reads form 2: update countergraph. Nothing was changed`,
    );
    await writeAsWritten(gzipSync('{"countergraph":"archive","version":1}\n'));
    await expectRefused('is of form 1; this version reads form 2: version 1.7 reads both. Nothing');
    await writeAsWritten(Buffer.from('{"some":"thing"}\n'));
    await expectRefused('is of no known form; this version reads form 2. Nothing was changed');
  });
});

describe('an archive whose ids mean something else now', () => {
  const MUST = `must be restored where it was archived, but`;

  it.each([
    [
      'another kind of keys',
      `update counter_groups set key_kind = 'mac' where group_id = 1`,
      /was of ip keys with buckets of 60 and 300 seconds, is of mac keys/,
    ],
    [
      'other buckets',
      'update counter_groups set bucket_size = 300 where group_id = 1',
      /is of ip keys with buckets of 300 and 300 seconds/,
    ],
    [
      'another group',
      'update counter_groups set guid = gen_random_uuid() where group_id = 1',
      /there is no counter group hosts \(.*\) of that id/,
    ],
    [
      'a meter of another type',
      'update meters set type = 11 where group_id = 1 and slot = 1',
      /had meter 0 \(meter\) of type 2 in slot 1, and no longer has/,
    ],
    [
      'another probe',
      `update probes set name = 'edge' where probe_id = 1`,
      /probe core was number 1, and no longer is/,
    ],
  ])('is refused: %s', async (_, change, message) => {
    await lab.importer.query(change);
    await expectRefused(MUST);
    await expectRefused(message);
    await expectRefused('Nothing was changed: use the database that it was archived from');
  });

  it('is refused: a slice of another id', async () => {
    await withHeader((header) => ({ slice: { ...(header['slice'] as object), id: 9 } }));
    await expectRefused(`${MUST} it is of slice-20250715-0000 (9) of context lab`);
  });
});

describe('an archive whose parts are out of order, but whose digest fits', () => {
  const restoreOf = async (bytes: Buffer) => {
    await writeAsWritten(bytes);
    return lab.restore(1);
  };

  it('is refused, and the transaction leaves nothing behind', async () => {
    const { segments } = await lab.manifest();
    const end = content.lastIndexOf('E\0\0');
    for (const [bytes, message] of [
      [content.subarray(0, end), 'it ends in the middle'],
      [content.subarray(0, end - 20), 'it ends in the middle'],
      [Buffer.concat([content, Buffer.of(1)]), 'its parts do not follow each other'],
      [
        Buffer.concat([content.subarray(0, content.indexOf('\n') + 1), content.subarray(end)]),
        'its parts do not follow each other',
      ],
    ] as const) {
      await expect(restoreOf(bytes)).rejects.toThrow(message);
      expect([...(await lab.manifest()).segments.keys()]).toEqual([...segments.keys()]);
      expect((await lab.storedSlice(1)).archived).toBe(true);
      expect(await lab.partitions()).toEqual(['open_segment_pages_2']);
    }
    await restoreOf(content);
    expect(sorted(await lab.table())).toEqual(table);
  });

  it('is refused if a page is not that of its segment', async () => {
    const pages: Buffer[] = [];
    const reader = await openArchive(file);
    const contents = reader.read();
    await contents.header();
    for await (const segment of contents.segments()) {
      for await (const { bytes } of segment.pages) pages.push(Buffer.from(bytes));
    }
    await reader.close();
    const [page = Buffer.alloc(0)] = pages;
    const bytes = Buffer.from(content);
    const offset = bytes.indexOf(page) + 10;
    bytes[offset] = (bytes[offset] ?? 0) ^ 1;
    await expect(restoreOf(bytes)).rejects.toThrow('the digest of page 0 does not fit its bytes');
  });
});
