import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../../db/project-root.ts';

/** Returns the version that package.json names. */
export function programVersion(): string {
  const text = readFileSync(join(projectRoot(), 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

const OWN_VERSION = programVersion();

/**
 * Throws if another process of this program can no longer be started, because an upgrade has
 * removed or replaced its files.
 */
export function requireOwnFiles(
  file: string,
  readVersion: () => string = programVersion,
  ownVersion: string = OWN_VERSION,
): void {
  if (!existsSync(file)) {
    throw new Error(`The files of the program are gone (${file}): ${ADVICE}`);
  }
  const version = readVersion();
  if (version === ownVersion) return;
  throw new Error(
    `The files of the program are those of version ${version} now, and this is ${ownVersion}: ${ADVICE}`,
  );
}

const ADVICE = 'restart the service, which an upgrade must do itself';
