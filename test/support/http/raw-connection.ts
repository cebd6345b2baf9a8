import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test can write anything, even what no HTTP client would. */
export class RawConnection {
  readonly socket: Socket;
  readonly #chunks: string[] = [];
  #closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk.toString('latin1'));
    });
    // A server that resets the connection causes an error here; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#closed = true;
    });
  }

  /** Errors: the address refuses connections. */
  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** Everything received so far, one character per byte. */
  get received(): string {
    return this.#chunks.join('');
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  write(bytes: string): void {
    if (!this.#closed) this.socket.write(bytes, 'latin1');
  }

  /** Waits until it is closed. */
  async closed(): Promise<void> {
    if (!this.#closed) await once(this.socket, 'close');
  }

  /** Waits until the received text contains or matches this, or the connection is closed. */
  async until(text: string | RegExp): Promise<string> {
    const has = typeof text === 'string' ? this.#finder(text) : () => text.test(this.received);
    while (!has() && !this.#closed) {
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.socket.off('data', wake).off('close', wake);
          resolve();
        };
        this.socket.on('data', wake).on('close', wake);
      });
    }
    return this.received;
  }

  /** Returns a check for a text that searches each chunk once: an answer may have thousands. */
  #finder(text: string): () => boolean {
    let searched = 0;
    let end = '';
    return () => {
      while (searched < this.#chunks.length && !end.includes(text)) {
        end = end.slice(-text.length) + this.#chunks[searched];
        searched += 1;
      }
      return end.includes(text);
    };
  }

  destroy(): void {
    this.socket.destroy();
  }
}

/** The status of the last answer on a connection; null: there was none. */
export function statusOf(received: string): number | null {
  const [, status] = [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].at(-1) ?? [];
  return status === undefined ? null : Number(status);
}
