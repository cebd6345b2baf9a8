import { chmodSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadEnvFile } from '../../cli/load-env-file.ts';
import { SettingsError } from '../../server/settings/settings.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  path = join(folder, '.env');
});
afterEach(() => rm(folder, { recursive: true }));

/** Loads a file with this text; returns these variables with those that were set before. */
async function load(text: string, before: NodeJS.ProcessEnv = {}): Promise<NodeJS.ProcessEnv> {
  await writeFile(path, text);
  const env = { ...before };
  loadEnvFile(path, env);
  return env;
}

/** The lines of the error with which loading fails. */
function refusal(): readonly string[] {
  try {
    loadEnvFile(path, {});
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

describe('a settings file', () => {
  it.each([
    ['names and values', 'A=1\n  B = 2 \nC=', { A: '1', B: '2', C: '' }],
    ['comments', '# A=1\n  # "\nB=2 # two\nC="#3" # three', { B: '2', C: '#3' }],
    ['blank lines', '\n \n\t\n  \t\nA=1\n\n\nB=2\n\n', { A: '1', B: '2' }],
    ['the prefix export, as in shells', 'export A=1\n  export  B=2', { A: '1', B: '2' }],
    ['CRLF line ends and a byte order mark', '\ufeffA=1\r\nB=2\r\n', { A: '1', B: '2' }],
    [
      'quoted values of several lines',
      'A="1\nno setting"\nB=\'2\n\n#\'\nC=`3\n"`\nD=4',
      { A: '1\nno setting', B: '2\n\n#', C: '3\n"', D: '4' },
    ],
    ['a quote that is never closed', 'A="1\nB=2', { A: '"1', B: '2' }],
    ['a name twice, of which the last value counts', 'A=1\nA=2', { A: '2' }],
    ['no content', '', {}],
  ])('may have %s', async (_, text, env) => {
    expect(await load(text)).toEqual(env);
  });

  it('does not replace a variable that is set, even if it is empty', async () => {
    expect(await load('A=1\nB=2\nC=3', { A: 'a', B: '' })).toEqual({ A: 'a', B: '', C: '3' });
  });

  it('may be missing', () => {
    expect(refusal()).toEqual([]);
  });
});

const lineMust = (line: number): string =>
  `${path}, line ${line} must be NAME=value, or a comment after #: correct it`;

describe('a line of a settings file that is not a setting', () => {
  it.each([
    ['without =', 'PORT 45421\nHOST=::1\n', [1]],
    ['without a name', '=1\nA=2\n', [1]],
    ['with two names', 'A B=1\n', [1]],
    ['with a name in quotes', '"A"=1\n', [1]],
    ['at the end', 'A=1\nsecret', [2]],
    ['after a value of three lines', 'A="1\n2\n3"\nB: 4\nC=5', [4]],
    ['with a CRLF line end', 'A=1\r\nB\r\nC=3\r\n', [2]],
    ['among others', 'A\n\nB=1\nexport C\n# D\nE', [1, 4, 6]],
  ])('is named by its number, and its text is not shown: %s', async (_, text, numbers) => {
    await writeFile(path, text);
    expect(refusal()).toEqual(numbers.map(lineMust));
  });
});

/** Works as a user other than root, who may not read everything. */
function asNobody(work: () => void): void {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

const cannotRead = (reason: string): string =>
  `cannot read ${path}: ${reason}: ` +
  'make it a file that the user who starts the program may read, or remove it';

describe('a settings file that cannot be read', () => {
  it('is named with the reason if the user may not read it', async () => {
    await writeFile(path, 'A=1');
    chmodSync(path, 0o000);
    chmodSync(folder, 0o755);
    asNobody(() =>
      expect(refusal()).toEqual([cannotRead(`EACCES: permission denied, open '${path}'`)]),
    );
  });

  it('is named with the reason if it is a folder', async () => {
    await mkdir(path);
    expect(refusal()).toEqual([cannotRead('EISDIR: illegal operation on a directory, read')]);
  });
});

describe('the program', () => {
  let program: BuiltProgram;

  beforeAll(async () => {
    program = await buildProgram();
  });
  afterAll(() => program.remove());

  it('ends with status 2 and a line for each mistake in .env', async () => {
    await writeFile(join(program.folder, '.env'), 'PORT 45421\nHOST=::1\n');
    expect(await program.run(['migrate'])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'countergraph: .env, line 1 must be NAME=value, or a comment after #: correct it\n',
    });
  });
});
