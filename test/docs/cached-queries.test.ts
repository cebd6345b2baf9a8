import { isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { expect, it } from 'vitest';
import { EXAMPLES } from '../../schema/documents/examples.ts';
import { schema } from '../../schema/schema.ts';
import { readPages } from './pages.ts';

/** No frontend sends the queries of these: they are compared with REST, or sent by Grafana. */
const OTHERS = ['docs/how-to/migrate-from-rest.md', 'docs/how-to/use-with-grafana.md'];

const QUERIES: readonly (readonly [string, string])[] = [
  ...EXAMPLES.map(({ title, query }) => [title, query] as const),
  ...readPages()
    .filter(({ path }) => !OTHERS.includes(path))
    .flatMap(({ path, blocks }) =>
      blocks
        .filter(({ language }) => language === 'graphql')
        .map(({ line, text }) => [`${path}, line ${line}`, text] as const),
    ),
];

/** The fields of a document whose objects have an id that the document does not select. */
function withoutId(document: string): string[] {
  const types = new TypeInfo(schema);
  const found: string[] = [];
  visit(
    parse(document),
    visitWithTypeInfo(types, {
      Field({ name, selectionSet }) {
        const type = schema.getType(String(types.getType()).replaceAll(/[[\]!]/g, ''));
        if (!selectionSet || !isObjectType(type) || !('id' in type.getFields())) return;
        const asked = selectionSet.selections.map((each) =>
          each.kind === 'Field' ? each.name.value : '',
        );
        if (!asked.includes('id')) found.push(name.value);
      },
    }),
  );
  return found;
}

it.each(QUERIES)('selects the id of every object that has one: %s', (_, query) => {
  expect(withoutId(query)).toEqual([]);
});

it('these are many examples, and a missing id would be found', () => {
  expect(QUERIES.length).toBeGreaterThan(20);
  expect(withoutId('{ viewer { contexts { name } } }')).toEqual(['contexts']);
});
