import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Returns the folder of our package.json, found by walking up: this file runs as db/project-root.ts
 * in a checkout and as dist/db/project-root.js once built, and the migrations are next to neither.
 */
export function projectRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new Error(`There is no package.json above ${import.meta.dirname}: install again`);
    }
    folder = parent;
  }
  return folder;
}

/**
 * Returns whether the program runs from a checkout, and not from a published package or an image.
 */
export const isCheckout = (root: string = projectRoot()): boolean =>
  existsSync(join(root, 'build', 'build.mjs'));
