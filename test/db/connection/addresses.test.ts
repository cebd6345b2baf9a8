import { appendFile, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PatientClient, PatientPool } from '../../../db/connection/patient-client.ts';
import { isUnreachable } from '../../../db/database-error.ts';
import { reasonOf } from '../../../domain/text/reason-of.ts';
import { withClient } from '../../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../../support/database/standby.ts';
import { makeTemporaryFolder } from '../../support/database/test-server.ts';
import { giveKeyTo, makeCertificates } from '../../support/programs/certificates.ts';

let folder: string;
let primary: Primary;
let standby: Standby;
/** A server that accepts connections and says nothing. */
let silent: Server;
let authority: string;
let password: string;

beforeAll(async () => {
  folder = await makeTemporaryFolder();
  primary = await startPrimary();
  standby = await startStandby(primary);
  const certificates = await makeCertificates(folder, 'localhost');
  authority = certificates.authority;
  password = new URL(primary.url).password;
  const pgdata = join(primary.dataDir, 'cluster', 'pgdata');
  await giveKeyTo(certificates.key, await stat(pgdata));
  await withClient(primary.url, async (client) => {
    await client.query(`alter system set ssl_cert_file = '${certificates.certificate}'`);
    await client.query(`alter system set ssl_key_file = '${certificates.key}'`);
    await client.query('alter system set ssl = on');
    await client.query(`create role plain login password 'plain'`);
    await client.query(`create role sealed login password 'sealed'`);
    const hba = join(pgdata, 'pg_hba.conf');
    const rules = `hostnossl all plain all scram-sha-256\nhostssl all sealed all scram-sha-256\n`;
    const others = 'hostssl all plain all reject\nhostnossl all sealed all reject\n';
    await writeFile(hba, `${rules}${others}${await readFile(hba, 'utf8')}`);
    await client.query('select pg_reload_conf()');
  });
  silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await standby?.remove();
  await primary?.remove();
  silent?.close();
  await rm(folder, { recursive: true, force: true });
});

afterEach(() => vi.unstubAllEnvs());

/** The address of a server's database, with other hosts, a query or a role. */
function address({ hosts = 'localhost', query = '', role = '' } = {}): string {
  const who = role === '' ? `countergraph:${password}` : `${role}:${role}`;
  const port = (url: string) => new URL(url).port;
  const named = hosts
    .replaceAll('primary', `localhost:${port(primary.url)}`)
    .replaceAll('standby', `localhost:${port(standby.url)}`)
    .replaceAll('silent', `127.0.0.1:${Object(silent.address()).port}`)
    .replaceAll('refused', '127.0.0.1:1');
  return `postgres://${who}@${named}/postgres?${query.replace('AUTHORITY', authority)}`;
}

/** Connects, and returns whether TLS is used and which of the servers answers, or the error. */
async function connect(url: string): Promise<string> {
  const client = new PatientClient({ url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query(
      `select case when ssl then 'tls' else 'plain' end
         || case when pg_is_in_recovery() then ' to standby' else ' to primary' end as how
       from pg_stat_ssl where pid = pg_backend_pid()`,
    );
    return rows[0].how;
  } catch (error) {
    expect(isUnreachable(error)).toBe(true);
    expect(reasonOf(error)).not.toContain(password);
    return reasonOf(error);
  } finally {
    await client.end();
  }
}

describe('sslmode', () => {
  it.each([
    ['', '', /^tls to primary$/],
    ['sslmode=disable', '', /^plain/],
    ['sslmode=allow', '', /^plain/],
    ['sslmode=prefer', '', /^tls/],
    ['sslmode=require', '', /^tls/],
    ['sslmode=prefer', 'plain', /^plain/],
    ['sslmode=allow', 'sealed', /^tls/],
    ['sslmode=require', 'plain', /pg_hba.conf rejects connection/],
    ['sslmode=verify-ca&sslrootcert=AUTHORITY', '', /^tls/],
    ['sslmode=verify-full&sslrootcert=AUTHORITY', '', /^tls/],
    ['sslmode=require&sslrootcert=AUTHORITY', '', /^tls/],
    ['sslmode=verify-ca', '', /^sslmode=verify-ca needs sslrootcert/],
    ['sslmode=verify-full', '', /^The certificate of localhost:\d+ is not accepted/],
    ['sslrootcert=system', '', /^The certificate of localhost:\d+ is not accepted \(unable to/],
    ['sslmode=require&sslrootcert=/missing', '', /^The file of sslrootcert cannot be read/],
    ['sslmode=require&channel_binding=require', '', /^tls/],
    ['sslmode=disable&channel_binding=require', '', /does not bind the channel/],
    ['sslmode=require&ssl_min_protocol_version=TLSv1.3', '', /^tls/],
  ])('%s as role %j', async (query, role, outcome) => {
    expect(await connect(address({ hosts: 'primary', query, role }))).toMatch(outcome);
  });

  it('verify-full refuses a certificate for another name, which verify-ca accepts', async () => {
    const verify = (mode: string) =>
      connect(
        address({ hosts: 'primary', query: `sslmode=${mode}&sslrootcert=AUTHORITY` }).replace(
          'localhost',
          '127.0.0.1',
        ),
      );
    expect(await verify('verify-ca')).toMatch(/^tls/);
    expect(await verify('verify-full')).toMatch(/not accepted .*127\.0\.0\.1/);
  });

  it.each([
    ['prefer', /^plain to standby$/],
    ['require', /^localhost:\d+ offers no TLS, which sslmode=require demands: set ssl=on/],
  ])('%s with a server that offers no TLS', async (mode, outcome) => {
    expect(await connect(address({ hosts: 'standby', query: `sslmode=${mode}` }))).toMatch(outcome);
  });
});

describe('several hosts', () => {
  it.each([
    ['standby,primary', 'any', /to standby$/],
    ['standby,primary', 'read-write', /to primary$/],
    ['primary,standby', 'read-only', /to standby$/],
    ['standby,primary', 'primary', /to primary$/],
    ['primary,standby', 'standby', /to standby$/],
    ['primary,standby', 'prefer-standby', /to standby$/],
    ['refused,primary', 'prefer-standby', /to primary$/],
    ['refused,silent,primary', 'any', /to primary$/],
    [
      'refused,standby',
      'read-write',
      /^connect ECONNREFUSED 127.0.0.1:1.*; localhost:\d+ is not read-write, which/,
    ],
  ])('%s with target_session_attrs=%s', async (hosts, attributes, outcome) => {
    const url = address({ hosts, query: `target_session_attrs=${attributes}` });
    expect(await connect(url)).toMatch(outcome);
  });

  it('are tried by each connection of a pool', async () => {
    const url = address({
      hosts: 'refused,standby,primary',
      query: 'target_session_attrs=primary',
    });
    const pool = new PatientPool({ url, max: 3 });
    const standbys = await Promise.all(
      [1, 2, 3].map(() => pool.query('select pg_is_in_recovery() as "isStandby"')),
    );
    expect(standbys.map(({ rows }) => rows[0].isStandby)).toEqual([false, false, false]);
    await pool.end();
  });
});

describe('a Unix socket', () => {
  it('is a host that begins with a slash', async () => {
    expect(await connect(`postgres:///c?host=${folder}&sslmode=require`)).toContain(
      `connect ENOENT ${folder}/.s.PGSQL.5432`,
    );
  });
});

describe('a password that is not in the address', () => {
  const without = () => address({ hosts: 'primary' }).replace(`:${password}`, '');

  it('comes from PGPASSWORD', async () => {
    vi.stubEnv('PGPASSWORD', password);
    expect(await connect(without())).toMatch(/to primary/);
  });

  it('comes from the password file, and nothing is missing but it', async () => {
    const file = join(folder, 'pass:file');
    vi.stubEnv('PGPASSFILE', file);
    expect(await connect(without())).toMatch(/^the server asks for a password, and there is none/);
    await appendFile(file, `# passwords\nother:*:*:*:x\nlocalhost:*:postgres:*:${password}\n`);
    expect(await connect(without())).toMatch(/to primary/);
  });
});

describe('the embedded server', () => {
  it('does not follow the variables of libpq', async () => {
    for (const name of ['PGSSLMODE', 'PGOPTIONS', 'PGHOSTADDR', 'PGTARGETSESSIONATTRS']) {
      vi.stubEnv(name, 'nonsense');
    }
    vi.stubEnv('PGSSLNEGOTIATION', 'direct');
    vi.stubEnv('PGCLIENT_ENCODING', 'nonsense');
    vi.stubEnv('PGREPLICATION', 'database');
    vi.stubEnv('PGAPPNAME', 'nonsense');
    expect(await connect(primary.url)).toBe('plain to primary');
  });
});

it('an address with sslmode brings no warning of a library', async () => {
  const warn = vi.spyOn(process, 'emitWarning');
  const query = 'sslmode=verify-ca&sslrootcert=AUTHORITY';
  expect(await connect(address({ hosts: 'primary', query }))).toMatch(/^tls/);
  expect(warn).not.toHaveBeenCalled();
});
