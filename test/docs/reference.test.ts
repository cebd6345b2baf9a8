import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { partNames, writeParts } from '../../reference/generated-parts.ts';
import { generatedParts } from '../../reference/parts.ts';
import { readPages } from './pages.ts';

const pages = readPages().filter(({ path }) => path.startsWith('docs/reference/'));

describe('the pages of the reference', () => {
  it.each(pages.map((page) => [page.path, page] as const))(
    '%s matches the code; if not, `npm run docs` regenerates it',
    async (_, { text }) => {
      expect(text).toBe(writeParts(text, await generatedParts()));
    },
  );

  it('have every generated part exactly once', async () => {
    const names = pages.flatMap(({ text }) => partNames(text));
    expect(names.toSorted()).toEqual(Object.keys(await generatedParts()).toSorted());
  });

  it('are written by the script docs of package.json', () => {
    const { scripts } = JSON.parse(readFileSync(join(projectRoot(), 'package.json'), 'utf8'));
    expect(scripts.docs).toContain('reference/write-pages.js');
  });
});

describe('generated parts', () => {
  it('are written between their marks, and nothing else changes', () => {
    const page = 'a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n';
    const written = writeParts(page, { x: 'new' });
    expect(written).toBe('a\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nb\n');
    expect(writeParts(written, { x: 'new' })).toBe(written);
    expect(() => writeParts(page, {})).toThrow('x');
  });
});
