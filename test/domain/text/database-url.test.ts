import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressFault, parseDatabaseUrl, sealedUrl } from '../../../domain/text/database-url.ts';

/** The hosts of an address, with the ports. */
const hostsOf = (url: string, environment = {}) =>
  parseDatabaseUrl(url, environment).hosts.map(({ host, port }) => `${host} ${port}`);

describe('an address of a database', () => {
  it.each([
    ['postgres://', ['localhost 5432']],
    ['postgresql:///counters', ['localhost 5432']],
    ['POSTGRES://anna@db/c', ['db 5432']],
    ['postgres://[::1]:6432/c', ['::1 6432']],
    ['postgres://db:/c', ['db 5432']],
    ['postgres://one:1,two,[::3]:3/c', ['one 1', 'two 5432', '::3 3']],
    ['postgres:///c?host=/run/postgresql', ['/run/postgresql 5432']],
    ['postgres://%2Frun%2Fpostgresql:6432/c', ['/run/postgresql 6432']],
    ['postgres:///c?host=one,two&port=7', ['one 7', 'two 7']],
    ['postgres:///c?host=one,two&port=7,8', ['one 7', 'two 8']],
    ['postgres://ignored:9/c?host=one', ['one 9']],
    ['postgres:///c?hostaddr=192.0.2.7', ['192.0.2.7 5432']],
  ])('has the hosts that psql connects to: %s', (url, hosts) => {
    expect(hostsOf(url)).toEqual(hosts);
  });

  it.each([
    ['postgres://anna:pw@db/c', { user: 'anna', password: 'pw', database: 'c' }],
    ['postgres://anna:p#w?x:y@db/c#1', { password: 'p#w?x:y', database: 'c#1' }],
    ['postgres://a%40b:%2F%25@db/', { user: 'a@b', password: '/%', database: null }],
    ['postgres://db/?user=a@b&password=p@w&dbname=x', { user: 'a@b', password: 'p@w' }],
    ['postgres://db/c?options=-c search_path=app', { options: '-c search_path=app' }],
    ['postgres://db/c?options=-c%20search_path%3Dapp', { options: '-c search_path=app' }],
    ['postgres://db/c?options=-c+a%3Db+-c+c%3Dd', { options: '-c a=b -c c=d' }],
    ['postgres://db/c?connect_timeout=7', { connectTimeoutSeconds: 7 }],
    ['postgres://db/c?connect_timeout=0', { connectTimeoutSeconds: null }],
    ['postgres://db/c?keepalives=0', { isKeptAlive: false }],
    ['postgres://db/c?target_session_attrs=read-write', { sessionAttributes: 'read-write' }],
  ])('means what it means to psql: %s', (url, parts) => {
    expect(parseDatabaseUrl(url)).toMatchObject(parts);
  });

  it.each([
    ['', 'prefer'],
    ['?ssl=true', 'require'],
    ['?sslmode=allow', 'allow'],
    ['?sslrootcert=system', 'verify-full'],
  ])('has the sslmode of libpq: %j', (query, mode) => {
    expect(parseDatabaseUrl(`postgres://db/c${query}`).tls.mode).toBe(mode);
  });

  it.each([
    ['postgres://db/c?sslcrl=x', 'the parameter sslcrl', 'take it out; the parameters that are'],
    ['postgres://db/c?sslmode=no-verify', 'a wrong sslmode', 'must be one of disable, allow,'],
    ['postgres://db:x/c', 'a wrong port', 'must be numbers from 1 to 65535'],
    ['postgres://db/c?sslmode', 'sslmode has no value', 'write sslmode=value'],
    ['postgres://a,b/c?port=1,2,3', 'different numbers of hosts', 'write its hosts as host:port'],
    [
      'postgres://db/c?sslrootcert=system&sslmode=require',
      'sslmode=require',
      'sslmode=verify-full',
    ],
    ['postgres://u:a@b@db/c', 'percent-encoded', '@ as %40'],
    ['postgres://u:a/b@db/c', 'percent-encoded', '/ as %2F'],
    ['postgres://u:1/b@db/c', 'percent-encoded', '/ as %2F'],
    ['postgres://u:a%b@db/c', 'percent-encoded', '% as %25'],
    ['postgres://u:a@b?c@db/c', 'percent-encoded', '? as %3F'],
    ['host=db dbname=c', 'something else', 'correct it'],
  ])('is refused with what to do: %s', (url, got, remedy) => {
    const fault = addressFault(url);
    expect(fault?.got).toContain(got);
    expect(fault?.remedy).toContain(remedy);
  });

  it('takes from the variables of libpq only what it leaves out', () => {
    const environment = { PGHOST: 'other', PGPORT: '7', PGUSER: 'anna', PGSSLMODE: 'require' };
    expect(hostsOf('postgres:///c', environment)).toEqual(['other 7']);
    expect(hostsOf('postgres://db:8/c', environment)).toEqual(['db 8']);
    expect(parseDatabaseUrl('postgres://db/c?sslmode=', environment)).toMatchObject({
      user: 'anna',
      tls: { mode: 'prefer' },
    });
    expect(addressFault('postgres://db/c', { PGSSLMODE: 'x' })?.remedy).toMatch(
      /^the variable PGSSLMODE must be one of/,
    );
  });

  it('can be sealed against these variables', () => {
    const url = sealedUrl('postgres://u:p@127.0.0.1:5432/c');
    const environment = Object.fromEntries(
      ['HOST', 'HOSTADDR', 'OPTIONS', 'SSLMODE', 'CHANNELBINDING', 'TARGETSESSIONATTRS'].map(
        (name) => [`PG${name}`, 'x'],
      ),
    );
    expect(parseDatabaseUrl(url, environment)).toEqual(parseDatabaseUrl(url));
    expect(parseDatabaseUrl(url).tls.mode).toBe('disable');
  });
});

/** Characters that have a meaning in an address, and some that have none. */
const nasty = fc
  .array(fc.constantFrom(...'@#/?:%&=[],. ', '%4', '%00', 'sslx=', 'port=', 'é', 'Q', '7'), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

/** Marks both ends of a password, which appear nowhere else. */
const secret = nasty.map((middle) => `ZZTOP${middle}ZZEND`);

describe('a password in an address', () => {
  it('is shown by no message, however it is written', () => {
    fc.assert(
      fc.property(secret, fc.boolean(), (password, hasUser) => {
        const url = `postgres://${hasUser ? 'anna:' : ''}${password}@db.example.com:5432/counters`;
        const fault = addressFault(url);
        expect(`${fault?.message}${fault?.got}${fault?.remedy}`).not.toMatch(/ZZ/);
      }),
    );
  });

  it('is a part of no host and no database', () => {
    fc.assert(
      fc.property(secret, (password) => {
        const url = `postgres://anna:${password}@db.example.com:5432/counters`;
        if (addressFault(url) !== null) return;
        const { hosts, database } = parseDatabaseUrl(url);
        expect(hosts).toEqual([{ host: 'db.example.com', address: null, port: 5432 }]);
        expect(database).toBe('counters');
      }),
    );
  });

  it('is what it was if it is percent-encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (password) => {
        fc.pre(!password.includes('\0'));
        const url = `postgres://anna:${encodeURIComponent(password)}@db/c`;
        expect(parseDatabaseUrl(url).password).toBe(password);
      }),
    );
  });
});
