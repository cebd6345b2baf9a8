import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { isVersioned } from '../../../engine/snapshot/request-session.ts';

describe('every statement of requests', () => {
  it('is listed here, or its result is valid as long as the versions do not change', () => {
    const folder = join(projectRoot(), 'db/sql');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const named = files
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(/query: '([^']+)'/g),
      ]);
    const momentary = named.map(([, name = '']) => name).filter((name) => !isVersioned(name));
    // These read data outside contexts, or data whose changes raise no version, or are sent
    // repeatedly for open streams, or by a conversion.
    expect([...new Set(momentary)].sort()).toEqual([
      'select-accounts',
      'select-alert-changes',
      'select-alert-events',
      'select-alert-revisions',
      'select-alerts',
      'select-change-counter',
      'select-context-exists',
      'select-context-sinks',
      'select-event-pages',
      'select-exporters',
      'select-firing-events',
      'select-format-1-pages',
      'select-newest-audit',
      'select-pools',
      'select-rights',
      'select-saved-views',
      'select-server-facts',
      'select-sessions-of',
      'select-slice-sizes',
      'select-slices',
      'select-tokens-of',
      'select-watched-alerts',
      'select-watched-versions',
    ]);
  });
});
