import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems assign ports above these by themselves, to clients too. */
const FIRST = 10_000;
const COUNT = 22_000;

/**
 * A port of 127.0.0.1 that nothing uses for TCP or UDP. It stays free until it is used: no other
 * program gets it by chance.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const socket = createSocket('udp4');
  try {
    const listening = [once(server, 'listening'), once(socket, 'listening')];
    server.listen(port, '127.0.0.1');
    socket.bind(port, '127.0.0.1');
    await Promise.all(listening);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  } finally {
    server.close();
    socket.close();
  }
}
