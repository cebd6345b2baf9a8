import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { LIMITS } from '../../domain/limits.ts';

/** Shuts a server down without cutting callers off, and tracks what the shutdown waits for. */
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
    // Runs before the request is answered, so that its headers are not sent yet.
    server.prependListener('request', (_, response) => {
      if (this.#begun) response.setHeader('connection', 'close');
      this.#responses.add(response);
      response.once('close', () => this.#responses.delete(response));
    });
  }

  /** Sets what to call when the shutdown begins; it ends responses that would never end. */
  begins(onBegin: () => Promise<void>): void {
    this.#onBegin = onBegin;
  }

  /** Makes the shutdown wait for work that outlasts its caller to cancel its statements. */
  hold(work: Promise<void>): void {
    this.#works.add(work);
    const forget = () => this.#works.delete(work);
    work.then(forget, forget);
  }

  /**
   * Stops accepting connections, answers one last request on each busy connection, and closes idle
   * connections; after `graceMs` it closes all. Idle connections are closed a moment later, since a
   * request may already be on its way, and load balancers check readiness on them.
   */
  async end(server: Server, graceMs: number): Promise<void> {
    this.#begun = true;
    this.hold(this.#onBegin());
    for (const response of this.#responses) {
      if (!response.headersSent) response.setHeader('connection', 'close');
    }
    const closed = new Promise((resolve) => {
      // `close` of node:http would close idle connections immediately.
      NetServer.prototype.close.call(server, resolve);
    });
    const idle = setInterval(() => this.#closeIdle(server), LIMITS.drainIdleMs);
    const late = setTimeout(() => server.closeAllConnections(), graceMs);
    await closed;
    clearInterval(idle);
    clearTimeout(late);
    // Also stops the periodic check for slow requests.
    server.close();
    await Promise.allSettled(this.#works);
  }

  /** Also closes connections that never sent anything: to node:http these are not idle. */
  #closeIdle(server: Server): void {
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    server.closeIdleConnections();
  }
}
