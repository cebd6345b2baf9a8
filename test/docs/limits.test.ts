import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { LIMITS } from '../../domain/limits.ts';
import { operationCost } from '../../schema/limits/cost-fault.ts';

const textOf = (path: string): string => readFileSync(join(projectRoot(), path), 'utf8');

const page = textOf('docs/reference/limits.md');

const rowsOf = (pattern: RegExp): string[] => page.split('\n').filter((row) => pattern.test(row));

/** The reason of each limit: the comment above it. */
function reasons(): ReadonlyMap<string, string> {
  const files = [
    'limits.ts',
    'limits/live-limits.ts',
    'limits/alert-limits.ts',
    'limits/feed-limits.ts',
    'limits/access-limits.ts',
    'limits/datagram-limits.ts',
    'limits/collect-limits.ts',
  ];
  const texts = files.map((file) => textOf(`domain/${file}`)).join('');
  const entries = texts.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+):/g);
  return new Map(
    [...entries].map(([, comment = '', name = '']) => [
      name,
      comment.replaceAll(/\s+\*?\s*/g, ' ').trim(),
    ]),
  );
}

describe('docs/reference/limits.md', () => {
  it('repeats every limit with its value and its reason', () => {
    const known = reasons();
    const expected = Object.entries(LIMITS).map(
      ([name, value]) => `| \`${name}\` | ${value.toLocaleString('en-US')} | ${known.get(name)} |`,
    );
    expect(rowsOf(/^\| `[a-z]\w+` \| \d/)).toEqual(expected);
  });

  it('begins with the limits of a GraphQL request', () => {
    const [, table = ''] = /## Of a GraphQL request\n([\s\S]*?)\n\n[A-Z]/.exec(page) ?? [];
    const most = [...table.matchAll(/^\| ([\d,]+)/gm)].map(([, number = '']) => number);
    const limits = [
      LIMITS.graphqlBodyBytes / 1024,
      LIMITS.graphqlTokens,
      LIMITS.graphqlDepth,
      LIMITS.graphqlNesting,
      LIMITS.graphqlAliases,
      LIMITS.graphqlRootFields,
      LIMITS.graphqlDirectives,
      LIMITS.graphqlCost,
      LIMITS.graphqlNodeIds,
      LIMITS.percentileRanks,
      LIMITS.answerValues,
    ];
    expect(most).toEqual(limits.map((limit) => limit.toLocaleString('en-US')));
  });

  it('computes the cost of its example as the server does', () => {
    const [, query = ''] = /```graphql\n([\s\S]*?)```/.exec(page) ?? [];
    const document = parse(query);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no example');
    const { fixed } = operationCost(document, operation, {}, { topperItems: LIMITS.maxItems });
    expect(page).toContain(`${fixed.toLocaleString('en-US')} units`);
  });
});
