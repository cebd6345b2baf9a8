import { stat } from 'node:fs/promises';
import { reasonOf } from '../domain/text/reason-of.ts';
import { shellWord } from '../domain/text/shell-word.ts';
import { fileSource, type ImportSource, stdinSource } from '../ingest/files/import-source.ts';
import { UsageError } from './usage-error.ts';

/**
 * Opens the files that a command names; `-` is standard input. Checks all of them before any work.
 */
export async function openSources(files: readonly string[]): Promise<ImportSource[]> {
  if (files.filter((file) => file === '-').length > 1) {
    throw new UsageError('standard input can be read only once: give - once');
  }
  const sources: ImportSource[] = [];
  for (const file of files) sources.push(file === '-' ? stdinSource() : await openFile(file));
  return sources;
}

async function openFile(path: string): Promise<ImportSource> {
  try {
    if (!(await stat(path)).isDirectory()) return await fileSource(path);
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(`cannot read ${shellWord(path)}: ${reason}`);
  }
  throw new UsageError(`${path} is a directory: name the files in it`);
}
