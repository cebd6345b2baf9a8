import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { projectRoot } from '../../db/project-root.ts';
import { EXAMPLES } from '../../schema/documents/examples.ts';
import { PERMISSIONS_POLICY } from '../http/security-headers.ts';
import { escapedHtml } from './sign-in-page.ts';

/** The credentials to fill in: those of the demo, and only where the demo exists. */
export type ExplorerCredentials = { readonly username: string; readonly token: string };

/**
 * The page loads files only from this server and contains no inline scripts. Inline styles are
 * allowed, because the editor creates them at run time.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': PERMISSIONS_POLICY,
  'cache-control': 'no-cache',
};

const HINT = `<p id="hint" class="graphiql-container">To sign in, <a href="./">sign in to the dashboard</a>, or fill in the
headers below. The examples need the name of a context in their variables.</p>
`;

const BACK = '<a href="./">Dashboard</a>';

/** The demo's context, user and token share one name. */
const DEMO_CONTEXT = 'demo';

type PageOptions = {
  readonly credentials: ExplorerCredentials | null;
  /** Whether there is a dashboard to lead back to. */
  readonly hasDashboard: boolean;
};

/** Renders the page. Its URLs are relative to `/graphql`, so that a proxy may move it elsewhere. */
export function renderPage(
  assets: Assets,
  folder: string,
  { credentials, hasDashboard }: PageOptions,
): string {
  const address = (name: AssetName) => `${folder}/${assets[name].fileName}`;
  const settings = {
    headers: headersText(credentials),
    context: credentials ? DEMO_CONTEXT : '',
    examples: EXAMPLES,
    icon: address('icon'),
    // Keyed by the names under which the editor asks for them.
    workers: {
      editorWorkerService: address('editorWorker'),
      json: address('jsonWorker'),
      graphql: address('graphqlWorker'),
    },
  };
  return htmlPage({
    head: `<link rel="icon" type="image/svg+xml" href="${address('icon')}">
<link rel="stylesheet" href="${address('graphiqlStyle')}">
<link rel="stylesheet" href="${address('style')}">
<script type="application/json" id="settings">${jsonInHtml(settings)}</script>
<script type="module" src="${address('script')}"></script>
<script defer src="${address('graphiqlScript')}"></script>`,
    body: `<header class="unseen"><h1>countergraph explorer</h1></header>
<nav id="examples" class="graphiql-container" aria-label="Example queries">${hasDashboard ? BACK : ''}<span>Examples</span></nav>
${credentials ? '' : HINT}<main id="explorer"><p>Loading …</p></main>`,
  });
}

/** Returns the text of the headers editor; without credentials, the names only (decision 11). */
const headersText = (credentials: ExplorerCredentials | null): string =>
  JSON.stringify(
    {
      authorization: `Bearer ${credentials?.token ?? ''}`,
      'x-username': credentials?.username ?? '',
    },
    null,
    2,
  );

/** Renders JSON in which no text can end the HTML element around it. */
const jsonInHtml = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

/** An identity provider at which people sign in, and where that begins. */
export type SignInElsewhere = { readonly name: string; readonly url: string };

/** Renders the page for callers who must sign in first; it reveals nothing about the schema. */
export const renderSignInPage = (
  assets: Assets,
  folder: string,
  elsewhere: SignInElsewhere | null,
): string =>
  htmlPage({
    head: `<link rel="icon" type="image/svg+xml" href="${folder}/${assets.icon.fileName}">
<link rel="stylesheet" href="${folder}/${assets.signInStyle.fileName}">
<script type="module" src="${folder}/${assets.signInScript.fileName}"></script>`,
    body: `<main>
<form aria-labelledby="title">
<h1 id="title">Sign in to the explorer</h1>
<p>With the user and token of the dashboard: you are signed in there, too.</p>
<label>User <input name="username" autocomplete="username" required autofocus></label>
<label>Token <input name="token" type="password" autocomplete="current-password" required></label>
<label class="stay"><input name="stay" type="checkbox"> Stay signed in for 30 days</label>
<p role="alert"></p>
<button>Sign in</button>
${elsewhere ? linkTo(elsewhere) : ''}</form>
</main>`,
  });

const linkTo = ({ name, url }: SignInElsewhere): string =>
  `<a href="${escapedHtml(`${url}?return=graphql`)}">Sign in with ${escapedHtml(name)}</a>\n`;

/** Renders a page of the explorer; `head` holds the links to the files it loads. */
const htmlPage = ({ head, body }: { head: string; body: string }): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>countergraph explorer</title>
${head}
</head>
<body>
<noscript>The explorer needs JavaScript.</noscript>
${body}
</body>
</html>
`;

/** A file that the page loads, as it is sent. */
export type Asset = {
  /** Derived from the content: a file with this name never changes. */
  readonly fileName: string;
  readonly contentType: string;
  readonly gzipped: Buffer;
};

type AssetName =
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

type Assets = Readonly<Record<AssetName, Asset>>;

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
