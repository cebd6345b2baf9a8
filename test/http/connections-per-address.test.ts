import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

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
  socket.write('GET /healthz HTTP/1.1\r\nhost: lab\r\n\r\n');
  const outcome = Promise.race([once(socket, 'data'), once(socket, 'close').then(() => null)]);
  const [chunk] = (await outcome) ?? [];
  return String(chunk).startsWith('HTTP/1.1 200');
}

describe('an address with as many connections as one may have', () => {
  it('gets no more until one of them is closed, and others do', async () => {
    const [first, second] = [await open('127.0.0.1'), await open('127.0.0.1')];
    expect([await isAnswered(first), await isAnswered(second)]).toEqual([true, true]);
    expect(await isAnswered(await open('127.0.0.1'))).toBe(false);
    expect(await isAnswered(await open('127.0.0.2'))).toBe(true);
    expect(await isAnswered(first)).toBe(true);
    expect(await metric('countergraph_refused_connections_total{why="address"} 1\n')).toBe(true);
    second.destroy();
    // The server learns of it a moment later.
    while (!(await isAnswered(await open('127.0.0.1'))));
  });

  it('may have more when it is a trusted proxy, which brings everybody along', async () => {
    const behind = [await open('127.0.0.3'), await open('127.0.0.3'), await open('127.0.0.3')];
    expect(await Promise.all(behind.map(isAnswered))).toEqual([true, true, true]);
  });
});
