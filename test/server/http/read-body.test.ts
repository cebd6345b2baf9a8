import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CallerGone } from '../../../server/http/http-exchange.ts';
import { receiveBody } from '../../../server/http/receive-body.ts';

let server: Server;
let caller: Socket;

beforeEach(async () => {
  server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  caller = connect((server.address() as AddressInfo).port, '127.0.0.1');
});

afterEach(() => {
  caller.destroy();
  server.closeAllConnections();
  server.close();
});

/** Returns a request whose headers and first bytes have arrived. */
async function arrived(start: string): Promise<IncomingMessage> {
  caller.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${start}`);
  const [request] = (await once(server, 'request')) as [IncomingMessage];
  return request;
}

test('a body is read completely, however it arrives', async () => {
  const request = await arrived('Content-Length: 8\r\n\r\nab');
  const body = receiveBody(request, 8);
  caller.write('cdef');
  setImmediate(() => caller.write('gh'));
  expect(String(await body)).toBe('abcdefgh');
});

test('an empty body has no bytes', async () => {
  expect(await receiveBody(await arrived('Content-Length: 0\r\n\r\n'), 8)).toHaveLength(0);
});

test('a body is not read if its announced length is too large', async () => {
  const request = await arrived('Content-Length: 9\r\n\r\n');
  await expect(receiveBody(request, 8)).rejects.toThrow('8');
});

test('a body is read no further once it is too long', async () => {
  const request = await arrived('Transfer-Encoding: chunked\r\n\r\n');
  const body = receiveBody(request, 8);
  caller.write('9\r\nabcdefghi\r\n');
  await expect(body).rejects.toThrow('8');
  expect(request.isPaused()).toBe(true);
});

test('a body fails if its caller goes away halfway', async () => {
  const request = await arrived('Content-Length: 8\r\n\r\nab');
  const body = receiveBody(request, 8);
  caller.destroy();
  await expect(body).rejects.toThrow();
});

test('a body fails if its caller has gone before it is read', async () => {
  const request = await arrived('Content-Length: 8\r\n\r\nab');
  request.on('error', () => {});
  const closed = new Promise((resolve) => request.once('close', resolve));
  caller.destroy();
  await closed;
  await expect(receiveBody(request, 8)).rejects.toThrow(CallerGone);
});

test('a gzipped body is refused as soon as it becomes too long, before all of it has arrived', async () => {
  const bytes = gzipSync(Buffer.alloc(1_000_000));
  const length = `Content-Length: ${bytes.length}`;
  const request = await arrived(`Content-Encoding: gzip\r\n${length}\r\n\r\n`);
  const body = receiveBody(request, 10_000);
  caller.write(bytes.subarray(0, 100));
  await expect(body).rejects.toThrow('10000');
  expect(request.isPaused()).toBe(true);
  expect(request.complete).toBe(false);
});

test('a gzipped body fails if its caller goes away halfway', async () => {
  const bytes = gzipSync('abc');
  const length = `Content-Length: ${bytes.length}`;
  const request = await arrived(`Content-Encoding: gzip\r\n${length}\r\n\r\n`);
  const body = receiveBody(request, 8);
  caller.write(bytes.subarray(0, 12));
  setImmediate(() => caller.destroy());
  await expect(body).rejects.toThrow();
});
