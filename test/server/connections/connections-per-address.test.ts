import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/lab/service.ts';

const REST = '/api/time_slices/time_slices_request';

let lab: TestService;
const sockets: Socket[] = [];

beforeAll(async () => {
  lab = await startTestService({
    settings: { maxConnectionsPerAddress: 2, trustProxy: ['127.0.0.3'] },
  });
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

afterAll(() => lab.close());

const metric = async (line: string): Promise<boolean> => {
  const socket = await open('127.0.0.4');
  socket.end('GET /metrics HTTP/1.1\r\nhost: lab\r\nconnection: close\r\n\r\n');
  return (await text(socket)).includes(line);
};

async function open(from: string): Promise<Socket> {
  const { hostname, port } = new URL(lab.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: from });
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Whether a request on it is answered; false: it was closed. */
async function isAnswered(socket: Socket): Promise<boolean> {
  if (socket.closed) return false;
  socket.write('GET /healthz HTTP/1.1\r\nhost: lab\r\n\r\n');
  const outcome = Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
  const [chunk] = (await outcome) ?? [];
  return String(chunk).startsWith('HTTP/1.1 200');
}

describe('an address at the limit of connections', () => {
  it('gets no more until one of them is closed, while other addresses do', async () => {
    // A connection that has sent no request yet may be about to, so none is replaced.
    const first = await open('127.0.0.1');
    const second = await open('127.0.0.1');
    expect(await isAnswered(await open('127.0.0.1'))).toBe(false);
    expect(await isAnswered(await open('127.0.0.2'))).toBe(true);
    expect(await metric('countergraph_refused_connections_total{why="address"} 1\n')).toBe(true);
    second.destroy();
    // The server notices a moment later.
    while (!(await isAnswered(await open('127.0.0.1'))));
    expect(await isAnswered(first)).toBe(true);
  });

  it('gets another in place of the one that has been idle longest', async () => {
    const first = await open('127.0.0.5');
    const second = await open('127.0.0.5');
    for (const socket of [first, second, first]) expect(await isAnswered(socket)).toBe(true);
    const third = await open('127.0.0.5');
    expect(await isAnswered(third)).toBe(true);
    expect(await isAnswered(second)).toBe(false);
    expect([await isAnswered(first), await isAnswered(third)]).toEqual([true, true]);
  });

  it('keeps connections on which part of another request has arrived', async () => {
    const first = await open('127.0.0.7');
    const second = await open('127.0.0.7');
    for (const socket of [first, second]) expect(await isAnswered(socket)).toBe(true);
    first.write('GET /healthz HTTP/1.1\r\n');
    // Once the server has answered a later request, it has read this one.
    expect(await isAnswered(await open('127.0.0.2'))).toBe(true);
    expect(await isAnswered(await open('127.0.0.7'))).toBe(true);
    expect(await isAnswered(second)).toBe(false);
    const answer = once(first, 'data');
    first.write('host: lab\r\n\r\n');
    expect(String(await answer)).toMatch(/^HTTP\/1.1 200/);
  });

  it('keeps connections whose request is being answered', async () => {
    const first = await open('127.0.0.6');
    const second = await open('127.0.0.6');
    for (const socket of [first, second]) {
      expect(await isAnswered(socket)).toBe(true);
      const lines = ['host: lab', 'content-length: 9', 'content-type: application/json'];
      socket.write(`POST ${REST} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    }
    // Once the server has answered a later request, it has read both.
    expect(await isAnswered(await open('127.0.0.2'))).toBe(true);
    expect(await isAnswered(await open('127.0.0.6'))).toBe(false);
    for (const socket of [first, second]) {
      const answer = once(socket, 'data');
      socket.write('{"a":"b"}');
      expect(String(await answer)).toMatch(/^HTTP\/1.1 401/);
    }
  });

  it('may have more if it is a trusted proxy, which carries many callers', async () => {
    const behind = [await open('127.0.0.3'), await open('127.0.0.3'), await open('127.0.0.3')];
    expect(await Promise.all(behind.map(isAnswered))).toEqual([true, true, true]);
  });
});
