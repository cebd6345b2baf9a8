import { open } from 'node:fs/promises';

/** Flushes a folder to disk: only then is a rename within it durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders, and does not need this.
  if (process.platform !== 'win32') {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
  }
}
