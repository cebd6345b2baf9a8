import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { projectRoot } from '../../db/project-root.ts';
import { hasCode } from '../../domain/has-code.ts';
import type { TrustedDocuments } from '../documents/documents.ts';

/** A file that the page loads, uncompressed and as compressed by the build. */
export type PageFile = {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly packed: Readonly<Partial<Record<Encoding, Buffer>>>;
};

/** Encodings of compressed files, the one with the smallest result first. */
export const ENCODINGS = ['br', 'gzip'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** The dashboard as built (build/page.mjs). */
export type BuiltPage = {
  readonly html: string;
  /** Files by name; the names are derived from the content. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** The GraphQL documents that the page uses: it sends only their hashes. */
  readonly documents: TrustedDocuments;
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const SUFFIXES: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' };

/** Reads the page. null: it was not built, as in a checkout where nobody ran the build. */
export async function readPage(
  folder = join(projectRoot(), 'dist', 'web'),
): Promise<BuiltPage | null> {
  try {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const documents: Record<string, string> = JSON.parse(
      await readFile(join(folder, 'documents.json'), 'utf8'),
    );
    const assets = join(folder, 'assets');
    const names = (await readdir(assets)).filter((name) => extname(name) in CONTENT_TYPES);
    const files = names.map(async (name) => [name, await readPageFile(assets, name)] as const);
    return {
      html,
      files: new Map(await Promise.all(files)),
      documents: new Map(Object.entries(documents)),
    };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function readPageFile(folder: string, name: string): Promise<PageFile> {
  const packed = ENCODINGS.map(
    async (encoding) =>
      [encoding, await readFile(join(folder, `${name}${SUFFIXES[encoding]}`))] as const,
  );
  return {
    contentType: CONTENT_TYPES[extname(name)] ?? 'application/octet-stream',
    plain: await readFile(join(folder, name)),
    packed: Object.fromEntries(await Promise.all(packed)),
  };
}
