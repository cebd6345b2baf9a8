import ipaddr from 'ipaddr.js';

/** What `isDatabaseUrl` requires, as error messages say it. */
export const DATABASE_URL_FORM = 'an address such as postgres://user:password@host:5432/database';

export const SSL_MODES = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
] as const;

export type SslMode = (typeof SSL_MODES)[number];

export const SESSION_ATTRIBUTES = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const;

export type SessionAttributes = (typeof SESSION_ATTRIBUTES)[number];

/** A server of an address. */
export type DatabaseHost = {
  /** A name, an IP address, or the folder of a Unix socket. Its certificate is checked for it. */
  readonly host: string;
  /** The IP address to connect to, so that the name need not be looked up. */
  readonly address: string | null;
  readonly port: number;
};

/** What an address says, with the meanings that libpq gives its parts. */
export type DatabaseAddress = {
  /** At least one. They are tried in this order. */
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  readonly user: string | null;
  readonly password: string | null;
  readonly passfile: string | null;
  readonly database: string | null;
  readonly options: string | null;
  readonly applicationName: string | null;
  readonly sessionAttributes: SessionAttributes;
  /** null: the program's own limit. */
  readonly connectTimeoutSeconds: number | null;
  readonly isKeptAlive: boolean;
  readonly keepAliveIdleSeconds: number | null;
  readonly bindsChannel: boolean;
  readonly tls: TlsSettings;
};

export type TlsSettings = {
  readonly mode: SslMode;
  /** A file; `system`: the authorities that the machine trusts; null: libpq's file, if present. */
  readonly rootCertificate: string | null;
  readonly certificate: string | null;
  readonly key: string | null;
  readonly keyPassword: string | null;
  readonly minVersion: string | null;
};

/** What is wrong with an address. Holds no part of it, which may be one of its password. */
export class AddressFault extends Error {
  readonly got: string;
  readonly remedy: string;

  constructor(got: string, remedy: string) {
    super(`must be ${DATABASE_URL_FORM}, got ${got}: ${remedy}`);
    this.name = 'AddressFault';
    this.got = got;
    this.remedy = remedy;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A parameter: the variable that stands in for it, and what values it may have. */
type Parameter = {
  readonly variable?: string;
  readonly must?: string;
  readonly isFit?: (value: string) => boolean;
};

const oneOf = (...values: readonly string[]) => ({
  must: `one of ${values.join(', ')}`,
  isFit: (value: string) => values.includes(value),
});

const SECONDS = {
  must: 'a number of seconds',
  isFit: (value: string) => /^-?\d{1,9}$/.test(value),
};

/** The parameters of libpq that are taken, and libpq's variables. */
const PARAMETERS = {
  host: { variable: 'PGHOST' },
  hostaddr: {
    variable: 'PGHOSTADDR',
    must: 'IP addresses',
    isFit: (value) => value.split(',').every((each) => each === '' || isAddress(each)),
  },
  port: {
    variable: 'PGPORT',
    must: 'numbers from 1 to 65535',
    isFit: (value) => value.split(',').every((each) => each === '' || isPort(each)),
  },
  dbname: { variable: 'PGDATABASE' },
  user: { variable: 'PGUSER' },
  password: { variable: 'PGPASSWORD' },
  passfile: { variable: 'PGPASSFILE' },
  options: { variable: 'PGOPTIONS' },
  application_name: {},
  client_encoding: { must: 'UTF8', isFit: (value) => /^utf-?8$/i.test(value) },
  connect_timeout: { variable: 'PGCONNECT_TIMEOUT', ...SECONDS },
  keepalives: oneOf('0', '1'),
  keepalives_idle: SECONDS,
  target_session_attrs: { variable: 'PGTARGETSESSIONATTRS', ...oneOf(...SESSION_ATTRIBUTES) },
  channel_binding: { variable: 'PGCHANNELBINDING', ...oneOf('disable', 'prefer', 'require') },
  // Encryption by GSSAPI does not exist here, and is not missed where it is not required.
  gssencmode: { variable: 'PGGSSENCMODE', ...oneOf('disable', 'prefer') },
  ssl: oneOf('true'),
  sslmode: { variable: 'PGSSLMODE', ...oneOf(...SSL_MODES) },
  sslrootcert: { variable: 'PGSSLROOTCERT' },
  sslcert: { variable: 'PGSSLCERT' },
  sslkey: { variable: 'PGSSLKEY' },
  sslpassword: {},
  ssl_min_protocol_version: {
    variable: 'PGSSLMINPROTOCOLVERSION',
    ...oneOf('TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'),
  },
} as const satisfies Record<string, Parameter>;

type ParameterName = keyof typeof PARAMETERS;

/** Values by parameter. Empty: the default, whatever the variable says. */
type Given = Map<ParameterName, string>;

const NAMES = Object.keys(PARAMETERS).filter((name): name is ParameterName => name in PARAMETERS);

const isParameter = (name: string): name is ParameterName => Object.hasOwn(PARAMETERS, name);

/** Whether `given` can be the address of a PostgreSQL database. */
export function isDatabaseUrl(given: unknown): given is string {
  return typeof given === 'string' && addressFault(given) === null;
}

/** Returns what is wrong with an address; null: nothing. */
export function addressFault(given: string, environment: Environment = {}): AddressFault | null {
  try {
    parseDatabaseUrl(given, environment);
    return null;
  } catch (error) {
    if (error instanceof AddressFault) return error;
    throw error;
  }
}

/**
 * Parses an address as libpq does (PostgreSQL's documentation, "Connection URIs"), which is not
 * what `URL` does: there may be several hosts, or none, and `#` is a character like any other.
 * `environment`: libpq's variables stand in for what the address leaves out. Errors: AddressFault.
 */
export function parseDatabaseUrl(url: string, environment: Environment = {}): DatabaseAddress {
  const given = splitUrl(url.trim());
  for (const name of NAMES) checkValue(name, given.get(name));
  for (const name of NAMES) {
    const { variable }: Parameter = PARAMETERS[name];
    const value = variable && environment[variable];
    if (!value || given.has(name)) continue;
    checkValue(name, value, variable);
    given.set(name, value);
  }
  return addressOf(given);
}

/**
 * Returns an address with which libpq's variables have no effect. `url` must have a user, a
 * password, one host, a port, a database and no parameters.
 */
export function sealedUrl(url: string): string {
  const inPlace = new Set(['user', 'password', 'host', 'port', 'dbname']);
  const rest = NAMES.filter((name) => !inPlace.has(name) && 'variable' in PARAMETERS[name]);
  const query = rest.map((name) => (name === 'sslmode' ? 'sslmode=disable' : `${name}=`));
  return `${url}?${query.join('&')}`;
}

/** Returns the values as they are written in the address. */
function splitUrl(url: string): Given {
  const [, rest] = /^postgres(?:ql)?:\/\/(.*)$/is.exec(url) ?? [];
  if (rest === undefined) throw new AddressFault(HIDDEN, 'correct it');
  // As in libpq, the first @ before any / ends the user and password.
  const [, credentials = '', place = rest] = /^([^@/]*)@(.*)$/s.exec(rest) ?? [];
  const [, hosts = '', database = '', query = ''] =
    /^([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(place) ?? [];
  const hasPassword = credentials.includes(':');
  if (hosts.includes('@') || database.includes('@')) throw unescaped();
  const given: Given = new Map();
  const set = (name: ParameterName, text: string) => {
    if (text !== '') given.set(name, decoded(text));
  };
  const colon = hasPassword ? credentials.indexOf(':') : credentials.length;
  set('user', credentials.slice(0, colon));
  set('password', credentials.slice(colon + 1));
  setHosts(given, hosts);
  set('dbname', database);
  if (hasPassword && query.includes('@')) throw unescaped();
  for (const part of query === '' ? [] : query.split('&')) setParameter(given, part);
  return given;
}

function setHosts(given: Given, text: string): void {
  if (text === '') return;
  const found = text.split(',').map((each) => {
    const [, bracketed, name, port] = /^(?:\[([^\]]+)\]|([^:[\]]*))(?::(.*))?$/s.exec(each) ?? [];
    const host = bracketed ?? name;
    if (host === undefined) throw new AddressFault(HIDDEN, HOSTS);
    return { host: decoded(host), port: decoded(port ?? '') };
  });
  given.set('host', found.map(({ host }) => host).join(','));
  const ports = found.map(({ port }) => port).join(',');
  if (/[^,]/.test(ports)) given.set('port', ports);
}

function setParameter(given: Given, part: string): void {
  const [, name = '', value] = /^([^=]*)(?:=(.*))?$/s.exec(part) ?? [];
  if (!isParameter(name)) {
    // What stands here may be a part of a password that was not percent-encoded.
    if (!/^[a-z_]{1,40}$/i.test(name) || value === undefined) throw unescaped();
    throw new AddressFault(
      `one with the parameter ${name}`,
      `take it out; the parameters that are supported are ${NAMES.join(', ')}`,
    );
  }
  if (value === undefined) {
    throw new AddressFault(`one whose parameter ${name} has no value`, `write ${name}=value`);
  }
  const text = decoded(value);
  // Many tools write a space as +, which means a space only after -c.
  given.set(name, name === 'options' ? text.replaceAll(/(^|\+)-c\+/g, ' -c ').trim() : text);
}

function checkValue(name: ParameterName, value: string | undefined, variable?: string): void {
  const { must, isFit }: Parameter = PARAMETERS[name];
  if (!value || !isFit || isFit(value)) return;
  const where = variable ? `the variable ${variable}` : `its ${name}`;
  throw new AddressFault(
    variable ? `a wrong value of ${where}` : `one with a wrong ${name} (not shown)`,
    `${where} must be ${must}`,
  );
}

function addressOf(given: Given): DatabaseAddress {
  const text = (name: ParameterName): string | null => given.get(name) || null;
  const seconds = Number(text('connect_timeout') ?? 0);
  const idle = text('keepalives_idle');
  const mode = text('sslmode') ?? (text('ssl') ? 'require' : 'prefer');
  return {
    hosts: hostsOf(given),
    user: text('user'),
    password: text('password'),
    passfile: text('passfile'),
    database: text('dbname'),
    options: text('options'),
    applicationName: text('application_name'),
    sessionAttributes:
      SESSION_ATTRIBUTES.find((each) => each === text('target_session_attrs')) ?? 'any',
    connectTimeoutSeconds: seconds > 0 ? seconds : null,
    isKeptAlive: text('keepalives') !== '0',
    keepAliveIdleSeconds: idle === null ? null : Number(idle),
    bindsChannel: text('channel_binding') === 'require',
    tls: tlsOf(text, SSL_MODES.find((each) => each === mode) ?? 'prefer'),
  };
}

function tlsOf(text: (name: ParameterName) => string | null, mode: SslMode): TlsSettings {
  const rootCertificate = text('sslrootcert');
  // libpq's rule: anybody can get a certificate from such an authority, for a name of his own.
  if (rootCertificate === 'system' && text('sslmode') !== null && mode !== 'verify-full') {
    throw new AddressFault(
      `one with sslrootcert=system and sslmode=${mode}`,
      'write sslmode=verify-full',
    );
  }
  return {
    mode: rootCertificate === 'system' ? 'verify-full' : mode,
    rootCertificate,
    certificate: text('sslcert'),
    key: text('sslkey'),
    keyPassword: text('sslpassword'),
    minVersion: text('ssl_min_protocol_version'),
  };
}

function hostsOf(given: Given): DatabaseAddress['hosts'] {
  const list = (name: ParameterName): string[] => (given.get(name) ?? '').split(',');
  const names = list('host');
  const addresses = list('hostaddr');
  const ports = list('port');
  const count = Math.max(names.length, addresses.length);
  const isFit = (values: string[]) => values.length === count || values.join('') === '';
  if (!isFit(names) || !isFit(addresses) || !(isFit(ports) || ports.length === 1)) {
    throw new AddressFault('one with different numbers of hosts and ports', HOSTS);
  }
  const hostAt = (at: number): DatabaseHost => ({
    host: names[at] || addresses[at] || 'localhost',
    address: addresses[at] || null,
    port: Number((ports.length === 1 ? ports[0] : ports[at]) || 5432),
  });
  return [hostAt(0), ...Array.from({ length: count - 1 }, (_, at) => hostAt(at + 1))];
}

const HIDDEN = 'something else (not shown: it may hold a password)';

const HOSTS = 'write its hosts as host:port,host:port, and IPv6 addresses in brackets';

const unescaped = (): AddressFault =>
  new AddressFault(
    'one with a character that must be percent-encoded (not shown: it may be of the password)',
    'in a user, password or database write % as %25, @ as %40, / as %2F, : as %3A and ? as %3F',
  );

function decoded(text: string): string {
  if (/%(?![0-9a-f]{2})|%00/i.test(text)) throw unescaped();
  try {
    return decodeURIComponent(text);
  } catch {
    throw unescaped();
  }
}

const isAddress = (text: string): boolean =>
  ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);

const isPort = (text: string): boolean =>
  /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
