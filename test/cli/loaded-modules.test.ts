import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';

let program: BuiltProgram;

beforeAll(async () => {
  program = await buildProgram();
});

afterAll(() => program.remove());

/** The modules that a command line loads, by their path in the program or in node_modules. */
async function modulesLoadedBy(...parameters: string[]): Promise<string[]> {
  const coverage = join(program.folder, 'coverage');
  const { stderr } = await program.run(parameters, { NODE_V8_COVERAGE: coverage });
  expect(stderr).toBe('');
  return modulesReportedIn(coverage);
}

async function modulesReportedIn(coverage: string): Promise<string[]> {
  const reports = await Promise.all(
    (await readdir(coverage)).map(async (name) => readFile(join(coverage, name), 'utf8')),
  );
  await rm(coverage, { recursive: true });
  const files = reports
    .flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result)
    .map(({ url }) => url.replace(/^.*?\/(?=(node_modules|dist)\/)/, ''));
  return (await Promise.all(files.map(modulesIn))).flat();
}

async function modulesIn(file: string): Promise<string[]> {
  if (!file.startsWith('dist/bundle/')) return [file];
  const text = await readFile(join(program.folder, file), 'utf8');
  return [...text.matchAll(/^\/\/ (?:\.\.\/)*([\w@].*\.[cm]?js)$/gm)].map(([, name = '']) => name);
}

test('a command does not load modules that only the service needs', async () => {
  const modules = await modulesLoadedBy('import', '--help');
  expect(modules).toContain('ingest/files/import-file.js');
  const ofTheService = /^(rest|schema\/schema|server\/start-server|node_modules\/graphql)/;
  expect(modules.filter((name) => ofTheService.test(name))).toEqual([]);
});

test('the version is told without loading any command', async () => {
  const modules = await modulesLoadedBy('--version');
  expect(modules).toContain('cli/program.js');
  expect(modules.filter((name) => name.startsWith('cli/commands/'))).toEqual([]);
});

test('a server without an identity provider does not load the client of one', async () => {
  const coverage = join(program.folder, 'coverage-of-serve');
  const database = await createTestDatabase();
  const server = spawn(process.execPath, ['dist/bundle/main.js', 'serve'], {
    cwd: program.folder,
    env: {
      ...process.env,
      NODE_V8_COVERAGE: coverage,
      DATABASE_URL: database.url,
      PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  let output = '';
  for await (const chunk of server.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (/^countergraph is ready at \S+$/m.test(output)) break;
  }
  const [address = ''] = /http:\S+/.exec(output) ?? [];
  for (const path of ['/session', '/session/oidc']) await fetch(new URL(path, address));
  server.kill('SIGTERM');
  await ended;
  await database.drop();
  const modules = await modulesReportedIn(coverage);
  expect(modules).toContain('server/sign-in/provider.js');
  expect(modules.filter((name) => /openid-client|oauth4webapi/.test(name))).toEqual([]);
});
