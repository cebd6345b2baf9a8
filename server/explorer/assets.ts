import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { projectRoot } from '../../db/project-root.ts';

/** A file that the page loads, as it is sent. */
export type Asset = {
  /** Derived from the content: a file with this name never changes. */
  readonly fileName: string;
  readonly contentType: string;
  readonly gzipped: Buffer;
};

export type AssetName =
  | 'icon'
  | 'style'
  | 'script'
  | 'signInStyle'
  | 'signInScript'
  | 'graphiqlStyle'
  | 'graphiqlScript'
  | 'editorWorker'
  | 'jsonWorker'
  | 'graphqlWorker';

export type Assets = Readonly<Record<AssetName, Asset>>;

type Source = { readonly kind: keyof typeof CONTENT_TYPES; readonly text: string };

const CONTENT_TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Loads and compresses all files of the page. zlib works on them concurrently, in threads. */
export async function loadAssets(): Promise<Assets> {
  const sources = Object.entries(await readSources());
  const packed = sources.map(async ([name, source]) => [name, await pack(source)] as const);
  return Object.fromEntries(await Promise.all(packed)) as Record<AssetName, Asset>;
}

/**
 * Reads the files. GraphiQL's 9 MB of text take a fifth of a second to import. They are imported
 * here and not at the top of the module, so that only a server that is asked for the page loads
 * them.
 */
async function readSources(): Promise<Record<AssetName, Source>> {
  const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
  const own = (fileName: string) =>
    readFile(join(projectRoot(), 'web', 'explorer', fileName), 'utf8');
  return {
    icon: { kind: 'svg', text: await own('explorer.svg') },
    style: { kind: 'css', text: await own('explorer.css') },
    script: { kind: 'js', text: await own('explorer.js') },
    signInStyle: { kind: 'css', text: await own('sign-in.css') },
    signInScript: { kind: 'js', text: await own('sign-in.js') },
    graphiqlStyle: { kind: 'css', text: graphiql.css },
    graphiqlScript: { kind: 'js', text: graphiql.js },
    editorWorker: { kind: 'js', text: graphiql.editorWorkerService },
    jsonWorker: { kind: 'js', text: graphiql.jsonWorker },
    graphqlWorker: { kind: 'js', text: graphiql.graphqlWorker },
  };
}

async function pack({ kind, text }: Source): Promise<Asset> {
  const gzipped = await promisify(gzip)(text);
  const digest = createHash('sha256').update(gzipped).digest('hex');
  return { fileName: `${digest.slice(0, 20)}.${kind}`, contentType: CONTENT_TYPES[kind], gzipped };
}
