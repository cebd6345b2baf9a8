import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { readPages } from './pages.ts';

const OTHERS = ['ARCHITECTURE.md', 'CHANGELOG.md', 'deploy/README.md', 'bench/README.md'];

const root = projectRoot();

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const pages = [
  ...readPages().map(({ path, text }) => ({ path, text })),
  ...OTHERS.map((path) => ({ path, text: read(path) })),
];

/** The text without code, in which brackets are not links. */
const prose = (text: string): string =>
  text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '``');

/** The anchors of headings, as GitHub and other forges make them. */
function anchorsOf(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function fault(from: string, link: string): string | null {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (target.startsWith('..') || !existsSync(join(root, target))) return `${from}: ${link}`;
  if (anchor === undefined || statSync(join(root, target)).isDirectory()) return null;
  return anchorsOf(read(target)).includes(anchor) ? null : `${from}: ${link}, no such heading`;
}

describe('the links of the pages', () => {
  it('lead to existing files and headings', () => {
    const links = pages.flatMap(({ path, text }) =>
      [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ path, link })),
    );
    const own = links.filter(({ link }) => !/^(https?|mailto):/.test(link));
    expect(own.length).toBeGreaterThan(40);
    expect(own.flatMap(({ path, link }) => fault(path, link) ?? [])).toEqual([]);
  });

  it('reach every page of docs from its index', () => {
    const reached = new Set(['docs/index.md']);
    for (const path of reached) {
      for (const [, link = ''] of prose(read(path)).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
        const target = normalize(join(dirname(path), link));
        if (target.startsWith('docs/') && target.endsWith('.md')) reached.add(target);
      }
    }
    const all = pages.map(({ path }) => path).filter((path) => path.startsWith('docs/'));
    const lone = all.filter((path) => !reached.has(path) && !path.startsWith('docs/adr/'));
    expect(lone).toEqual([]);
  });

  it('have the anchors that forges make of headings', () => {
    const text = '# A `b` & C-d\n```sh\n# no heading\n```\n## What it is, then?\n';
    expect(anchorsOf(text)).toEqual(['a-b--c-d', 'what-it-is-then']);
  });
});
