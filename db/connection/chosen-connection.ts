import type { Socket } from 'node:net';
import pg from 'pg';
import type { DatabaseAddress, DatabaseHost } from '../../domain/text/database-url.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { errorCode } from '../database-error.ts';
import { type Encryption, hostName, openSocket, TlsFault, type Way } from './open-socket.ts';
import { afterRunning } from './running-time.ts';

/** What pg's connection has besides its types. */
type Internals = {
  stream: Socket;
  _connecting: boolean;
  _ending: boolean;
  attachListeners(stream: Socket): void;
};

/** What a server must be; null: anything. */
type Wanted = 'read-write' | 'read-only' | 'primary' | 'standby' | null;

type Candidate = Way & { readonly wanted: Wanted };

/** An attempt to open a session. pg does not hear of it until it has succeeded. */
type Trial = {
  readonly candidate: Candidate;
  readonly fail: (error: unknown) => void;
  readonly succeed: (ready: unknown) => void;
  /** What the server has said of itself; null: it was not asked. */
  found: readonly string[] | null;
  /** Whether it authenticates in a way that binds the channel. */
  isBound: boolean;
};

/** pg's message when a connection was not opened in time. */
export const TIMED_OUT = 'timeout expired';

/**
 * The connection beneath a client of pg, opened as libpq opens it: the hosts of the address in
 * turn, encrypted or not as its sslmode says, until one is a server with the wanted attributes. pg
 * by itself knows one host and no fallback, so what it must not see of an attempt is held back
 * here.
 */
export class ChosenConnection extends pg.Connection {
  readonly #address: DatabaseAddress;
  readonly #hostMs: number;
  #trial: Trial | null = null;
  #state: 'opening' | 'open' | 'given up' = 'opening';

  constructor(address: DatabaseAddress, connectMs: number) {
    super();
    this.#address = address;
    this.#hostMs = connectMs / address.hosts.length;
  }

  /** The host that is being tried or is connected. */
  get host(): DatabaseHost {
    return this.#trial?.candidate.host ?? this.#address.hosts[0];
  }

  /** pg calls this with one host and port, which are those of the address. */
  connect(): void {
    this.#internals._connecting = true;
    void this.#open();
  }

  /** Cuts the connection for good. `error`: why, for all that waits for an answer on it. */
  abandon(error?: Error): void {
    const isOpening = this.#state === 'opening';
    if (isOpening) this.#giveUp(error ?? new Error('Connection terminated'));
    else this.stream.destroy(error);
  }

  override end(): void {
    if (this.#state === 'opening') this.abandon();
    else super.end();
  }

  override emit(event: string, ...given: unknown[]): boolean {
    const trial = this.#trial;
    if (this.#state !== 'opening' || trial === null) return super.emit(event, ...given);
    if (event === 'error' || event === 'errorMessage') trial.fail(given[0]);
    else if (event === 'end') trial.fail(new Error('Connection terminated unexpectedly'));
    else if (!this.#isBound(trial, event, given[0])) trial.fail(unbound(trial.candidate));
    else if (event === 'readyForQuery') this.#greet(trial, given[0]);
    else if (trial.found === null) return super.emit(event, ...given);
    else if (event === 'dataRow') trial.found = fieldsOf(given[0]);
    return true;
  }

  get #internals(): Internals {
    return this as unknown as Internals;
  }

  async #open(): Promise<void> {
    const failures: Failure[] = [];
    for (const candidate of candidatesOf(this.#address)) {
      const last = failures.at(-1);
      if (this.#state !== 'opening') return;
      if (last && !mayFollow(candidate, last)) continue;
      try {
        const ready = await this.#try(candidate);
        if (this.#state !== 'opening') return;
        this.#state = 'open';
        super.emit('readyForQuery', ready);
        return;
      } catch (error) {
        failures.push({ candidate, error });
        this.#internals.stream.destroy();
        if (isFinal(error)) break;
      }
    }
    if (this.#state === 'opening') this.#giveUp(summary(failures));
  }

  #giveUp(error: unknown): void {
    this.#state = 'given up';
    this.#internals.stream.destroy();
    // pg begins to listen for the end after it has asked for it.
    process.nextTick(() => {
      super.emit('error', error);
      super.emit('end');
    });
  }

  /** Opens a session, as far as being ready for a statement. */
  async #try(candidate: Candidate): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = new Error(TIMED_OUT);
      const isOnly = this.#address.hosts.length === 1;
      const cancel = isOnly ? () => {} : afterRunning(this.#hostMs, () => trial.fail(late));
      const trial: Trial = {
        candidate,
        found: null,
        isBound: false,
        fail: (error) => {
          cancel();
          this.#trial = null;
          reject(error);
        },
        succeed: (ready) => {
          cancel();
          resolve(ready);
        },
      };
      this.#trial = trial;
      const onSocket = (socket: Socket) => {
        this.#internals.stream = socket;
        if (this.#trial !== trial || this.#state !== 'opening') socket.destroy();
      };
      openSocket(candidate, this.#address, onSocket).then(
        (socket) => this.#begin(trial, socket),
        (error) => trial.fail(error),
      );
    });
  }

  #begin(trial: Trial, socket: Socket): void {
    if (this.#trial !== trial) return;
    socket.on('error', (error) => {
      if (this.#internals.stream !== socket) return;
      // As in pg, the end that was asked for may break the connection.
      const isExpected = this.#internals._ending && /^(ECONNRESET|EPIPE)$/.test(codeOf(error));
      if (!isExpected) this.emit('error', error);
    });
    socket.on('close', () => {
      if (this.#internals.stream === socket) this.emit('end');
    });
    this.#internals.attachListeners(socket);
    // The client answers with its startup message.
    super.emit('connect');
  }

  /** Whether the server authenticates as channel_binding demands. */
  #isBound(trial: Trial, event: string, message: unknown): boolean {
    if (!this.#address.bindsChannel || !event.startsWith('authentication')) return true;
    if (event === 'authenticationSASL') trial.isBound = offersBinding(message);
    return trial.isBound && 'encrypted' in this.stream;
  }

  /** The server is ready: accepts it, or asks it what it is. */
  #greet(trial: Trial, ready: unknown): void {
    const { wanted, host } = trial.candidate;
    if (wanted === null) trial.succeed(ready);
    else if (trial.found === null) {
      trial.found = [];
      this.query(WHAT_IT_IS);
    } else if (isWanted(wanted, trial.found)) trial.succeed(ready);
    else trial.fail(new UnwantedServer(host, wanted));
  }
}

/** A server that is not what target_session_attrs demands. */
class UnwantedServer extends Error {
  readonly code = '08001';

  constructor(host: DatabaseHost, wanted: Wanted) {
    super(`${hostName(host)} is not ${wanted}, which target_session_attrs demands`);
  }
}

/** Not whether it is read only by default: both are true of this session. */
const WHAT_IT_IS = `select pg_catalog.pg_is_in_recovery()::text,
  pg_catalog.current_setting('transaction_read_only')`;

function isWanted(wanted: Wanted, [recovers, readOnly]: readonly string[]): boolean {
  if (wanted === 'primary') return recovers === 'false';
  if (wanted === 'standby') return recovers === 'true';
  return (readOnly === 'on') === (wanted === 'read-only');
}

function candidatesOf({ hosts, sessionAttributes, tls }: DatabaseAddress): Candidate[] {
  const wanted: readonly Wanted[] =
    sessionAttributes === 'any'
      ? [null]
      : sessionAttributes === 'prefer-standby'
        ? ['standby', null]
        : [sessionAttributes];
  return wanted.flatMap((each) =>
    hosts.flatMap((host) =>
      (host.host.startsWith('/') ? UNENCRYPTED : ENCRYPTIONS[tls.mode]).map((encryption) => ({
        host,
        encryption,
        wanted: each,
      })),
    ),
  );
}

const UNENCRYPTED: readonly Encryption[] = ['none'];

/** As libpq's sslmode says; the second is tried where the first is refused. */
const ENCRYPTIONS: Readonly<Record<DatabaseAddress['tls']['mode'], readonly Encryption[]>> = {
  disable: UNENCRYPTED,
  allow: ['none', 'tls'],
  prefer: ['tls if offered', 'none'],
  require: ['tls'],
  'verify-ca': ['tls'],
  'verify-full': ['tls'],
};

type Failure = { readonly candidate: Candidate; readonly error: unknown };

const codeOf = (error: unknown): string => errorCode(error) ?? '';

/**
 * Returns whether a candidate is worth trying after the failure before it: the same host again only
 * if the other encryption may be what it wants (28000: no entry in pg_hba.conf).
 */
function mayFollow({ host, wanted }: Candidate, { candidate, error }: Failure): boolean {
  if (host !== candidate.host || wanted !== candidate.wanted) return true;
  return codeOf(error) === '28000' || error instanceof TlsFault;
}

/** As in libpq: refused credentials and an unknown database are no reason to try another host. */
const isFinal = (error: unknown): boolean => /^(28P|3D)/.test(codeOf(error));

function summary(failures: readonly Failure[]): unknown {
  const [first] = failures;
  const errors = failures.map(({ error }) => error);
  if (failures.length < 2) return first?.error ?? new Error('Connection terminated');
  const reasons = failures.map(({ candidate, error }) => {
    const reason = reasonOf(error);
    const name = hostName(candidate.host);
    return reason.includes(name) ? reason : `${name}: ${reason}`;
  });
  return new AggregateError(errors, [...new Set(reasons)].join('; '));
}

function fieldsOf(row: unknown): readonly string[] {
  const hasFields = typeof row === 'object' && row !== null && 'fields' in row;
  return hasFields && Array.isArray(row.fields) ? row.fields.map(String) : [];
}

const unbound = ({ host }: Candidate): Error =>
  new TlsFault(
    `${hostName(host)} does not bind the channel, which channel_binding=require demands: use TLS ` +
      'and scram-sha-256 there, or take it out of DATABASE_URL',
  );

function offersBinding(message: unknown): boolean {
  const has = typeof message === 'object' && message !== null && 'mechanisms' in message;
  return has && Array.isArray(message.mechanisms) && message.mechanisms.includes(BINDING);
}

const BINDING = 'SCRAM-SHA-256-PLUS';
