import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

/** Counts its own request too. */
async function inProgress(): Promise<number> {
  const { text } = await service.call('/metrics');
  return Number(/^countergraph_http_requests_in_progress (\d+)$/m.exec(text)?.[1]);
}

it('pipelined requests are over when their connection is lost', async () => {
  const { hostname, port } = new URL(service.url);
  const request = 'GET /metrics HTTP/1.1\r\nhost: lab\r\n\r\n';
  for (let round = 0; round < 20; round += 1) {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(request.repeat(20));
    await delay(round % 4);
    socket.resetAndDestroy();
  }
  await expect.poll(inProgress).toBe(1);
  const { text } = await service.call('/metrics');
  expect(text).toMatch(/^countergraph_errors_total\{kind="internal"\} 0$/m);
});
