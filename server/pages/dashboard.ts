import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import fresh from 'fresh';
import { projectRoot } from '../../db/project-root.ts';
import { serviceError } from '../../domain/errors.ts';
import { hasCode } from '../../domain/has-code.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { preferredEncoding } from '../http/negotiate.ts';
import { PERMISSIONS_POLICY } from '../http/security-headers.ts';
import { send, withEntityTag } from '../http/send-answer.ts';
import type { TrustedDocuments } from '../service/service.ts';

export type Dashboard = {
  /** Whether a request is for the dashboard: for its page, or a file that the page loads. */
  serves(exchange: Exchange): boolean;
  answer(exchange: Exchange): Promise<void>;
};

/** The credentials of the demo; null: there is no demo. */
type DemoCredentials = { readonly username: string; readonly token: string } | null;

/** Folders of files that the page loads: at once, and with its help. */
const FOLDERS = ['assets', 'help'] as const;

const isFilePath = (path: string): boolean =>
  FOLDERS.some((folder) => path.startsWith(`/${folder}/`));

/** The page loads files only from this server, and contains no inline scripts or styles. */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': PERMISSIONS_POLICY,
};

/** What the page is told about the server; it is readable without signing in. */
type DashboardOptions = {
  readonly demo: DemoCredentials;
  /** What to type for `countergraph` in the commands that the page shows. */
  readonly command: string;
  /** Megabytes of a file that the page uploads; 0: the server takes none. */
  readonly uploadMegabytes: number;
  /** Whether there is an explorer to lead to. */
  readonly hasExplorer: boolean;
};

/** Creates the dashboard at `/`. Its URLs are relative, so that a proxy may move it elsewhere. */
export function createDashboard(
  { html, files }: BuiltPage,
  { demo, command, uploadMegabytes, hasExplorer }: DashboardOptions,
): Dashboard {
  // The credentials of the demo are not secret: the sign-in form offers them.
  const told = {
    'countergraph-demo': demo === null ? '' : JSON.stringify(demo),
    'countergraph-command': command,
    'countergraph-upload-mb': String(uploadMegabytes),
    'countergraph-explorer': hasExplorer ? 'on' : 'off',
  };
  const body = Object.entries(told).reduce(
    (text, [name, content]) => withMeta(text, name, content),
    html,
  );
  const page: Answer = { status: 200, headers: PAGE_HEADERS, body };
  return {
    serves: ({ method, path }) =>
      (method === 'GET' || method === 'HEAD') && (path === '/' || isFilePath(path)),
    async answer(exchange) {
      const { path } = exchange;
      if (path === '/') return send(exchange, withEntityTag(exchange, page));
      const file = files.get(path);
      if (!file) return send(exchange, renderError(serviceError('noSuchPath', { path })));
      // Appended, since CORS may have set the header already.
      exchange.response.appendHeader('vary', 'Accept-Encoding');
      await send(exchange, fileAnswer(exchange, basename(path), file));
    },
  };
}

/** Fills in the content of one of the page's `meta` elements, which the build leaves empty. */
function withMeta(html: string, name: string, content: string): string {
  const text = content.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  // A function, so that `$&` in a text has no special meaning.
  return html.replace(`name="${name}" content=""`, () => `name="${name}" content="${text}"`);
}

function fileAnswer({ request }: Exchange, name: string, file: PageFile): Answer {
  const encoding = preferredEncoding(request.headers['accept-encoding'], ENCODINGS);
  const headers = {
    'content-type': file.contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    etag: `"${name}${encoding ? `-${encoding}` : ''}"`,
  };
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, headers)) {
    return { status: 304, headers, body: '' };
  }
  const packed = encoding && file.packed[encoding];
  if (!packed) return { status: 200, headers, body: file.plain };
  return { status: 200, headers: { ...headers, 'content-encoding': encoding }, body: packed };
}

/** A file that the page loads, uncompressed and as compressed by the build. */
type PageFile = {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly packed: Readonly<Partial<Record<Encoding, Buffer>>>;
};

/** Encodings of compressed files, the one with the smallest result first. */
const ENCODINGS = ['br', 'gzip'] as const;

type Encoding = (typeof ENCODINGS)[number];

/** The dashboard as built (build/page.mjs). */
export type BuiltPage = {
  readonly html: string;
  /** Files by path; their names are derived from the content. */
  readonly files: ReadonlyMap<string, PageFile>;
  /** The GraphQL documents that the page uses: it sends only their hashes. */
  readonly documents: TrustedDocuments;
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
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
    const files = await Promise.all(FOLDERS.map((name) => readFiles(folder, name)));
    return {
      html,
      files: new Map(files.flat()),
      documents: new Map(Object.entries(documents)),
    };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

async function readFiles(page: string, name: string): Promise<readonly [string, PageFile][]> {
  const folder = join(page, name);
  const names = (await readdir(folder)).filter((each) => extname(each) in CONTENT_TYPES);
  return await Promise.all(
    names.map(
      async (each): Promise<[string, PageFile]> => [
        `/${name}/${each}`,
        await readPageFile(folder, each),
      ],
    ),
  );
}

async function readPageFile(folder: string, name: string): Promise<PageFile> {
  const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
  // Pictures are compressed by themselves.
  const encodings = contentType === 'image/png' ? [] : ENCODINGS;
  const packed = encodings.map(
    async (encoding) =>
      [encoding, await readFile(join(folder, `${name}${SUFFIXES[encoding]}`))] as const,
  );
  return {
    contentType,
    plain: await readFile(join(folder, name)),
    packed: Object.fromEntries(await Promise.all(packed)),
  };
}
