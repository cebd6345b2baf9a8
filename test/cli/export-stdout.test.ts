import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeFolder, removeFolder } from '../export/export-support.ts';
import { holdTables } from '../support/database/held-tables.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram, outcomeOf } from '../support/programs/built-program.ts';

/** A megabyte of lines: more than a pipe can buffer. */
const KEYS = 12_000;

let lab: TestService;
let program: BuiltProgram;
let folder: string;

beforeAll(async () => {
  [lab, program, folder] = await Promise.all([
    startLab({
      groups: [group(1)],
      lines: Array.from({ length: KEYS }, (_, i) => ({
        group: guidOf(1),
        key: `key ${i}`,
        ts: T0 + 60 * i,
        values: { 0: i },
      })),
    }),
    buildProgram(),
    makeFolder(),
  ]);
});

afterAll(async () => {
  await lab?.close();
  await program?.remove();
  if (folder) await removeFolder(folder);
});

const EXPORT = ['export', '--context', CONTEXT];

/** Runs a line in a shell, with $EXPORT as the command. */
function shell(line: string) {
  const main = join(program.folder, 'dist/bundle/main.js');
  const command = `"${process.execPath}" "${main}" ${EXPORT.join(' ')}`;
  return spawn('bash', ['-o', 'pipefail', '-c', line.replaceAll('$EXPORT', command)], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: lab.databaseUrl },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Standard error without the line that says which database is used. */
const messages = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('database: '));

describe('export to standard output', () => {
  it('writes the lines there, and everything else to standard error', async () => {
    const { status, stdout, stderr } = await program.run(EXPORT, { DATABASE_URL: lab.databaseUrl });
    expect(status).toBe(0);
    expect(messages(stderr)).toEqual([
      expect.stringMatching(/^standard output: 12,000 lines of 12,000 keys, 9 slices, \d\.\d MB/),
    ]);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(KEYS);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
      group: guidOf(1),
      key: `key ${KEYS - 1}`,
      ts: T0 + 60 * (KEYS - 1),
      values: { 0: KEYS - 1 },
    });
  });

  it.each([
    ['if it is a file', '$EXPORT >out', 'cat out'],
    ['if it is a file that already has content', 'rm -f out; $EXPORT >>out', 'cat out'],
    ['if the file is named -', '$EXPORT - >out', 'cat out'],
    ['as an export to a file does', '$EXPORT out 1>&2', 'cat out'],
    ['if it is a pipe to a slow reader', '$EXPORT | (sleep 0.5; cat) >out', 'cat out'],
  ])('writes all of it %s', async (_, line, show) => {
    const { status, stdout } = await outcomeOf(shell(`${line} && ${show} | wc -l`));
    expect([status, stdout.trim()]).toEqual([0, String(KEYS)]);
  });

  it('ends with status 0 when its reader closes the pipe', async () => {
    const line = '$EXPORT --declaration lab.json | head -n 1';
    const { status, stdout, stderr } = await outcomeOf(shell(line));
    expect([status, messages(stderr)]).toEqual([0, []]);
    expect(JSON.parse(stdout)).toMatchObject({ key: 'key 0' });
    const declaration = JSON.parse(await readFile(join(folder, 'lab.json'), 'utf8'));
    expect(declaration).toMatchObject({ context: CONTEXT });
  });

  it('fails with one line if the disk is full', async () => {
    const { status, stderr } = await outcomeOf(shell('(ulimit -f 8; $EXPORT >small)'));
    expect(status).toBe(1);
    expect(messages(stderr)).toEqual([
      expect.stringMatching(/^countergraph: cannot write to standard output: EFBIG: /),
    ]);
  });
});

describe('an export to a file', () => {
  it('names it if the disk is full, and leaves no partial file', async () => {
    const own = await makeFolder();
    const { status, stderr } = await outcomeOf(shell(`(ulimit -f 8; $EXPORT ${own}/lab.ndjson)`));
    expect(status).toBe(1);
    expect(messages(stderr)).toEqual([
      expect.stringContaining(`countergraph: cannot write to ${own}/lab.ndjson: EFBIG: `),
    ]);
    expect(await readdir(own)).toEqual([]);
    await removeFolder(own);
  });
});

describe('an export to a file that is interrupted', () => {
  it('leaves no partial file, and the old one as it was', async () => {
    const own = await makeFolder();
    await writeFile(join(own, 'lab.ndjson'), 'old');
    // The declaration is written first; then the export waits for the locks.
    const held = await holdTables(lab.databaseUrl, ['open_segment_pages', 'key_texts']);
    const child = shell(`exec $EXPORT --declaration - ${own}/lab.ndjson`);
    const ended = new Promise((resolve) => child.once('close', resolve));
    const told = text(child.stderr);
    child.stdout.once('data', () => child.kill('SIGINT'));
    expect(await ended).toBe(130);
    expect(messages(await told)).toEqual(['countergraph: interrupted by SIGINT']);
    await held.release();
    expect(await readdir(own)).toEqual(['lab.ndjson']);
    expect(await readFile(join(own, 'lab.ndjson'), 'utf8')).toBe('old');
    await removeFolder(own);
  });
});
