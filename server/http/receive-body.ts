import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { askForBody, isWaiting } from '../connections/expectation.ts';
import { CallerGone } from './http-exchange.ts';

/**
 * Reads the whole body, decompressed. If the client waits until it is asked for the body, it is
 * asked once `mayAsk` has resolved. Errors: that of `mayAsk`, 413 beyond the limit, 415 for an
 * encoding other than gzip, 400 for damaged gzip; the rest of the body is not read.
 */
export async function receiveBody(
  request: IncomingMessage,
  limitBytes: number,
  mayAsk?: () => Promise<unknown>,
): Promise<Buffer> {
  if (!isWaiting(request)) return collect(request, limitBytes);
  requireReadable(request, limitBytes);
  await mayAsk?.();
  askForBody(request);
  return collect(request, limitBytes);
}

function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => settle(() => reject(error));
    const body = collectorFor(request, limitBytes, {
      done: (bytes) => settle(() => resolve(bytes)),
      fail,
    });
    const leave = () => fail(new CallerGone());
    const finish = () => {
      // Node closes a request that was read completely, while its last bytes may still be inflated.
      request.off('close', leave);
      body.end();
    };
    // Events instead of an iterator, which costs more promises than a small body has chunks.
    const settle = (tell: () => void) => {
      const { take } = body;
      request.off('data', take).off('end', finish).off('error', fail).off('close', leave).pause();
      body.stop();
      tell();
    };
    if (request.destroyed) leave();
    else request.on('data', body.take).on('end', finish).on('error', fail).on('close', leave);
  });
}

/** Collects a body while it arrives. */
type BodyCollector = {
  take(chunk: Buffer): void;
  /** Called once all of it has arrived. */
  end(): void;
  /** Releases what it holds; called once the body is complete, or no longer wanted. */
  stop(): void;
};

/** Called with the body, or with why there is none. */
type Outcome = {
  readonly done: (body: Buffer) => void;
  readonly fail: (error: Error) => void;
};

/**
 * Returns a collector for the body of a request. Errors, thrown or passed to `fail`: `bodyTooLarge`,
 * `unsupportedEncoding`, `unreadableBody`.
 */
function collectorFor(
  request: IncomingMessage,
  limitBytes: number,
  outcome: Outcome,
): BodyCollector {
  requireReadable(request, limitBytes);
  return isGzipped(request.headers)
    ? collectGzip(limitBytes, outcome)
    : collectPlain(limitBytes, outcome);
}

/** Refuses a body by its headers. Errors: `bodyTooLarge`, `unsupportedEncoding`. */
function requireReadable(request: IncomingMessage, limitBytes: number): void {
  const limit = isGzipped(request.headers) ? gzipLimit(limitBytes) : limitBytes;
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limitBytes);
}

/**
 * Reads a `Content-Encoding`. `x-gzip` is gzip (RFC 9110, 8.4.1.3), and `identity` nothing. Error:
 * `unsupportedEncoding` for others and for several: each could inflate what the one before it left.
 */
export function isGzipped(headers: IncomingHttpHeaders): boolean {
  const given = headers['content-encoding'] ?? '';
  if (given === '') return false;
  const codings = given
    .toLowerCase()
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && each !== 'identity');
  if (codings.length === 0) return false;
  if (codings.length === 1 && GZIP.has(codings[0] ?? '')) return true;
  throw serviceError('unsupportedEncoding', { encoding: given });
}

const GZIP: ReadonlySet<string> = new Set(['gzip', 'x-gzip']);

/** Bytes that cannot be compressed become a little more by it. */
const gzipLimit = (limitBytes: number): number => limitBytes + LIMITS.gzipOverheadBytes;

const tooLarge = (limitBytes: number) => serviceError('bodyTooLarge', { limit: limitBytes });

function collectPlain(limitBytes: number, { done, fail }: Outcome): BodyCollector {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    take(chunk) {
      bytes += chunk.length;
      if (bytes > limitBytes) fail(tooLarge(limitBytes));
      else chunks.push(chunk);
    },
    end: () => done(Buffer.concat(chunks)),
    stop() {},
  };
}

/** Inflates as the bytes arrive, so that a few of them cannot become more than the limit. */
function collectGzip(limitBytes: number, { done, fail }: Outcome): BodyCollector {
  const plain = collectPlain(limitBytes, { done, fail });
  const gunzip = createGunzip();
  gunzip.on('data', plain.take).on('end', plain.end);
  gunzip.on('error', (cause) => {
    const wrong = 'it is not gzip, as its Content-Encoding says, or was damaged or cut off';
    fail(serviceError('unreadableBody', { 'what is wrong': wrong }, { cause }));
  });
  let arrived = 0;
  return {
    take(chunk) {
      arrived += chunk.length;
      if (arrived > gzipLimit(limitBytes)) fail(tooLarge(limitBytes));
      else gunzip.write(chunk);
    },
    end() {
      // No body at all is fine, whatever its headers say.
      if (arrived === 0) done(Buffer.alloc(0));
      else gunzip.end();
    },
    stop: () => gunzip.destroy(),
  };
}
