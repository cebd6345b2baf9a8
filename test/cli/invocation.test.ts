import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asTyped, invocation } from '../../cli/invocation.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph form '));
  await mkdir(join(folder, 'checkout', 'build'), { recursive: true });
  await writeFile(join(folder, 'checkout', 'build', 'build.mjs'), '');
});
afterAll(() => rm(folder, { recursive: true }));

describe('a command in a message is shown as the user must type it', () => {
  it.each([
    ['in a checkout', 'checkout', 'checkout', undefined, 'npx countergraph'],
    ['in a folder of a checkout', 'checkout', 'checkout/data', undefined, 'npx countergraph'],
    ['under npm start', 'checkout', 'checkout', 'start', 'npx countergraph'],
    [
      'in an app that depends on the package',
      'app/node_modules/countergraph',
      'app',
      undefined,
      'npx countergraph',
    ],
    ['with npx', '_npx/1/node_modules/countergraph', 'home', 'exec', 'npx countergraph'],
    [
      'after a global installation',
      'lib/node_modules/countergraph',
      'home',
      undefined,
      'countergraph',
    ],
    ['in a container image', 'image', 'image', undefined, 'node bin/countergraph.mjs'],
  ])('%s', (_, root, cwd, npmCommand, form) => {
    const started = { root: join(folder, root), cwd: join(folder, cwd), npmCommand };
    expect(invocation(started)).toBe(form);
  });

  it.each(['checkout', 'image'])('outside the folder of the program: %s', (name) => {
    const started = { root: join(folder, name), cwd: folder, npmCommand: undefined };
    const launcher = join(folder, name, 'bin', 'countergraph.mjs');
    expect(invocation({ ...started, cwd: tmpdir() })).toBe(`node '${launcher}'`);
  });

  it('anywhere in the message, and nothing else changes', () => {
    const message = 'countergraph: use `countergraph apply`, `countergraph user list`, `npm ci`';
    expect(asTyped(message)).toBe(
      'countergraph: use `npx countergraph apply`, `npx countergraph user list`, `npm ci`',
    );
  });
});
