import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportSource } from '../../ingest/files/import-source.ts';
import { fileSource } from '../../ingest/files/import-source.ts';
import { readContent } from '../../ingest/files/read-content.ts';
import { withRepeatable } from '../../ingest/files/spool-source.ts';
import { textSource } from './text-source.ts';

/** Much longer than closing a stream takes. */
const LATE_MS = 2_000;

const contentOf = (content: string | Buffer, blockBytes = 1000): Promise<string> =>
  contentIn(textSource(content, { blockBytes }));

async function contentIn(source: ImportSource): Promise<string> {
  const blocks: Buffer[] = [];
  for await (const block of readContent(source)) blocks.push(block);
  return Buffer.concat(blocks).toString();
}

describe('the content of a source', () => {
  const text = 'line\n'.repeat(10_000);

  it.each([1, 2, 1000, 1_000_000])(
    'is read completely in blocks of %d bytes',
    async (blockBytes) => {
      expect(await contentOf('', blockBytes)).toBe('');
      expect(await contentOf('a', blockBytes)).toBe('a');
      expect(await contentOf('some text', blockBytes)).toBe('some text');
      expect(await contentOf(gzipSync(text), blockBytes)).toBe(text);
    },
  );

  it('is unpacked to the end if gzip files were concatenated', async () => {
    expect(await contentOf(Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]))).toBe(
      'one\ntwo\n',
    );
  });

  it('is not taken for gzip if only its first byte matches', async () => {
    expect(await contentOf(Buffer.from([0x1f, 0x20]))).toBe('\u001f ');
  });

  it.each([
    ['cut off', gzipSync(text).subarray(0, 60)],
    ['changed', Buffer.concat([gzipSync(text).subarray(0, 12), Buffer.from('nonsense'.repeat(9))])],
    ['only the first two bytes', Buffer.from([0x1f, 0x8b])],
  ])('fails, naming the source, when its gzip data are %s', async (_, damaged) => {
    await expect(contentOf(damaged)).rejects.toThrow(/^test\.log: its gzip data is damaged: /);
  });

  it('fails, naming the source, when it cannot be read', async () => {
    const source = {
      ...textSource(''),
      open: () =>
        new Readable({
          read() {
            this.destroy(Object.assign(new Error('input/output error'), { code: 'EIO' }));
          },
        }),
    };
    await expect(contentIn(source)).rejects.toThrow(
      'test.log: it cannot be read: input/output error',
    );
  });

  it('is counted in bytes as stored', async () => {
    const packed = gzipSync(text);
    let bytes = 0;
    const counted = readContent(textSource(packed, { blockBytes: 7 }), (count) => {
      bytes += count;
    });
    for await (const _ of counted);
    expect(bytes).toBe(packed.length);
  });
});

describe('a named pipe', () => {
  let folder: string;
  let path: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countergraph-pipe-'));
    path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
  });

  afterEach(() => rm(folder, { recursive: true }));

  it('is read to the end, once somebody has written to it', async () => {
    const text = 'line\n'.repeat(100_000);
    const content = contentIn(await fileSource(path));
    await writeFile(path, gzipSync(text));
    expect(await content).toBe(text);
  });

  it('can be abandoned while nobody writes to it', async () => {
    const stream = (await fileSource(path)).open();
    const closed = once(stream, 'close');
    try {
      stream.destroy();
      const late = new Promise((resolve) => setTimeout(resolve, LATE_MS, 'too late'));
      expect(await Promise.race([closed, late])).not.toBe('too late');
    } finally {
      // Opens the other end, so that a stream that waits for it does not keep the process.
      await (await open(path, 'r+')).close();
    }
  });

  it('is no longer waited for once its import is aborted', async () => {
    const aborting = new AbortController();
    const source = await fileSource(path);
    const reading = withRepeatable(source, { signal: aborting.signal }, contentIn);
    aborting.abort();
    await expect(reading).rejects.toThrow('aborted');
  });
});
