import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../db/project-root.ts';

export type DocModules = {
  readonly folder: string;
  /** What a module exports, each time as if it was never loaded before. */
  load(name: string): Promise<Record<string, unknown>>;
  remove(): Promise<void>;
};

/** The blocks of a page that say the name of a file behind their language, as modules to be run. */
export async function docModules(page: string): Promise<DocModules> {
  const parent = join(projectRoot(), 'dist');
  await mkdir(parent, { recursive: true });
  // Where packages are found from, and git does not look.
  const folder = await mkdtemp(join(parent, 'doc-modules-'));
  for (const [, name = '', text = ''] of page.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)) {
    await writeFile(join(folder, name), text);
  }
  let loads = 0;
  return {
    folder,
    async load(name) {
      loads += 1;
      return await import(/* @vite-ignore */ `${join(folder, name)}?load=${loads}`);
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
