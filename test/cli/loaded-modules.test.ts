import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';

let program: BuiltProgram;

beforeAll(async () => {
  program = await buildProgram();
});

afterAll(() => program.remove());

/** The JavaScript files that a command line loads, below the program's folder or node_modules. */
async function filesLoadedBy(...parameters: string[]): Promise<string[]> {
  const coverage = join(program.folder, 'coverage');
  const { stderr } = await program.run(parameters, { NODE_V8_COVERAGE: coverage });
  expect(stderr).toBe('');
  const reports = await Promise.all(
    (await readdir(coverage)).map(async (name) => readFile(join(coverage, name), 'utf8')),
  );
  await rm(coverage, { recursive: true });
  return reports
    .flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result)
    .map(({ url }) => url.replace(/^.*?\/(?=(node_modules|dist)\/)/, ''));
}

test('a command does not load modules that only the service needs', async () => {
  const files = await filesLoadedBy('import', '--help');
  expect(files).toContain('dist/ingest/files/import-file.js');
  const ofTheService = /^(dist\/(rest|schema\/schema|server\/start-server)|node_modules\/graphql)/;
  expect(files.filter((file) => ofTheService.test(file))).toEqual([]);
});

test('the version is told without loading any command', async () => {
  const files = await filesLoadedBy('--version');
  expect(files).toContain('dist/cli/program.js');
  expect(files.filter((file) => file.startsWith('dist/cli/commands/'))).toEqual([]);
});
