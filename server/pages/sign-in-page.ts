import type { Answer } from '../http/http-exchange.ts';
import { PERMISSIONS_POLICY } from '../http/security-headers.ts';

/** The page has no scripts; its only style is its own. */
const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'permissions-policy': PERMISSIONS_POLICY,
  'cache-control': 'no-store',
};

const STYLE = `:root { color-scheme: light dark; font: 16px / 1.5 system-ui, sans-serif; }
body { display: grid; place-content: center; min-height: 100dvh; margin: 0; }
main { width: min(30rem, calc(100vw - 2rem)); }
h1 { font-size: 1.25rem; }`;

type FaultPage = {
  readonly status: number;
  readonly text: string;
  /** The address of the dashboard, where people sign in. */
  readonly home: string;
};

/** Renders why nobody is signed in, with a way back. */
export const faultPage = ({ status, text, home }: FaultPage): Answer => ({
  status,
  headers: HEADERS,
  body: page({
    title: 'You are not signed in',
    body: `<p role="alert">${escapedHtml(text)}</p>
<p><a href="${escapedHtml(home)}">Back to sign in</a></p>`,
  }),
});

/**
 * Renders the page that leads on to another one. A redirect would not do: the browser has come from
 * another site, and sends the cookie of the session, which is for this one only, from a page of
 * this server on.
 */
export const signedInPage = (url: string): Answer => ({
  status: 200,
  headers: HEADERS,
  body: page({
    title: 'You are signed in',
    head: `<meta http-equiv="refresh" content="0;url=${escapedHtml(url)}">`,
    body: `<p><a href="${escapedHtml(url)}">Go on</a></p>`,
  }),
});

type PageParts = { readonly title: string; readonly head?: string; readonly body: string };

const page = ({ title, head = '', body }: PageParts): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – countergraph</title>
<style>${STYLE}</style>
${head}
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;

/** Returns a text as HTML, also within an attribute in double quotes. */
export const escapedHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
