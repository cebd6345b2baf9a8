import { EXAMPLES } from '../../schema/documents/examples.ts';
import { PERMISSIONS_POLICY } from '../http/permissions-policy.ts';
import type { AssetName, Assets } from './assets.ts';
import { htmlPage } from './html-page.ts';

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

const HINT = `<p id="hint" class="graphiql-container">To sign in, fill in the headers below. The
examples need the name of a context in their variables.</p>
`;

/** The demo's context, user and token share one name. */
const DEMO_CONTEXT = 'demo';

/** Renders the page. Its URLs are relative to `/graphql`, so that a proxy may move it elsewhere. */
export function renderPage(
  assets: Assets,
  folder: string,
  credentials: ExplorerCredentials | null,
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
    body: `<nav id="examples" class="graphiql-container" aria-label="Example queries"><span>Examples</span></nav>
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
