import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from '../db/sync-folder.ts';
import { hasCode } from '../domain/has-code.ts';

/** The destination of an export. It is written once, then either kept or discarded. */
export type Output = {
  /** The path as the user gave it; null means standard output. */
  readonly file: string | null;
  /** Writes the whole text. Returns the number of bytes written, after compression for a `.gz`. */
  write(text: AsyncIterable<string>, signal?: AbortSignal): Promise<number>;
  /** Gives the file its final name and syncs it to disk. */
  keep(): Promise<void>;
  /** Deletes the partial file. An existing file of that name is unchanged. */
  discard(): Promise<void>;
};

/** The reader of standard output has gone away. The export ends, but this is not a failure. */
export class OutputClosed extends Error {
  constructor() {
    super('nobody reads standard output any longer');
    this.name = 'OutputClosed';
  }
}

/**
 * Opens a file that gets its name only after it is completely written, so a file of that name is
 * always complete. Anything but a regular file, such as a pipe or a device, is written to directly.
 * mode: of a new file; an existing one keeps its own.
 */
export async function openFile(path: string, mode?: number): Promise<Output> {
  const found = await stat(path).catch(noneIfMissing);
  if (found?.isDirectory()) throw new Error('it is a directory: name a file in it');
  if (found && !found.isFile()) return openSpecial(path);
  // Resolve symlinks so that the target is replaced, not the link.
  const file = found ? await realpath(path) : path;
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const handle = await open(partial, 'wx', mode);
  // Keep the mode of the existing file, so that a private file stays private.
  if (found) await handle.chmod(found.mode & MODE_BITS);
  return {
    file: path,
    write: (text, signal) =>
      writeTo({ text, signal, isGzip: isGzip(path), target: intoFile(handle, path) }),
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

function noneIfMissing(error: unknown): null {
  if (hasCode(error, 'ENOENT')) return null;
  throw error;
}

async function openSpecial(path: string): Promise<Output> {
  const handle = await open(path, 'w');
  return {
    file: path,
    write: (text, signal) =>
      writeTo({ text, signal, isGzip: isGzip(path), target: intoFile(handle, path) }),
    keep: () => handle.close(),
    discard: () => handle.close().catch(() => undefined),
  };
}

export const openStdout = (): Output => ({
  file: null,
  write: (text, signal) =>
    writeTo({ text, signal, isGzip: false, target: intoStdout() }).catch((error: unknown) => {
      throw hasCode(error, 'EPIPE') ? new OutputClosed() : error;
    }),
  keep: async () => undefined,
  discard: async () => undefined,
});

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
  // Errors of the target also fail the write that caused them, so they are handled there.
  target.on('error', () => undefined);
  const options = signal ? { signal } : {};
  if (gzipped) await pipeline(text, createGzip(), counted, options);
  else await pipeline(text, counted, options);
  return bytes;
}

/** Writes through the handle itself, because a stream created from it would not release it. */
const intoFile = (handle: FileHandle, path: string): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      handle.writeFile(chunk).then(
        () => done(),
        (cause: Error) => done(new Error(`cannot write to ${path}: ${cause.message}`, { cause })),
      );
    },
  });

const intoStdout = (): Writable =>
  new Writable({
    write(chunk: Buffer, _encoding, done) {
      process.stdout.write(chunk, done);
    },
  });
