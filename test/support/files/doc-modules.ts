import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../../db/project-root.ts';

export type DocModules = {
  readonly folder: string;
  /** What a module exports; each call loads it afresh. */
  load(name: string): Promise<Record<string, unknown>>;
  remove(): Promise<void>;
};

/** The code blocks of a page that name a file after their language, as modules that can run. */
export async function docModules(page: string): Promise<DocModules> {
  const parent = join(projectRoot(), 'dist');
  await mkdir(parent, { recursive: true });
  // Packages can be resolved from here, and git ignores it.
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
