import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.close());

/** Sends bytes unaltered, and returns everything received until the connection is closed. */
async function send(
  bytes: string | Buffer,
): Promise<{ status: number; head: string; body: string }> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = await text(socket);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), head, body };
}

const TOPPER = '/api/topper/topper_request';

describe('an unusual or unreadable request', () => {
  it.each([
    ['one that is not HTTP', 'hello\r\n\r\n'],
    ['a TLS handshake', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0])],
    ['one with a header without a name', `GET ${TOPPER} HTTP/1.1\r\n: x\r\n\r\n`],
    ['one without a host', `GET ${TOPPER} HTTP/1.1\r\nconnection: close\r\n\r\n`],
    [
      'one whose content length is not a number',
      `POST ${TOPPER} HTTP/1.1\r\ncontent-length: x\r\n\r\n`,
    ],
    [
      'one whose chunk has an invalid length',
      `POST ${TOPPER} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n\r\n`,
    ],
  ])('such as %s gets 400 in the usual error format', async (_, bytes) => {
    const { status, head, body } = await send(bytes);
    expect(status).toBe(400);
    expect(head).toMatch(/^x-request-id: \S+$/m);
    expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/m);
    expect(JSON.parse(body)).toEqual({
      status: 'ERROR',
      message: 'The request must be HTTP/1.1, and could not be parsed as such',
    });
    expect((await service.call('/healthz')).status).toBe(200);
  });

  it('by CONNECT is told which methods are allowed', async () => {
    const { status, head, body } = await send('CONNECT a.example:443 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect([status, JSON.parse(body).message]).toEqual([
      405,
      'Method CONNECT is not allowed, use GET, HEAD or POST',
    ]);
    expect(head).toMatch(/^allow: GET, HEAD, POST$/m);
  });

  it('with an unknown expectation is answered anyway', async () => {
    const { status, body } = await send(
      'GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: miracles\r\nconnection: close\r\n\r\n',
    );
    expect([status, body]).toEqual([200, 'alive\n']);
  });

  it('of HTTP/1.0 need not name a host', async () => {
    expect((await send('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('with too long a head is told how long it may be', async () => {
    const long = 'x'.repeat(LIMITS.headerBytes);
    const { status, body } = await send(`GET ${TOPPER}?key_filter=${long} HTTP/1.1\r\n\r\n`);
    expect([status, JSON.parse(body)]).toEqual([
      431,
      {
        status: 'ERROR',
        message: `The address and headers must be at most ${LIMITS.headerBytes} bytes, send long parameters by POST`,
      },
    ]);
  });

  it('with a head just within the limit is read', async () => {
    const long = 'x'.repeat(LIMITS.headerBytes - 1000);
    const { status } = await service.call(`${TOPPER}?key_filter=${long}`);
    expect(status).toBe(401);
  });
});
