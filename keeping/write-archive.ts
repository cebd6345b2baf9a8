import { createHash } from 'node:crypto';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { readKeyText, readSampleText } from '../db/write/sample-text.ts';
import { partialOf } from '../domain/partial-file.ts';
import { type ArchiveHeader, countLines, SECTION_END } from './archive-form.ts';
import type { Keeper, KeptSlice } from './keeper.ts';
import { openArchive } from './read-archive.ts';

/** What was written, as it was found on the disk afterwards. */
export type WrittenArchive = { readonly digest: string; readonly bytes: number };

/**
 * Writes the archive of a slice whose samples nobody changes meanwhile. Only when it is on the disk
 * and was read back whole does it get its name.
 */
export async function writeArchive(
  keeper: Keeper,
  slice: KeptSlice,
  { header, file }: { header: ArchiveHeader; file: string },
): Promise<WrittenArchive> {
  const partial = partialOf(file);
  const handle = await open(partial, 'wx', 0o640);
  let digest: string;
  try {
    digest = await writeContent(keeper, slice, { header, handle });
    await handle.sync();
  } finally {
    await handle.close();
  }
  const bytes = await checkArchive(partial, digest, header);
  await rename(partial, file);
  await syncFolder(dirname(file));
  return { digest, bytes };
}

/** Returns the digest of what was written. */
async function writeContent(
  keeper: Keeper,
  slice: KeptSlice,
  { header, handle }: { header: ArchiveHeader; handle: FileHandle },
): Promise<string> {
  const hash = createHash('sha256');
  // A stream of the handle's own would not let go of it.
  const target = new Writable({
    write(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      handle.writeFile(chunk).then(() => done(), done);
    },
  });
  await pipeline(
    Readable.from(contentOf(keeper, slice, header), { objectMode: false }),
    createGzip(),
    target,
    { signal: keeper.signal },
  );
  return hash.digest('hex');
}

async function* contentOf(
  { connection, onRows = () => {} }: Keeper,
  slice: KeptSlice,
  header: ArchiveHeader,
): AsyncGenerator<Buffer> {
  const [, { rows = 0 }] = header.sections;
  yield Buffer.from(`${JSON.stringify(header)}\n`);
  yield* readKeyText(connection, slice.sliceId);
  yield SECTION_END;
  let done = 0;
  for await (const part of readSampleText(connection, slice.sliceId)) {
    done += countLines(part);
    onRows(slice, done, rows);
    yield part;
  }
  yield SECTION_END;
}

/** Reads the file back. Errors: it is not what was written, or has not all rows. */
async function checkArchive(file: string, digest: string, header: ArchiveHeader): Promise<number> {
  const archive = await openArchive(file);
  try {
    const parts = archive.read();
    const found = await parts.header();
    for await (const _ of parts.section());
    let rows = 0;
    for await (const part of parts.section()) rows += countLines(part);
    const isSame = JSON.stringify(found) === JSON.stringify(header);
    if (!isSame || rows !== header.sections[1].rows || (await archive.digest()) !== digest) {
      throw new Error(`${file} does not hold what was written to it: is the disk damaged?`);
    }
    return archive.bytes;
  } finally {
    await archive.close();
  }
}

/** So that also the name is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
