import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as connectTls, rootCertificates } from 'node:tls';
import { LIMITS } from '../../domain/limits.ts';
import type { DatabaseAddress, DatabaseHost, TlsSettings } from '../../domain/text/database-url.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';

/** How a connection begins: as it is, with TLS, or with TLS if the server offers it. */
export type Encryption = 'none' | 'tls' | 'tls if offered';

export type Way = { readonly host: DatabaseHost; readonly encryption: Encryption };

/** Why there is no encrypted connection: SQLSTATE 08001, no connection could be established. */
export class TlsFault extends Error {
  readonly code = '08001';
}

/** A host as messages name it. */
export function hostName({ host, port }: DatabaseHost): string {
  // A host that is a path is the folder of a Unix socket.
  if (host.startsWith('/')) return host;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Opens the socket for a connection, encrypted if the way says so. `onSocket` receives each socket
 * as soon as it exists, to destroy it when it is no longer wanted.
 */
export async function openSocket(
  { host, encryption }: Way,
  address: DatabaseAddress,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  const isPath = host.host.startsWith('/');
  const socket = isPath
    ? connect(`${host.host}/.s.PGSQL.${host.port}`)
    : connect(host.port, host.address ?? host.host);
  onSocket(socket);
  await settled(socket, 'connect');
  socket.setNoDelay(true);
  const idleMs = 1000 * (address.keepAliveIdleSeconds ?? LIMITS.tcpProbeMs / 1000);
  if (address.isKeptAlive) socket.setKeepAlive(true, idleMs);
  if (encryption === 'none') return socket;
  const options = await tlsOptions(address.tls);
  if (!(await offersTls(socket, host))) {
    if (encryption === 'tls if offered') return socket;
    throw new TlsFault(
      `${hostName(host)} offers no TLS, which sslmode=${address.tls.mode} demands: set ssl=on in ` +
        'that server, or another sslmode in DATABASE_URL',
    );
  }
  const name = host.host;
  const secure = connectTls({
    ...options,
    socket,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
  });
  onSocket(secure);
  try {
    await settled(secure, 'secureConnect');
  } catch (cause) {
    throw tlsFailure(cause, host);
  }
  return secure;
}

/** Asks for TLS. The answer is one byte; more would be sent by somebody in between. */
async function offersTls(socket: Socket, host: DatabaseHost): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const answer = await settled<Buffer>(socket, 'data');
  const text = answer.toString('latin1');
  if (text === 'S') return true;
  if (text === 'N') return false;
  throw new TlsFault(`${hostName(host)} did not answer whether it offers TLS: look in its log`);
}

/** Its length and the code of the protocol's SSLRequest. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Waits for an event of a socket, and fails if the socket does. */
function settled<T = void>(socket: Socket, event: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const done = (value: T) => {
      socket.off('error', failed);
      socket.off('close', closed);
      resolve(value);
    };
    const failed = (error: Error) => reject(error);
    const closed = () => reject(new Error('Connection terminated unexpectedly'));
    socket.once(event, done);
    // It stays when it has failed: a socket may fail again while it closes.
    socket.on('error', failed);
    socket.once('close', closed);
  });
}

function tlsFailure(cause: unknown, host: DatabaseHost): Error {
  const reason = reasonOf(cause);
  const isOfCertificate = CERTIFICATE_FAULT.test(
    cause instanceof Error && 'code' in cause ? String(cause.code) : '',
  );
  const message = isOfCertificate
    ? `The certificate of ${hostName(host)} is not accepted (${reason}): sslrootcert in ` +
      'DATABASE_URL must name a file with the certificate of its issuer, and the host be one that ' +
      'the certificate names'
    : `TLS with ${hostName(host)} failed (${reason})`;
  return new TlsFault(message, { cause });
}

const CERTIFICATE_FAULT = /CERT|SIGNATURE|ISSUER|ALTNAME|CRL/;

async function tlsOptions(tls: TlsSettings): Promise<ConnectionOptions> {
  const roots = await readRoots(tls);
  const mustVerify = tls.mode === 'verify-ca' || tls.mode === 'verify-full';
  if (roots === null && tls.mode === 'verify-ca') {
    throw new TlsFault(
      'sslmode=verify-ca needs sslrootcert with the file of the authority: add it to DATABASE_URL, ' +
        'or set sslmode=verify-full',
    );
  }
  const certificate = tls.certificate ?? ownFile('postgresql.crt');
  const key = tls.key ?? ownFile('postgresql.key');
  return {
    ...(roots !== null && { ca: roots }),
    ...(certificate !== null && { cert: await readNamed('sslcert', certificate) }),
    ...(certificate !== null && key !== null && { key: await readNamed('sslkey', key) }),
    ...(tls.keyPassword !== null && { passphrase: tls.keyPassword }),
    ...(tls.minVersion !== null && {
      minVersion: tls.minVersion as NonNullable<ConnectionOptions['minVersion']>,
    }),
    // As in libpq, a root certificate that is there is used with every sslmode.
    rejectUnauthorized: mustVerify || roots !== null,
    ...(tls.mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/** null: there are none, so that Node's own list counts where the server is verified. */
async function readRoots({ rootCertificate }: TlsSettings): Promise<string[] | null> {
  if (rootCertificate === 'system') return [...rootCertificates, ...(await readSystemRoots())];
  const file = rootCertificate ?? ownFile('root.crt');
  return file === null ? null : [await readNamed('sslrootcert', file)];
}

/** The lists of the usual systems; Node has its own, without what an administrator has added. */
const SYSTEM_ROOTS = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

async function readSystemRoots(): Promise<string[]> {
  const named = process.env['SSL_CERT_FILE'];
  const file = [...(named ? [named] : []), ...SYSTEM_ROOTS].find((each) => existsSync(each));
  return file === undefined ? [] : [await readNamed('sslrootcert', file)];
}

/** Returns the file of the user that libpq reads where an address names none, if it is there. */
function ownFile(name: string): string | null {
  const file = join(homedir(), '.postgresql', name);
  return existsSync(file) ? file : null;
}

async function readNamed(parameter: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new TlsFault(
      `The file of ${parameter} cannot be read (${reasonOf(cause)}): correct ${parameter} in ` +
        'DATABASE_URL, or let the user of this program read the file',
      { cause },
    );
  }
}
