import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { MEBIBYTE } from '../../domain/byte-units.ts';
import { type ServiceError, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { allowLongBody } from '../connections/long-bodies.ts';
import { CallerGone } from '../http/http-exchange.ts';

type BodyRules = {
  readonly limitBytes: number;
  /** How often it is checked that `LIMITS.uploadLeastBytes` have arrived. */
  readonly paceSeconds: number;
};

/**
 * Passes the body of a request on as it arrives, no faster than it is taken. Once it is not wanted
 * any more, the rest is read and dropped: a browser sees no answer before it has sent all of it,
 * and none at all if the connection is closed meanwhile.
 */
export class UploadBody {
  /** Resolves when all of it was passed on. Errors: `uploadTooLarge`, `uploadTooSlow`, `CallerGone`. */
  readonly arrived: Promise<void>;
  readonly #request: IncomingMessage;
  readonly #rules: BodyRules;
  readonly #timer: NodeJS.Timeout;
  /** null: it is not wanted any more. */
  #to: Writable | null;
  #bytes = 0;
  /** Bytes that had arrived at the last check. */
  #bytesBefore = 0;
  /** Whether the reader of `to` has been behind since the last check. */
  #wasHeld = false;
  #resolve: () => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(request: IncomingMessage, to: Writable, rules: BodyRules) {
    this.#request = request;
    this.#to = to;
    this.#rules = rules;
    this.arrived = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Nobody waits for it if the import ends first.
    this.arrived.catch(() => undefined);
    allowLongBody(request);
    this.#timer = setInterval(() => this.#check(), rules.paceSeconds * 1000);
    to.on('drain', this.#goOn);
    request.on('data', this.#take).on('end', this.#finish);
    request.on('close', this.#leave).on('error', this.#leave);
    if (request.destroyed) this.#leave();
  }

  /** Drops what arrives from now on. */
  drop(): void {
    this.#to?.off('drain', this.#goOn);
    this.#to = null;
    // The client has not been answered yet, and may be waiting for that.
    this.#wasHeld = true;
    this.#goOn();
  }

  readonly #take = (chunk: Buffer): void => {
    const { limitBytes } = this.#rules;
    this.#bytes += chunk.length;
    if (this.#to === null) {
      if (this.#bytes > limitBytes + LIMITS.discardedBodyBytes) this.#request.destroy();
      return;
    }
    if (this.#bytes > limitBytes) {
      this.#fail(fileTooLarge(limitBytes));
    } else if (!this.#to.write(chunk)) {
      this.#wasHeld = true;
      this.#request.pause();
    }
  };

  readonly #goOn = (): void => {
    if (!this.#request.destroyed) this.#request.resume();
  };

  readonly #finish = (): void => {
    this.#stop();
    this.#resolve();
  };

  readonly #leave = (): void => {
    this.#stop();
    this.#reject(new CallerGone());
  };

  #check(): void {
    const arrived = this.#bytes - this.#bytesBefore;
    const isHeld = this.#wasHeld;
    this.#bytesBefore = this.#bytes;
    this.#wasHeld = this.#to?.writableNeedDrain ?? false;
    if (isHeld || this.#wasHeld || arrived >= LIMITS.uploadLeastBytes) return;
    this.#fail(
      serviceError('uploadTooSlow', {
        bytes: LIMITS.uploadLeastBytes,
        seconds: this.#rules.paceSeconds,
      }),
    );
  }

  #fail(error: ServiceError): void {
    this.#reject(error);
    // It has been told already.
    if (this.#to === null) this.#request.destroy();
    this.drop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#to?.off('drain', this.#goOn);
    this.#request.off('data', this.#take).off('end', this.#finish);
    this.#request.off('close', this.#leave).off('error', this.#leave);
  }
}

export const fileTooLarge = (limitBytes: number): ServiceError =>
  serviceError('uploadTooLarge', { limit: limitBytes / MEBIBYTE });
