import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createProgram } from '../../cli/program.ts';
import { reportFailure } from '../../cli/report-failure.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Runs a command in this process, as cli/main.ts does. */
async function run(...parameters: string[]) {
  const stdout: string[] = [];
  const stderr: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => stdout.push(String(text)) > 0);
  vi.spyOn(console, 'error').mockImplementation((text) => void stderr.push(text));
  try {
    const program = await createProgram(parameters);
    await program.parseAsync(parameters, { from: 'user' });
    return { status: 0, stdout: stdout.join(''), stderr };
  } catch (error) {
    return { status: reportFailure(error), stdout: stdout.join(''), stderr };
  }
}

describe('a usage error ends with status 2 and one line that says what to do', () => {
  test.each([
    [[], 'a command is missing; see --help'],
    [['migrat'], "unknown command 'migrat' (Did you mean migrate?); see --help"],
    [['migrate', '--fast'], "unknown option '--fast'; see --help"],
    [
      ['migrate', 'now'],
      "too many arguments for 'migrate'. Expected 0 arguments but got 1; see --help",
    ],
    [['apply', ''], "cannot read '': ENOENT: no such file or directory, open ''"],
    ...['0', '65', '1.5', 'two', '-1'].map((given): [string[], string] => [
      ['serve', `--processes=${given}`],
      `option '--processes <number>' argument '${given}' is invalid. ` +
        'It must be an integer from 1 to 64; see --help',
    ]),
  ])('countergraph %j', async (parameters, line) => {
    expect(await run(...parameters)).toEqual({
      status: 2,
      stdout: '',
      stderr: [`countergraph: ${line}`],
    });
  });

  test('mistakes in the settings, a line each', async () => {
    vi.stubEnv('PORT', 'x');
    vi.stubEnv('LOG_LEVEL', 'loud');
    expect(await run('migrate')).toEqual({
      status: 2,
      stdout: '',
      stderr: [
        expect.stringMatching(/^countergraph: PORT must be an integer from 0 to 65535, got "x"/),
        expect.stringMatching(/^countergraph: LOG_LEVEL must be one of .*, got "loud"/),
      ],
    });
  });
});

test('a command in a deleted folder ends with status 1 and one line', () => {
  const stderr: string[] = [];
  vi.spyOn(console, 'error').mockImplementation((text) => void stderr.push(text));
  const gone = Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), {
    syscall: 'uv_cwd',
  });
  vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw gone;
  });
  vi.stubEnv('npm_command', undefined);
  expect(reportFailure(gone)).toBe(1);
  expect(reportFailure(new Error('use `countergraph user list`'))).toBe(1);
  expect(stderr).toEqual([
    'countergraph: the current folder was deleted: change to another one',
    expect.stringMatching(/^countergraph: use `node .*\/bin\/countergraph\.mjs user list`$/),
  ]);
});

describe('serve --documents ends with a usage error', () => {
  test.each([
    ['that does not exist', null, /^countergraph: cannot read .*documents\.json: ENOENT: /],
    ['that is not JSON', '{', /documents\.json must be a JSON object .*; it is not JSON$/],
    ['that is a list', '[]', /documents\.json must be a JSON object .*: \{"<hash>": /],
    ['with a document of another schema', '{"a":"{ b }"}', /the document a cannot be .*"b"/],
  ])('for a file %s', async (_, text, line) => {
    const folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
    const file = join(folder, 'documents.json');
    if (text !== null) await writeFile(file, text);
    const { status, stdout, stderr } = await run('serve', '--documents', file);
    await rm(folder, { recursive: true });
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toEqual([expect.stringMatching(line)]);
  });
});

describe('a failed command ends with status 1 and one clear line', () => {
  test.each(['127.0.0.1', 'localhost'])(
    'without the password, if nothing listens on %s',
    async (host) => {
      vi.stubEnv('DATABASE_URL', `postgres://somebody:secret@${host}:1/nowhere`);
      const { status, stdout, stderr } = await run('migrate');
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toEqual([
        expect.stringMatching(
          /^countergraph: Database is not reachable \(connect ECONNREFUSED .*:1\)/,
        ),
      ]);
      expect(stderr[0]).not.toContain('secret');
    },
  );

  test('even if its error has several lines, or no message', async () => {
    const lines: string[] = [];
    vi.spyOn(console, 'error').mockImplementation((text) => void lines.push(text));
    expect(reportFailure(new Error('first\n  second\n'))).toBe(1);
    expect(reportFailure(new AggregateError([new Error('a'), new Error('b')]))).toBe(1);
    expect(reportFailure(new TypeError())).toBe(1);
    expect(reportFailure('text')).toBe(1);
    expect(lines).toEqual(
      ['first | second', 'a, b', 'TypeError', 'text'].map((line) => `countergraph: ${line}`),
    );
  });
});

describe('the program and every command have help', () => {
  test.each([
    [['--help'], /^Usage: countergraph \[options\] \[command\]/],
    [['migrate', '--help'], /^Usage: countergraph migrate \[options\]/],
    [['help', 'migrate'], /^Usage: countergraph migrate \[options\]/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('countergraph %j', async (parameters, output) => {
    const { status, stdout, stderr } = await run(...parameters);
    expect({ status, stderr }).toEqual({ status: 0, stderr: [] });
    expect(stdout).toMatch(output);
  });
});
