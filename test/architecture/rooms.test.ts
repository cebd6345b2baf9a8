import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles } from './find-cycles.ts';
import { readSources } from './source-files.ts';

const HOUSES = [
  'cli',
  'db',
  'domain',
  'engine',
  'export',
  'ingest',
  'postgres',
  'mcp',
  'parity',
  'resolvers',
  'rest',
  'schema',
  'segments',
  'server',
  'store',
  'web/src/views',
];

describe.each(HOUSES)('the folders of %s', (house) => {
  /** A file directly in the layer's folder counts by itself; all others as their folder. */
  const roomOf = (path: string): string => (dirname(path) === house ? path : dirname(path));

  it('import each other in one direction only, types included', () => {
    const imports = new Map<string, Set<string>>();
    for (const { path, imports: targets } of readSources([house])) {
      const room = roomOf(path);
      const known = imports.get(room) ?? new Set<string>();
      imports.set(room, known);
      for (const target of targets.filter((each) => each.startsWith(`${house}/`))) {
        if (roomOf(target) !== room) known.add(roomOf(target));
      }
    }
    expect(imports.size).toBeGreaterThan(2);
    expect(findCycles(new Map([...imports].map(([room, to]) => [room, [...to]])))).toEqual([]);
  });
});
