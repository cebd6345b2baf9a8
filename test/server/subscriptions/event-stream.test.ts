import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EventStream, eventOf } from '../../../server/subscriptions/event-stream.ts';
import { RawConnection } from '../../support/http/raw-connection.ts';

const MEGABYTE = 'x'.repeat(1024 * 1024);

let server: Server;
let caller: RawConnection;

beforeEach(async () => {
  server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  caller = await RawConnection.open(`http://127.0.0.1:${port}`);
});

afterEach(() => {
  vi.useRealTimers();
  caller.socket.destroy();
  server.close();
});

async function opened(): Promise<ServerResponse> {
  const asked = once(server, 'request');
  caller.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  return (await asked)[1];
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream of events', () => {
  it('to a reader who reads nothing buffers one answer, and continues with the newest', async () => {
    const response = await opened();
    caller.socket.pause();
    let skipped = 0;
    const stream = new EventStream({
      response,
      everyMs: 0,
      slowReaderMs: 60_000,
      onSkipped: () => {
        skipped += 1;
      },
    });
    let most = 0;
    for (let number = 1; number <= 40; number += 1) {
      stream.offer(eventOf(JSON.stringify(`${MEGABYTE} ${number}`)));
      await turn();
      most = Math.max(most, response.writableLength);
    }
    expect(skipped).toBeGreaterThan(20);
    expect(most).toBeLessThan(2 * MEGABYTE.length);
    caller.socket.resume();
    await caller.until(' 40"');
    const numbers = [...caller.received.matchAll(/x (\d+)"/g)].map(([, number]) => Number(number));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers);
    expect(numbers.length).toBeLessThan(20);
  });

  it('to a reader who reads nothing for too long is cut off', async () => {
    const response = await opened();
    caller.socket.pause();
    const stream = new EventStream({
      response,
      everyMs: 0,
      slowReaderMs: 10,
      heartbeatMs: 5,
    });
    stream.offer(eventOf(JSON.stringify(MEGABYTE.repeat(40))));
    await once(response, 'close');
    expect(response.writableFinished).toBe(false);
  });

  it('to a reader who keeps reading is written to its end, however long that takes', async () => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
    const response = await opened();
    caller.socket.pause();
    const stream = new EventStream({ response, everyMs: 0, slowReaderMs: 30_000 });
    stream.offer(eventOf(JSON.stringify(MEGABYTE.repeat(40))));
    for (let i = 0; i < 5; i += 1) {
      expect(stream.isReady).toBe(false);
      vi.advanceTimersByTime(25_000);
      expect(response.destroyed).toBe(false);
      const hasRead = once(response, 'drain');
      caller.socket.resume();
      await hasRead;
      caller.socket.pause();
    }
    stream.end();
    caller.socket.resume();
    await once(response, 'finish');
    await caller.until('complete');
    expect(caller.socket.bytesRead).toBeGreaterThan(40 * MEGABYTE.length);
  });

  it('to a reader who does not read its end is cut off', async () => {
    const response = await opened();
    caller.socket.pause();
    const stream = new EventStream({ response, everyMs: 0, slowReaderMs: 10 });
    // Until the connection takes no more, but the stream is not behind yet.
    do {
      stream.send(eventOf(JSON.stringify('x'.repeat(1024))));
      await turn();
    } while (response.writableLength === 0);
    stream.end();
    await once(response, 'close');
    caller.socket.resume();
    await caller.closed();
    expect(caller.received).not.toContain('complete');
  });

  it('sends comments as heartbeats, and at its end the answer still pending', async () => {
    const response = await opened();
    const stream = new EventStream({
      response,
      everyMs: 60_000,
      slowReaderMs: 60_000,
      heartbeatMs: 5,
    });
    stream.offer(eventOf('1'));
    stream.offer(eventOf('2'));
    stream.offer(eventOf('3'));
    await caller.until(/(:\n\n\r\n.*){3}/s);
    stream.end();
    const text = (await caller.until('complete')).replaceAll(/\r\n[0-9a-f]+\r\n|:\n\n/g, '');
    expect(text).toContain('event: next\ndata: 1\n\n');
    expect(text).not.toContain('data: 2');
    expect(text.indexOf('data: 3')).toBeLessThan(text.indexOf('event: complete'));
  });
});
