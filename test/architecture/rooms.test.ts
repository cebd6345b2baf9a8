import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findCycles } from './find-cycles.ts';
import { readSources } from './source-files.ts';

const sources = readSources(['server']);

/** A file at the door, directly in `server`, stands for itself; all others stand for their folder. */
const roomOf = (path: string): string => (dirname(path) === 'server' ? path : dirname(path));

describe('the rooms of server', () => {
  it('import each other in one direction only, types included', () => {
    const imports = new Map<string, Set<string>>();
    for (const { path, imports: targets } of sources) {
      const room = roomOf(path);
      const known = imports.get(room) ?? new Set<string>();
      imports.set(room, known);
      for (const target of targets.filter((each) => each.startsWith('server/'))) {
        if (roomOf(target) !== room) known.add(roomOf(target));
      }
    }
    expect(imports.size).toBeGreaterThan(10);
    expect(findCycles(new Map([...imports].map(([room, to]) => [room, [...to]])))).toEqual([]);
  });
});
