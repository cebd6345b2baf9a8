import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

// The names are there before the server is: only `fn` asks it, and is made anew with its address.
const names = serverAudits({ url: '' }).map(({ id, name }) => [id, name] as const);

it('GraphQL over HTTP has 61 audits', () => {
  expect(names).toHaveLength(61);
});

it.each(names)('%s: %s', async (id) => {
  const audit = serverAudits({ url: `${service.url}/graphql` }).find((each) => each.id === id);
  expect(await audit?.fn()).toMatchObject({ status: 'ok' });
});
