import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { SETTING_NAMES } from '../../server/settings/settings.ts';
import { startTestService } from '../support/lab/service.ts';

type Instruction = { readonly name: string; readonly rest: string };
type Stage = { readonly name: string; readonly instructions: readonly Instruction[] };

const read = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

const manifest = JSON.parse(read('package.json'));

/** Reads the stages of the Dockerfile; what precedes the first FROM is one too. */
function readStages(): readonly Stage[] {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const stages: { name: string; instructions: Instruction[] }[] = [{ name: '', instructions: [] }];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    expect(name, line).not.toBe('');
    if (name === 'FROM') {
      stages.push({ name: / AS (\w+)$/.exec(rest)?.[1] ?? 'last', instructions: [] });
    }
    stages.at(-1)?.instructions.push({ name, rest });
  }
  return stages;
}

const stages = readStages();

const all = (stage: string, name: string): readonly string[] =>
  (stages.find((each) => each.name === stage)?.instructions ?? [])
    .filter((each) => each.name === name)
    .map(({ rest }) => rest.trim());

/** Returns what a stage copies from the build context: sources and targets. */
const copies = (stage: string): readonly { sources: readonly string[]; target: string }[] =>
  all(stage, 'COPY')
    .filter((rest) => !rest.startsWith('--from='))
    .map((rest) => rest.split(/\s+/))
    .map((words) => ({ sources: words.slice(0, -1), target: words.at(-1) ?? '' }));

const sourcesOf = (stage: string): string[] => copies(stage).flatMap(({ sources }) => sources);

const everySource = stages.flatMap(({ name }) => sourcesOf(name));

describe('the Dockerfile', () => {
  it('copies existing files, and exactly those that .dockerignore allows', () => {
    expect(everySource.length).toBeGreaterThan(10);
    expect(everySource.filter((source) => !existsSync(join(projectRoot(), source)))).toEqual([]);
    const [first, ...rest] = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(first).toBe('*');
    const allowed = rest.map((line) => line.replace(/^!/, ''));
    const kept = new Set(everySource.map((source) => source.split('/')[0]));
    expect(allowed.sort()).toEqual([...kept].sort());
  });

  it('builds from all sources of the build', () => {
    const { include } = JSON.parse(read('tsconfig.build.json'));
    expect(sourcesOf('build')).toEqual(expect.arrayContaining(include));
    expect(all('build', 'RUN').at(-1)).toBe('npm run -s build');
  });

  it('ends with the files of an installed package', () => {
    const fromOthers = all('last', 'COPY').flatMap(
      (rest) => /^--from=.* (\S+)$/.exec(rest)?.[1] ?? [],
    );
    expect(fromOthers.sort()).toEqual(['dist/bundle', 'dist/web', 'node_modules']);
    const included = manifest.files.map((name: string) => name.replace(/\/\*.*$/, ''));
    expect([...sourcesOf('last'), ...fromOthers]).toEqual(expect.arrayContaining(included));
  });

  it('has no development packages by default', () => {
    expect(all('packages', 'ARG')).toEqual(['OMIT=--omit=dev']);
    expect(all('packages', 'RUN')).toEqual(['npm ci $OMIT --no-audit --no-fund']);
  });

  it('runs the program that package.json names, as a user that is not root', () => {
    const [entryPoint = '[]'] = all('last', 'ENTRYPOINT');
    expect(JSON.parse(entryPoint)).toEqual(['node', `/app/${manifest.bin.countergraph}`]);
    expect(all('last', 'WORKDIR')).toEqual(['/app']);
    expect(existsSync(join(projectRoot(), manifest.bin.countergraph))).toBe(true);
    expect(all('last', 'CMD')).toEqual(['["serve"]']);
    expect(all('last', 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    expect(all('last', 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('sets only existing settings, and keeps data on its volume', () => {
    const pairs = all('last', 'ENV').flatMap((rest) =>
      rest.split(' ').map((pair) => pair.split('=')),
    );
    const set = Object.fromEntries(pairs) as Record<string, string>;
    const unknown = Object.keys(set).filter((name) => !SETTING_NAMES.includes(name));
    expect(unknown).toEqual(['NODE_ENV']);
    const [volume = ''] = all('last', 'VOLUME');
    expect(set['COUNTERGRAPH_DATA_DIR']).toMatch(new RegExp(`^${volume}/`));
    expect(all('last', 'EXPOSE')).toEqual([set['PORT']]);
  });

  it('uses an image with a recent version of Node', () => {
    const [image = ''] = all('', 'ARG');
    expect(Number(/node:(\d+)/.exec(image)?.[1])).toBeGreaterThanOrEqual(20);
    expect(stages.slice(1).map(({ instructions }) => instructions[0]?.rest)).toEqual([
      '$NODE_IMAGE AS build',
      '$NODE_IMAGE AS packages',
      '$NODE_IMAGE',
    ]);
  });
});

describe('the HEALTHCHECK', () => {
  const command = (): string[] => {
    const [check = ''] = all('last', 'HEALTHCHECK');
    return JSON.parse(check.slice(check.indexOf('CMD') + 3));
  };

  const statusOf = (port: string): Promise<number> => {
    const [file = '', ...parameters] = command();
    expect(file).toBe('node');
    return new Promise((resolve) => {
      const child = execFile(process.execPath, parameters, { env: { PORT: port } });
      child.once('exit', (status) => resolve(status ?? -1));
    });
  };

  it('succeeds while the server runs, and fails otherwise', async () => {
    const service = await startTestService();
    const { port } = new URL(service.url);
    expect(await statusOf(port)).toBe(0);
    await service.close();
    expect(await statusOf(port)).toBe(1);
  });
});
