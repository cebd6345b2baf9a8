import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { serviceError } from '../../domain/errors.ts';
import { renderError } from '../../rest/handle-request.ts';
import type { Answer, Exchange } from '../http/http-exchange.ts';
import { namesType, preferredEncoding } from '../http/negotiate.ts';
import { send } from '../http/send-answer.ts';
import {
  type Asset,
  type ExplorerCredentials,
  loadAssets,
  PAGE_HEADERS,
  renderPage,
  renderSignInPage,
  type SignInElsewhere,
} from './explorer-page.ts';

export type ExplorerOptions = { readonly credentials: ExplorerCredentials | null };

type Surroundings = {
  /** Whether a caller may see the page; all others get a sign-in page. null: everybody may. */
  readonly maySee: ((exchange: Exchange) => Promise<boolean>) | null;
  /** The identity provider that the sign-in page names. */
  readonly elsewhere: SignInElsewhere | null;
  readonly hasDashboard: boolean;
};

type Explorer = {
  /** Whether a request is for the explorer: for its page in a browser, or a file the page loads. */
  serves(exchange: Exchange): boolean;
  answer(exchange: Exchange): Promise<void>;
};

const PAGE_PATH = '/graphql';
const ASSETS_PATH = `${PAGE_PATH}/assets/`;

/**
 * Creates the explorer: GraphiQL with example queries. Everything it needs comes from this server.
 * Its scripts and styles are the same on all servers, and open to everybody.
 */
export function createExplorer(
  { credentials }: ExplorerOptions,
  { maySee, elsewhere, hasDashboard }: Surroundings,
): Explorer {
  const load = once(async () => {
    const assets = await loadAssets();
    const folder = ASSETS_PATH.slice(1, -1);
    return {
      page: renderPage(assets, folder, { credentials, hasDashboard }),
      signInPage: renderSignInPage(assets, folder, elsewhere),
      files: new Map(Object.values(assets).map((asset) => [asset.fileName, asset])),
    };
  });
  return {
    serves: ({ method, path, request }) =>
      (method === 'GET' || method === 'HEAD') &&
      (path.startsWith(ASSETS_PATH) || (path === PAGE_PATH && asksForHtml(request.headers.accept))),
    async answer(exchange) {
      const { path, request, response } = exchange;
      const { page, signInPage, files } = await load();
      const asset = files.get(path.slice(ASSETS_PATH.length));
      // Appended, since CORS may have set the header already.
      response.appendHeader('vary', path === PAGE_PATH ? 'Accept' : 'Accept-Encoding');
      if (path === PAGE_PATH) {
        const body = maySee === null || (await maySee(exchange)) ? page : signInPage;
        const headers = maySee === null ? PAGE_HEADERS : { ...PAGE_HEADERS, ...NOT_STORED };
        await send(exchange, { status: 200, headers, body });
      } else if (asset)
        await send(exchange, await assetAnswer(asset, request.headers['accept-encoding']));
      else await send(exchange, renderError(serviceError('noSuchPath', { path })));
    },
  };
}

/** Which page is sent depends on the caller. */
const NOT_STORED = { 'cache-control': 'no-store' };

/**
 * Replaces the explorer where it is switched off: its paths do not exist. A query in the URL is
 * answered like any other, even if the caller would prefer a page.
 */
export const NO_EXPLORER: Explorer = {
  serves: ({ method, path, query, request }) =>
    (method === 'GET' || method === 'HEAD') &&
    (path === '/' ||
      path.startsWith(ASSETS_PATH) ||
      (path === PAGE_PATH && asksForHtml(request.headers.accept) && !query.has('query'))),
  answer: (exchange) =>
    send(exchange, renderError(serviceError('noSuchPath', { path: exchange.path }))),
};

/** Runs `work` at the first call and keeps its result; if it fails, the next call runs it again. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null;
  return () => {
    result ??= work().catch((error: unknown) => {
      result = null;
      throw error;
    });
    return result;
  };
}

/** Browsers name HTML, programs do not. */
const asksForHtml = (accept?: string): boolean => namesType(accept, 'text/html');

async function assetAnswer(asset: Asset, encodings: string | undefined): Promise<Answer> {
  const headers = {
    'content-type': asset.contentType,
    'cache-control': 'public, max-age=31536000, immutable',
  };
  if (!preferredEncoding(encodings, ['gzip'])) {
    return { status: 200, headers, body: await promisify(gunzip)(asset.gzipped) };
  }
  return {
    status: 200,
    headers: { ...headers, 'content-encoding': 'gzip' },
    body: asset.gzipped,
  };
}
