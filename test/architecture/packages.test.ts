import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const readJson = async (name: string) =>
  JSON.parse(await readFile(join(projectRoot(), name), 'utf8'));

type LockedPackage = {
  readonly hasInstallScript?: true;
  readonly dev?: true;
  readonly devOptional?: true;
  readonly engines?: { readonly node?: string };
};

const lockedPackages = async (): Promise<[string, LockedPackage][]> =>
  Object.entries((await readJson('package-lock.json')).packages);

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
    const { allowScripts } = await readJson('package.json');
    const scripted = (await lockedPackages())
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.length).toBeGreaterThan(0);
    expect(scripted).toEqual(Object.keys(allowScripts));
  });
});

/** Whether a range of the forms that packages use allows Node 20.19. */
function allows(range: string): boolean {
  return range.split('||').some((alternative) => {
    const [least = '', exact] = alternative
      .trim()
      .split(/\s+(?=>)/)
      .reverse();
    const [, sign = '', major = '', minor = '0'] =
      /^(>=\s*|\^|)(\d+)(?:\.(\d+|\*))?/.exec(least) ?? [];
    if (least === '*') return true;
    if (exact && !allows(exact)) return false;
    const isReached = Number(major) < 20 || (major === '20' && !(Number(minor) > 19));
    return sign.startsWith('>') ? isReached : major === '20' && isReached;
  });
}

describe('an installed package', () => {
  it.each([
    ['>=20.19', true],
    ['>=20.20', false],
    ['>=22.15.0', false],
    ['^20.19.0 || >=22', true],
    ['18 || 20 || >=22', true],
    ['>=16 || 14 >=14.17', true],
    ['6.* || >= 10.*', true],
    ['18 || >=22', false],
    ['*', true],
  ])('may demand Node %s: %j', (range, isAllowed) => {
    expect(allows(range)).toBe(isAllowed);
  });

  it('runs on Node 20.19', async () => {
    // Optional packages of others are installed by those who want them.
    const installed = (await lockedPackages()).filter(([, { dev, devOptional }]) => {
      return !dev && !devOptional;
    });
    const faults = installed.filter(([, { engines }]) => !allows(engines?.node ?? '*'));
    expect(faults.map(([path]) => path)).toEqual([]);
  });

  // An update of these could change answers or the format of the data folder.
  it('has exactly the versions of patterns and PostgreSQL that were tested', async () => {
    const { devDependencies, optionalDependencies } = await readJson('package.json');
    const pinned = [devDependencies.re2js, ...Object.values(optionalDependencies)];
    expect(pinned.filter((version) => !/^\d/.test(version))).toEqual([]);
  });
});

describe('the lock file', () => {
  it('names no registry', async () => {
    expect(await readFile(join(projectRoot(), 'package-lock.json'), 'utf8')).not.toContain(
      '"resolved"',
    );
  });
});
