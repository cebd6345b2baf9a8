import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../db/project-root.ts';
import { LIMITS } from '../domain/limits.ts';
import { code, markdownTable } from './markdown-table.ts';

/**
 * Documents the limits of domain/limits.ts, in their order there. The reason for each limit is the
 * comment above it.
 */
export function limitsPart(): string {
  const known = reasons();
  return markdownTable(
    ['limit', 'value', 'why'],
    Object.entries(LIMITS).map(([name, value]) => {
      const reason = known.get(name);
      if (reason === undefined) throw new Error(`LIMITS.${name} has no comment that says why`);
      return [code(name), value.toLocaleString('en-US'), reason];
    }),
  );
}

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
  const texts = files.map((file) => readFileSync(join(projectRoot(), 'domain', file), 'utf8'));
  const entries = texts.join('').matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(\w+):/g);
  return new Map(
    [...entries].map(([, comment = '', name = '']) => [
      name,
      comment.replaceAll(/\s+\*?\s*/g, ' ').trim(),
    ]),
  );
}
