import { spawn, spawnSync } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { outcomeOf } from '../support/programs/built-program.ts';

/** Reads few of the compiler's own declarations and checks none, which would take most of its time. */
const FEW_TYPES = { lib: ['es2022'], skipLibCheck: true };

/** A checkout with a program and a page of a few lines each, for the real build. */
const CHECKOUT = {
  'cli/main.ts': [
    "import { word } from './word.ts';",
    'declare const process: { argv: string[] };',
    'declare const console: { log(...parts: unknown[]): void };',
    'console.log(word, process.argv.slice(2).join());',
  ].join('\n'),
  'cli/word.ts': "export const word: string = 'one';\n",
  'cli/unused.ts': 'export {};\n',
  'cli/importer.ts': 'export {};\n',
  'ingest/collect/receiver-worker.ts': 'export {};\n',
  'server/processes/child.ts': 'export {};\n',
  'server/background/merge-worker.ts': 'export {};\n',
  'engine/kernel/threads/thread-pool-worker.ts': 'export {};\n',
  'tsconfig.build.json': JSON.stringify({
    extends: './tsconfig.json',
    compilerOptions: { rewriteRelativeImportExtensions: true, rootDir: '.', types: [] },
    include: ['cli', 'engine', 'ingest', 'server'],
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: { module: 'nodenext', strict: true, ...FEW_TYPES },
  }),
  'package.json': JSON.stringify({
    name: 'countergraph',
    version: '0.0.0',
    type: 'module',
    bin: { countergraph: 'bin/countergraph.mjs' },
  }),
  'package-lock.json': '{}',
  'node_modules/.package-lock.json': '{}',
  'docs/how-to/read.md': '# Read\n',
  'docs/tutorial/start.md': '# Start\n',
  'docs/explanation/why.md': '# Why\n',
  'docs/reference/all.md': '# All\n',
  'web/index.html':
    '<meta name="countergraph-help" content=""><script type="module" src="./src/main.ts"></script>',
  'web/src/main.ts': "document.title = 'page';\n",
  'web/vite.config.mjs': 'export default { root: import.meta.dirname };\n',
  'web/tsconfig.json': '{}',
  'web/generated/documents.json': '{}',
};

const COMPILERS = ['typescript', 'rolldown', 'vite', 'marked', 'github-slugger'];

/** A checkout that was built once; each test gets a copy of it, which works as well. */
let built: string;
let folder: string;

const path = (name: string) => join(folder, name);

async function write(name: string, text: string): Promise<void> {
  await mkdir(dirname(path(name)), { recursive: true });
  await writeFile(path(name), text);
}

const makeFolder = () => mkdtemp(join(tmpdir(), 'countergraph-build-'));

beforeAll(async () => {
  built = await makeFolder();
  folder = built;
  for (const [name, text] of Object.entries(CHECKOUT)) await write(name, text);
  for (const name of ['build', 'bin']) {
    await cp(join(projectRoot(), name), path(name), { recursive: true });
  }
  for (const name of COMPILERS) {
    await symlink(join(projectRoot(), 'node_modules', name), path(`node_modules/${name}`));
  }
  run();
}, 60_000);
afterAll(() => rm(built, { recursive: true }));

beforeEach(async () => {
  folder = await makeFolder();
  await cp(built, folder, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true }));

/** The command `countergraph`, which prints its word and its parameters. */
function run(...parameters: string[]) {
  const file = path('bin/countergraph.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...parameters], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

/** A compiler of pages of many files that ends at the same time as those of all other builds. */
const waitingVite = (builds: number) => `
const { mkdirSync, readdirSync, writeFileSync } = require('node:fs');
const shared = new Int32Array(new SharedArrayBuffer(4));
const folder = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(folder + '/assets', { recursive: true });
writeFileSync(folder + '/index.html', '<meta name="countergraph-help" content="">');
for (let i = 0; i < 500; i += 1) writeFileSync(folder + '/assets/' + i + '.js', '');
mkdirSync('arrived', { recursive: true });
writeFileSync('arrived/' + process.pid, '');
while (readdirSync('arrived').length < ${builds}) Atomics.wait(shared, 0, 0, 5);
`;

/** The folders of bundles. */
const bundles = async (): Promise<string[]> =>
  (await readdir(path('dist/bundle'))).filter((name) => !name.endsWith('.js'));

const BUILT_NOTHING = { status: 0, stderr: '' };
const PROGRAM = 'building the program …\n';
const PAGE = 'building the dashboard …\n';

describe('the command in a checkout', { timeout: 60_000 }, () => {
  it('builds all at first and nothing the second time, and not to standard output', async () => {
    await rm(path('dist'), { recursive: true });
    expect(run('a', 'b')).toEqual({ status: 0, stdout: 'one a,b\n', stderr: PROGRAM + PAGE });
    expect(await readFile(path('dist/web/index.html'), 'utf8')).toContain('<script');
    const { mtimeMs } = await stat(path('dist/bundle/main.js'));
    expect(run('c')).toEqual({ ...BUILT_NOTHING, stdout: 'one c\n' });
    expect((await stat(path('dist/bundle/main.js'))).mtimeMs).toBe(mtimeMs);
  });

  it('compares the content of files, and not their times', async () => {
    await utimes(path('cli/word.ts'), 0, Date.now() / 1000 + 3600);
    expect(run()).toMatchObject(BUILT_NOTHING);
    const { atime, mtime } = await stat(path('cli/word.ts'));
    await write('cli/word.ts', "export const word: string = 'two';\n");
    await utimes(path('cli/word.ts'), atime, mtime);
    expect(run()).toMatchObject({ stdout: 'two \n', stderr: PROGRAM });
  });

  it('builds after a source is added or removed, and keeps no output of the latter', async () => {
    await write('cli/more.ts', 'export {};\n');
    expect(run().stderr).toBe(PROGRAM);
    expect(await stat(path('dist/cli/more.js'))).toBeTruthy();
    await rm(path('cli/more.ts'));
    await rm(path('cli/unused.ts'));
    expect(run().stderr).toBe(PROGRAM);
    for (const name of ['more', 'unused']) {
      await expect(stat(path(`dist/cli/${name}.js`))).rejects.toThrow('ENOENT');
    }
    expect(run()).toMatchObject(BUILT_NOTHING);
  });

  it.each([
    ['package-lock.json', PROGRAM + PAGE],
    ['node_modules/.package-lock.json', PROGRAM + PAGE],
    ['tsconfig.json', PROGRAM + PAGE],
    ['tsconfig.build.json', PROGRAM],
    ['web/src/main.ts', PAGE],
    ['docs/how-to/read.md', PAGE],
    ['web/generated/documents.json', PAGE],
    ['build/program.mjs', PROGRAM + PAGE],
  ])('builds what depends on %s when that changes', async (name, built) => {
    await write(name, `${await readFile(path(name), 'utf8')}\n`);
    expect(run()).toMatchObject({ status: 0, stderr: built });
    expect(run()).toMatchObject(BUILT_NOTHING);
  });

  it('keeps the bundle before, of which a program that is starting may load more', async () => {
    const [first = ''] = await bundles();
    await write('cli/word.ts', "export const word: string = 'two';\n");
    expect(run()).toMatchObject({ stdout: 'two \n', stderr: PROGRAM });
    const both = await bundles();
    expect(both).toHaveLength(2);
    expect(both).toContain(first);
    await write('cli/word.ts', "export const word: string = 'three';\n");
    expect(run()).toMatchObject({ stdout: 'three \n', stderr: PROGRAM });
    expect(await bundles()).toHaveLength(2);
    expect(await bundles()).not.toContain(first);
  });

  it('keeps that one also if another build makes the same again', async () => {
    await write('cli/word.ts', "export const word: string = 'two';\n");
    expect(run()).toMatchObject({ stdout: 'two \n', stderr: PROGRAM });
    const both = (await bundles()).toSorted();
    // As a build that started at the same time as the first.
    await rm(path('dist/program.made-of.json'));
    expect(run()).toMatchObject({ stdout: 'two \n', stderr: PROGRAM });
    expect((await bundles()).toSorted()).toEqual(both);
  });

  it('builds at the same time as others, and none of them fails', async () => {
    const builds = 4;
    await rm(path('node_modules/vite'));
    await write('node_modules/vite/package.json', '{}');
    await write('node_modules/vite/bin/vite.js', waitingVite(1));
    await write('web/src/main.ts', "document.title = 'first';\n");
    expect(run()).toMatchObject({ status: 0, stderr: PAGE });
    await rm(path('arrived'), { recursive: true });
    await write('node_modules/vite/bin/vite.js', waitingVite(builds));
    await write('web/src/main.ts', "document.title = 'second';\n");
    const outcomes = await Promise.all(
      Array.from({ length: builds }, () =>
        outcomeOf(spawn(process.execPath, [path('bin/countergraph.mjs')])),
      ),
    );
    const good = { status: 0, stdout: 'one \n', stderr: PAGE };
    expect(outcomes).toEqual(outcomes.map(() => good));
    expect(await readdir(path('dist/web/assets'))).toHaveLength(1500);
    expect((await readdir(path('dist'))).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('removes what killed builds have left, and nothing of a build that is running', async () => {
    const { pid: ended } = spawnSync(process.execPath, ['--version']);
    const running = [`.program-${process.pid}`, `.web-${process.pid}`];
    const left = [`.program-${ended}`, `.web-${ended}`];
    for (const name of [...running, ...left]) await write(`dist/${name}/cli/main.js`, 'part');
    await write('cli/word.ts', "export const word: string = 'two';\n");
    expect(run()).toMatchObject({ stdout: 'two \n', stderr: PROGRAM });
    const others = (await readdir(path('dist'))).filter((name) => name.startsWith('.'));
    expect(others.toSorted()).toEqual(running);
  });

  it('builds again if the output was changed or deleted', async () => {
    const [bundle = ''] = await bundles();
    await write(`dist/bundle/${bundle}/main.js`, "console.log('damaged');\n");
    expect(run()).toMatchObject({ stdout: 'one \n', stderr: PROGRAM });
    await rm(path(`dist/bundle/${bundle}/main.js`));
    expect(run()).toMatchObject({ stdout: 'one \n', stderr: PROGRAM });
    await write('dist/bundle/main.js', "console.log('damaged');\n");
    expect(run()).toMatchObject({ stdout: 'one \n', stderr: PROGRAM });
    await rm(path('dist/cli/word.js'));
    expect(run()).toMatchObject({ stdout: 'one \n', stderr: PROGRAM });
    await rm(path('dist/web/index.html'));
    expect(run().stderr).toBe(PAGE);
  });

  it('reports the error each time the build fails, and runs nothing', async () => {
    await write('cli/word.ts', 'export const word: string = 1;\n');
    for (const _ of ['first', 'second']) {
      const { status, stdout, stderr } = run();
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/cli\/word\.ts.* error TS2322[\s\S]*countergraph: The build failed/);
    }
    await write('cli/word.ts', CHECKOUT['cli/word.ts']);
    expect(run()).toMatchObject({ status: 0, stdout: 'one \n' });
  });

  it('runs without the compilers if they were removed, unless a source has changed', async () => {
    for (const name of COMPILERS) await rm(path(`node_modules/${name}`));
    await write('node_modules/.package-lock.json', '{"pruned":true}');
    expect(run()).toMatchObject({ ...BUILT_NOTHING, stdout: 'one \n' });
    await write('cli/word.ts', "export const word: string = 'two';\n");
    expect(run()).toEqual({
      status: 1,
      stdout: '',
      stderr:
        'countergraph: The program must be built, and the compilers are not installed: ' +
        'run `npm ci`\n',
    });
  });

  it('is what `npx countergraph` runs, before and after the build', async () => {
    await rm(path('dist'), { recursive: true });
    const npx = () =>
      spawnSync('npx', ['countergraph', 'x'], {
        cwd: path('cli'),
        encoding: 'utf8',
        env: { ...process.env, npm_config_cache: path('.npm'), npm_config_offline: 'true' },
      });
    expect(npx()).toMatchObject({ status: 0, stdout: 'one x\n' });
    expect(npx()).toMatchObject({ status: 0, stdout: 'one x\n' });
  });
});
