import { expect, it } from 'vitest';
import { readSources } from './source-files.ts';

it('a test imports each file of queries and statements', () => {
  const tested = new Set(readSources(['test']).flatMap(({ imports }) => imports));
  const statements = readSources(['db/queries', 'db/write']).filter(({ text }) =>
    // Some files only have the shape of rows.
    /^export (async )?(function|const) /m.test(text),
  );
  expect(statements.length).toBeGreaterThan(100);
  const untested = statements.filter(({ path }) => !tested.has(path));
  expect(untested.map(({ path }) => path)).toEqual([]);
});
