import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../db/project-root.ts';

export type Block = {
  /** The word after the opening fence: `sh`, `graphql`, `json` … */
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, counted from 1. */
  readonly line: number;
  /** The heading above it. */
  readonly heading: string;
};

export type Page = {
  /** Relative to the root of the project. */
  readonly path: string;
  readonly text: string;
  readonly blocks: readonly Block[];
};

/** README.md and every page below docs/ and examples/, in the order of their paths. */
export function readPages(): readonly Page[] {
  const root = projectRoot();
  const below = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
      .map((name) => join(folder, name)),
  );
  return ['README.md', ...below.toSorted()].map((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return { path: relative(root, join(root, path)), text, blocks: blocksOf(text) };
  });
}

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let open: (Omit<Block, 'text'> & { lines: string[] }) | null = null;
  let heading = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [fence, language = ''] = /^```(\S*)/.exec(line) ?? [];
    if (open && fence) {
      const { lines, ...known } = open;
      blocks.push({ ...known, text: `${lines.join('\n')}\n` });
      open = null;
    } else if (open) {
      open.lines.push(line);
    } else if (fence) {
      open = { language, line: index + 1, heading, lines: [] };
    } else if (line.startsWith('#')) {
      heading = line;
    }
  }
  if (open) throw new Error(`the block of line ${open.line} has no end`);
  return blocks;
}
