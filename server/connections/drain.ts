import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { LIMITS } from '../../domain/limits.ts';

/** How a server ends without cutting anybody off: what it has to know meanwhile, and the ending. */
export class Drain {
  readonly #responses = new Set<ServerResponse>();
  readonly #sockets = new Set<Socket>();
  readonly #works = new Set<Promise<void>>();
  #begun = false;
  #onBegin: () => Promise<void> = async () => undefined;

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    // Before the request is answered, so that what is said about the connection is still to come.
    server.prependListener('request', (_, response) => {
      if (this.#begun) response.setHeader('connection', 'close');
      this.#responses.add(response);
      response.once('close', () => this.#responses.delete(response));
    });
  }

  /** What answers without end is told to end. */
  begins(onBegin: () => Promise<void>): void {
    this.#onBegin = onBegin;
  }

  /** Work that goes on after its caller has gone: it cancels what it began in the database. */
  hold(work: Promise<void>): void {
    this.#works.add(work);
    const forget = () => this.#works.delete(work);
    work.then(forget, forget);
  }

  /**
   * Takes no more connections, answers the requests of those that are open, each connection's last,
   * and closes those without any; after `graceMs` all. A request may be on its way on an idle
   * connection, and a load balancer asks there whether we are ready: it is closed a moment later.
   */
  async end(server: Server, graceMs: number): Promise<void> {
    this.#begun = true;
    this.hold(this.#onBegin());
    for (const response of this.#responses) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const closed = new Promise((resolve) => {
      // That of node:http would close idle connections at once.
      NetServer.prototype.close.call(server, resolve);
    });
    const idle = setInterval(() => this.#closeIdle(server), LIMITS.drainIdleMs);
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    // The watch over slow requests ends with it.
    server.close();
    await Promise.allSettled(this.#works);
  }

  /** A connection that never sent anything is not idle to node:http: it waits for a request. */
  #closeIdle(server: Server): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    server.closeIdleConnections();
  }
}
