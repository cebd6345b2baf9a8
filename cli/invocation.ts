import { basename, dirname, join, parse, relative } from 'node:path';
import { isCheckout, projectRoot } from '../db/project-root.ts';
import { shellWord } from '../domain/text/shell-word.ts';

/** How and where the program was started. */
export type Started = {
  /** The folder of its package.json. */
  readonly root: string;
  /** The folder in which the reader of a message would type the command. */
  readonly cwd: string;
  /** The npm command that started the program, which npm passes to programs that it starts. */
  readonly npmCommand: string | undefined;
};

/** Returns what to type for `countergraph` so that it works where a message is read. */
export function invocation(started: Started = startedHere()): string {
  const { root, cwd, npmCommand } = started;
  const isInstalled = basename(dirname(root)) === 'node_modules';
  // npm finds the command of the current project, and of packages that it has run before as `npx`.
  const project = isInstalled ? dirname(dirname(root)) : root;
  const hasProject = isInstalled || isCheckout(root);
  if (hasProject && (isBelow(cwd, project) || npmCommand === 'exec')) return 'npx countergraph';
  if (isInstalled) return 'countergraph';
  const launcher = join(root, 'bin', 'countergraph.mjs');
  return `node ${shellWord(isBelow(cwd, root) ? relative(cwd, launcher) : launcher)}`;
}

/**
 * Returns a message in which the commands, written as `countergraph …`, are in the form to type.
 */
export const asTyped = (message: string): string =>
  message.replaceAll(/`countergraph (?=[a-z])/g, `\`${invocation()} `);

function startedHere(): Started {
  const { npm_command: npmCommand, INIT_CWD: typedIn } = process.env;
  // npm runs scripts in the folder of the project, wherever they were started from.
  const cwd = (npmCommand === undefined ? undefined : typedIn) ?? currentFolder();
  return { root: projectRoot(), cwd, npmCommand };
}

/** If the current folder was deleted, what to type must not depend on it. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return parse(projectRoot()).root;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !way.startsWith('..') && way !== path;
}
