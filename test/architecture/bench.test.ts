import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const BENCH = join(projectRoot(), 'bench');

/** A built file that the bench names in a call or a constant: `server/start-server.js`. */
const LOADED = /(?:\(|= )'([a-z-]+(?:\/[a-z-]+)+)\.js'/g;

/** Returns the files of the product that the bench loads, as paths without extension. */
function loadedFiles(): string[] {
  const sources = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(file),
  );
  const texts = sources.map((file) => readFileSync(join(BENCH, file), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(LOADED)].map(([, path = '']) => path));
}

// The bench has its own packages, which are not installed here, so it is not compiled here.
it('the bench loads only files that exist in the product', () => {
  const files = loadedFiles();
  expect(files).toContain('server/start-server');
  const missing = files.filter(
    (file) =>
      ![`${file}.ts`, `dist/${file}.js`].some((path) => existsSync(join(projectRoot(), path))),
  );
  expect(missing).toEqual([]);
});
