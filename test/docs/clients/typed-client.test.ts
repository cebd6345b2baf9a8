import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { parse } from 'graphql';
import { afterEach, expect, it, vi } from 'vitest';
import { ask } from '../../../examples/typed-client/src/client.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['http://127.0.0.1:4000', 'http://127.0.0.1:4000/graphql'],
  ['https://noc.example.com/counters', 'https://noc.example.com/counters/graphql'],
  ['https://noc.example.com/counters/', 'https://noc.example.com/counters/graphql'],
])('the typed client of a server at %s sends its requests to %s', async (url, endpoint) => {
  const sent = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(async () => Response.json({ data: { viewer: null } }));
  const document: TypedDocumentNode<{ viewer: null }, Record<string, never>> = parse(
    '{ viewer { username } }',
  );
  const credentials = { username: 'demo', token: 'demo' };
  expect(await ask(url, credentials, document, {})).toEqual({ viewer: null });
  expect(sent.mock.calls.map(([address]) => String(address))).toEqual([endpoint]);
});
