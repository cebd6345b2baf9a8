import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NodePools } from '../../../db/session/node-pools.ts';
import { ReadSession } from '../../../db/session/read-session.ts';
import {
  SELECT_IDENTITY,
  SELECT_IDENTITY_AND_SLICES,
  selectIdentity,
} from '../../../db/sql/identity.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, type Credentials, type TestService } from '../../support/lab/service.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
  await lab.apply({ context: 'other', groups: [] });
  await lab.addUser({ username: 'bob', token: 'bob-token' }, [CONTEXT, 'other']);
});

afterAll(() => lab.close());

type Node = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly Node[];
};

const sha256 = (...parts: (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** Returns the tables that PostgreSQL reads to identify a caller, as `explain analyze` shows. */
async function tablesRead(statement: string, { username, token }: Credentials): Promise<string[]> {
  const blind = Buffer.from('blind');
  const text = `explain (analyze, format json, timing off, costs off, summary off) ${statement}`;
  const literals = [
    `'\\x${sha256(sha256(token), blind).toString('hex')}'`,
    `'\\x${blind.toString('hex')}'`,
    `'request'`,
    `'${username}'`,
    `'${CONTEXT}'`,
  ];
  const asked = literals.reduce((sql, literal, i) => sql.replaceAll(`$${i + 1}`, literal), text);
  const [row] = await lab.sql<{ 'QUERY PLAN': readonly { Plan: Node }[] }>(asked);
  const [root] = row?.['QUERY PLAN'] ?? [];
  const visit = (node: Node): string[] => [
    ...(node['Actual Loops'] > 0 ? [node['Relation Name'] ?? ''] : []),
    ...(node.Plans ?? []).flatMap(visit),
  ];
  return root ? [...new Set(visit(root.Plan).filter(Boolean))].sort() : [];
}

describe.each([
  ['the identity of a caller', SELECT_IDENTITY],
  ['the identity of a caller, read together with slices', SELECT_IDENTITY_AND_SLICES],
])('%s', (_, statement) => {
  it('is looked up together with the grants for a correct token', async () => {
    const tables = await tablesRead(statement, ADA);
    expect(tables).toEqual(expect.arrayContaining(['contexts', 'grants', 'tokens', 'users']));
    expect(tables.includes('slices')).toBe(statement === SELECT_IDENTITY_AND_SLICES);
  });

  it.each([
    ['a wrong token', { ...ADA, token: 'wrong' }],
    ['the token of another user', { ...ADA, username: 'bob' }],
    ['an unknown user', { ...ADA, username: 'nobody' }],
  ])('is looked up without grants for %s', async (_case, credentials) => {
    const tables = await tablesRead(statement, credentials);
    expect(tables).toContain('users');
    expect(tables).not.toContain('grants');
    expect(tables).not.toContain('contexts');
    expect(tables).not.toContain('slices');
  });
});

describe('a user with several tokens', () => {
  const digests = new Map<string, Buffer>();

  beforeAll(async () => {
    await lab.addUser({ username: 'mia', token: 'first' }, [CONTEXT]);
    await lab.sql(`insert into tokens (user_id, name, digest, salt, scrypt_cost, expires_at)
      select user_id, n, sha256(n::bytea), salt, cost, now() + make_interval(secs => seconds)
      from users, (values ('second', null, null, null), ('lives', null, null, 3600),
        ('over', null, null, -1), ('chosen', decode(md5('salt'), 'hex'), 32768, 3600)
      ) as t (n, salt, cost, seconds) where username = 'mia'`);
    for (const { name, digest } of await lab.sql<{ name: string; digest: Buffer }>(
      `select name, digest from tokens join users using (user_id) where username = 'mia'`,
    )) {
      digests.set(name, digest);
    }
  });

  /** Returns the name of the token that is found for one that is given, and what is granted. */
  async function found(token: string) {
    const pools = new NodePools({ primaryUrl: lab.databaseUrl });
    const session = new ReadSession({
      pool: pools.at(lab.databaseUrl),
      onStatement: () => {},
      deadline: null,
      signal: new AbortController().signal,
      mayReadAlone: true,
    });
    const claim = { username: 'mia', digest: sha256(token), slicesOf: null, requestId: null };
    const row = await selectIdentity(session, claim, null);
    await session.end();
    await pools.close();
    const [name] = [...digests].find(([, digest]) => row?.digest?.equals(digest)) ?? [null];
    return [name, row?.contexts.map((context) => context.name)];
  }

  it.each(['second', 'lives'])('has the grants with the %s one', async (token) => {
    expect(await found(token)).toEqual([token, [CONTEXT]]);
  });

  it('has them with the first one', async () => {
    expect(await found('first')).toEqual(['default', [CONTEXT]]);
  });

  it.each(['over', 'wrong'])('has to prove the chosen one with one that is %s', async (token) => {
    expect(await found(token)).toEqual(['chosen', []]);
    await lab.sql(`update tokens set expires_at = now() - interval '1 s' where name = 'chosen'`);
    expect(await found(token)).toEqual([null, []]);
    await lab.sql(`update tokens set expires_at = null where name = 'chosen'`);
  });
});

describe('slices that are read together with the identity', () => {
  it('are not read for a context that is not granted', async () => {
    const tables = await tablesRead(SELECT_IDENTITY_AND_SLICES.replaceAll('$5', `'other'`), ADA);
    expect(tables).not.toContain('slices');
  });
});
