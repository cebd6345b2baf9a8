import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const BENCH = join(projectRoot(), 'bench');

/** A built file as the bench loads it, by a call or a constant: `server/start-server.js`. */
const LOADED = /(?:\(|= )'([a-z-]+(?:\/[a-z-]+)+)\.js'/g;

/** By path without extension: the files of the product that the bench loads. */
function loadedFiles(): string[] {
  const sources = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(file),
  );
  const texts = sources.map((file) => readFileSync(join(BENCH, file), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(LOADED)].map(([, path = '']) => path));
}

// The bench has packages of its own, which are not installed with the product's: it is not compiled here.
it('the bench loads only files that the product has', () => {
  const files = loadedFiles();
  expect(files).toContain('server/start-server');
  const missing = files.filter((file) => !existsSync(join(projectRoot(), `${file}.ts`)));
  expect(missing).toEqual([]);
});
