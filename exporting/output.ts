import { randomBytes } from 'node:crypto';
import { createWriteStream, fstatSync } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** Where an export goes. It is written once, and then either kept or discarded. */
export type Output = {
  /** As it was named; null: standard output. */
  readonly file: string | null;
  /** Writes all of a text; returns the bytes that arrived, compressed ones where it is a `.gz`. */
  write(text: AsyncIterable<string>, signal?: AbortSignal): Promise<number>;
  /** From here on it has its name, and is on the disk. */
  keep(): Promise<void>;
  /** What was begun goes; what was there before stays. */
  discard(): Promise<void>;
};

/** Nobody reads standard output any longer: the export ends, and that is no failure. */
export class OutputClosed extends Error {
  constructor() {
    super('nobody reads standard output any longer');
    this.name = 'OutputClosed';
  }
}

/**
 * A file, which gets its name only when all of it is written, so that a file of that name is always
 * a whole one. What is no ordinary file, as a pipe or a device, is written to as it is.
 */
export async function openFile(path: string): Promise<Output> {
  const found = await stat(path).catch(noneIfMissing);
  if (found?.isDirectory()) throw new Error('it is a directory: name a file in it');
  if (found && !found.isFile()) return openSpecial(path);
  // Behind a link it is the file that is replaced, not the link.
  const file = found ? await realpath(path) : path;
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const handle = await open(partial, 'wx');
  // What only some may read stays so.
  if (found) await handle.chmod(found.mode & MODE_BITS);
  return {
    file: path,
    write: (text, signal) =>
      writeTo({ text, signal, isGzip: isGzip(path), target: intoFile(handle) }),
    async keep() {
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      await syncFolder(dirname(file));
    },
    async discard() {
      await handle.close().catch(() => undefined);
      await rm(partial, { force: true });
    },
  };
}

const MODE_BITS = 0o777;

const isGzip = (path: string): boolean => path.endsWith('.gz');

function noneIfMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function openSpecial(path: string): Promise<Output> {
  const handle = await open(path, 'w');
  return {
    file: path,
    write: (text, signal) =>
      writeTo({ text, signal, isGzip: isGzip(path), target: intoFile(handle) }),
    keep: () => handle.close(),
    discard: () => handle.close().catch(() => undefined),
  };
}

export const openStdout = (): Output => ({
  file: null,
  write: (text, signal) =>
    writeTo({ text, signal, isGzip: false, target: intoStdout() }).catch((error: unknown) => {
      throw isClosed(error) ? new OutputClosed() : error;
    }),
  keep: async () => undefined,
  discard: async () => undefined,
});

const isClosed = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EPIPE';

type Writing = {
  readonly text: AsyncIterable<string>;
  readonly signal: AbortSignal | undefined;
  readonly isGzip: boolean;
  readonly target: Writable;
};

async function writeTo({ text, signal, isGzip: gzipped, target }: Writing): Promise<number> {
  let bytes = 0;
  const counted = new Writable({
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      target.write(chunk, done);
    },
    final: (done) => target.end(done),
  });
  // An error of the target is one of the write that it fails.
  target.on('error', () => undefined);
  const options = signal ? { signal } : {};
  if (gzipped) await pipeline(text, createGzip(), counted, options);
  else await pipeline(text, counted, options);
  return bytes;
}

/** A stream of the handle's own would not let go of it. */
const intoFile = (handle: FileHandle): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      handle.writeFile(chunk).then(() => done(), done);
    },
  });

const STDOUT = 1;

/**
 * Where standard output is a file, its disk may be full. An error of process.stdout would end the
 * process at once; one of a stream of its own fails the export, which then ends in good order.
 */
function intoStdout(): Writable {
  if (fstatSync(STDOUT).isFile()) {
    return createWriteStream('', { fd: STDOUT, autoClose: false });
  }
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      process.stdout.write(chunk, done);
    },
  });
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
