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

  it.each([
    ['nothing', 0, 0],
    ['a zero byte', 1, 0],
    ['many zero bytes', 700, 0],
    ['zero bytes, and some at the end', 512, 512],
  ])(
    'is unpacked to the end if gzip files were concatenated with %s between',
    async (...padding) => {
      const [, between, atEnd] = padding;
      const packed = Buffer.concat([
        gzipSync('one\n'),
        gzipSync('two\n'),
        Buffer.alloc(between),
        gzipSync(text),
        Buffer.alloc(atEnd),
      ]);
      for (const blockBytes of [1, 7, 100, 100_000]) {
        expect(await contentOf(packed, blockBytes)).toBe(`one\ntwo\n${text}`);
      }
    },
  );

  it.each([
    ['xz', Buffer.from('\xfd7zXZ\0\0\x04...', 'latin1'), '`xz -dc test.log`'],
    ['bzip2', Buffer.from('BZh91AY&SY...'), '`bzip2 -dc test.log`'],
    ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x24, 0x04]), '`zstd -dc test.log`'],
    ['lz4', Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x64, 0x40]), '`lz4 -dc test.log`'],
    ['zip', Buffer.from('PK\x03\x04...'), '`unzip -p test.log`'],
    ['gzip twice', gzipSync(gzipSync(text)), '`gzip -dc test.log`'],
    ['xz, and then with gzip', gzipSync(Buffer.from('\xfd7zXZ\0', 'latin1')), 'log | xz -dc`'],
  ])('is not read if it is compressed with %s', async (name, content, command) => {
    for (const blockBytes of [1, 1000]) {
      const reading = contentOf(content, blockBytes);
      await expect(reading).rejects.toThrow(`test.log: it is compressed with ${name}`);
      await expect(contentOf(content, blockBytes)).rejects.toThrow(command);
    }
  });

  it('is not taken for gzip if only its first byte matches', async () => {
    expect(await contentOf(Buffer.from([0x1f, 0x20]))).toBe('\u001f ');
  });

  it.each([
    ['cut off', gzipSync(text).subarray(0, 60)],
    ['changed', Buffer.concat([gzipSync(text).subarray(0, 12), Buffer.from('nonsense'.repeat(9))])],
    ['only the first two bytes', Buffer.from([0x1f, 0x8b])],
    ['followed by text', Buffer.concat([gzipSync(text), Buffer.from('text')])],
    ['followed by zeros and text', Buffer.concat([gzipSync(text), Buffer.from('\0\0text')])],
  ])('fails, naming the source, when its gzip data are %s', async (_, damaged) => {
    for (const blockBytes of [1, 1000]) {
      const reading = contentOf(damaged, blockBytes);
      await expect(reading).rejects.toThrow(/^test\.log: its gzip data is damaged: /);
    }
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
