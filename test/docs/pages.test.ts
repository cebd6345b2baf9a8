import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { blocksOf, readPages } from './pages.ts';
import { shapeFaults } from './same-shape.ts';

it('every GraphQL document on the pages is valid', () => {
  const schema = buildSchema(readFileSync(join(projectRoot(), 'schema/schema.graphql'), 'utf8'));
  const documents = readPages().flatMap(({ path, blocks }) =>
    blocks
      .filter(({ language }) => language === 'graphql')
      .map(({ line, text }) => ({ place: `${path}:${line}`, text })),
  );
  expect(documents.length).toBeGreaterThan(20);
  for (const { place, text } of documents) {
    expect(validate(schema, parse(text)), place).toEqual([]);
  }
});

describe('the search for blocks', () => {
  it('finds them with their lines, and reports one that has no end', () => {
    const text = 'a\n```sh\nb\nc\n```\n\n# d\n```json\n{}\n```\n';
    expect(blocksOf(text)).toEqual([
      { language: 'sh', text: 'b\nc\n', line: 2, heading: '' },
      { language: 'json', text: '{}\n', line: 8, heading: '# d' },
    ]);
    expect(() => blocksOf('```sh\nb\n')).toThrow('line 1');
  });
});

describe('the comparison of shapes', () => {
  it.each([
    [{ a: 1 }, { a: 2 }, 0],
    [{ a: 1 }, { a: '2' }, 1],
    [{ a: 1 }, { a: 1, b: 1 }, 1],
    [{ a: null }, { a: 1 }, 1],
    [{ a: 1 }, { a: null }, 1],
    [{ rank: 1 }, { rank: null }, 0],
    [{ changeRatio: 0.1 }, { changeRatio: null }, 0],
    [{ changeRatio: 0.1 }, {}, 1],
    [[1], [1, 2], 0],
    [[1, 2], [1], 1],
    [[{ a: [] }], [{ a: [1] }], 0],
    [[{ a: [{ b: 1 }] }], [{ a: [{ c: 1 }] }], 1],
  ])('%j and %j: %i faults', (shown, real, faults) => {
    expect(shapeFaults(shown, real)).toHaveLength(faults);
  });
});
