import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const readJson = async (name: string) =>
  JSON.parse(await readFile(join(projectRoot(), name), 'utf8'));

type LockedPackage = { readonly hasInstallScript?: true };

describe('npm ci prints no warnings', () => {
  it('because every package gets the versions that it requires', async () => {
    const npm = promisify(execFile)('npm', ['ls', '--all', '--package-lock-only', '--json'], {
      cwd: projectRoot(),
      maxBuffer: 2 ** 24,
    });
    // If versions conflict, npm exits with status 1 and lists the problems.
    const { stdout } = await npm.catch((failure: { stdout: string }) => failure);
    expect(JSON.parse(stdout).problems).toBeUndefined();
  });

  it('because package.json decides for each install script whether it may run', async () => {
    const { packages } = (await readJson('package-lock.json')) as {
      packages: Record<string, LockedPackage>;
    };
    const { allowScripts } = await readJson('package.json');
    const scripted = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.length).toBeGreaterThan(0);
    expect(scripted).toEqual(Object.keys(allowScripts));
  });
});
