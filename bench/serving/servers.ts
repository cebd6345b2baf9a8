import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import fastify from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { createYoga } from 'graphql-yoga';
import mercurius from 'mercurius';
import { type Product, startServer } from '../systems/product.ts';
import { makeCompilable } from './compilable-schema.ts';
import {
  type AnonymousScope,
  type HeaderSource,
  openProductParts,
  type ProductParts,
  type RequestScope,
} from './product-parts.ts';

/** Each starts a server over the same services and database, and returns its URL. */
export const SERVERS = {
  ours,
  oursAnew,
  beside,
  besideAnew,
  bare,
  yoga: plainYoga,
  mercurius: mercuriusJit,
  apollo,
} as const;

export type ServerName = keyof typeof SERVERS;

async function ours(databaseUrl: string): Promise<string> {
  return (await startServer(databaseUrl)).url;
}

/** Ours with cached toppers but without cached responses: it renders each one, as all others do. */
async function oursAnew(databaseUrl: string): Promise<string> {
  return (await startServer(databaseUrl, { variables: ANEW })).url;
}

const ANEW = { COUNTERGRAPH_RESPONSE_CACHE_MB: '0' };

/** The same two of another version, a built checkout. */
async function beside(databaseUrl: string, product: Product): Promise<string> {
  return (await startServer(databaseUrl, { product })).url;
}

async function besideAnew(databaseUrl: string, product: Product): Promise<string> {
  return (await startServer(databaseUrl, { product, variables: ANEW })).url;
}

/** The minimum for any server: `node:http`, the services, and writing JSON. */
async function bare(databaseUrl: string): Promise<string> {
  const parts = await openProductParts(databaseUrl);
  // Decode only once, because the same parameters mean the same in every request.
  const decoded = new Map<string, { readonly node: object }>();
  const server = createServer((request, response) => {
    void answerBare(parts, decoded, request).then(
      (body) => {
        response.writeHead(200, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(body),
        });
        response.end(body);
      },
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  return listen(server);
}

async function answerBare(
  parts: ProductParts,
  decoded: Map<string, { readonly node: object }>,
  request: IncomingMessage,
): Promise<string> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const endpoint = parts.endpoints.find(({ path }) => path === url.pathname);
  if (!endpoint) throw new Error(`nothing at ${url.pathname}`);
  const query = url.searchParams;
  const anonymous = parts.openScope();
  try {
    const credentials = {
      username: query.get('username') ?? '',
      token: query.get('api_token') ?? '',
    };
    const identity = await parts.identify(anonymous, credentials, []);
    const context = identity.contexts.get(query.get('context') ?? '');
    if (!context) throw new Error('no such context');
    const known = decoded.get(url.search);
    const options = known ?? endpoint.decode(parts.parametersOf(query), parts.settings);
    decoded.set(url.search, options);
    const scope = { ...anonymous, identity };
    const at = parts.viewContext(scope, context, options.node);
    return String((await endpoint.answer(scope, at, options)).body);
  } finally {
    await anonymous.reads.end();
  }
}

/** Yoga with default settings. */
async function plainYoga(databaseUrl: string): Promise<string> {
  const parts = await openProductParts(databaseUrl);
  const yoga = createYoga({
    schema: parts.schema as GraphQLSchema,
    logging: false,
    context: ({ request }) => openScope(parts, request.headers),
    plugins: [
      {
        onExecutionResult: ({ context }: { context: unknown }) =>
          (context as AnonymousScope).reads.end(),
      },
    ],
  });
  return listen(createServer(yoga));
}

async function mercuriusJit(databaseUrl: string): Promise<string> {
  const parts = await openProductParts(databaseUrl);
  const app = fastify();
  await app.register(mercurius, {
    schema: makeCompilable(parts.schema as GraphQLSchema),
    jit: 1,
    context: (request) => openScope(parts, sourceOf(request.headers)),
  });
  app.graphql.addHook('onResolution', async (_execution, context) => {
    await (context as unknown as AnonymousScope).reads.end();
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function apollo(databaseUrl: string): Promise<string> {
  const parts = await openProductParts(databaseUrl);
  const server = new ApolloServer<RequestScope>({
    schema: parts.schema as GraphQLSchema,
    plugins: [
      {
        requestDidStart: async () => ({
          willSendResponse: async ({ contextValue }) => contextValue.reads.end(),
        }),
      },
    ],
  });
  const { url } = await startStandaloneServer(server, {
    context: ({ req }) => openScope(parts, sourceOf(req.headers)),
    listen: { host: '127.0.0.1', port: 0 },
  });
  return url.replace(/\/$/, '');
}

const openScope = (parts: ProductParts, headers: HeaderSource): Promise<RequestScope> =>
  parts.openGraphQLScope(headers, parts.openScope());

const sourceOf = (headers: IncomingMessage['headers']): HeaderSource => ({
  get: (name) => String(headers[name] ?? '') || null,
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
