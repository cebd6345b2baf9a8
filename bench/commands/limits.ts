import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { type Cleanup, withCleanup } from '../cleanup.ts';
import { besideDatabase, settings } from '../load/databases.ts';
import { openOwnPostgres } from '../load/own-postgres.ts';
import { rankingsOptions } from '../options/data-options.ts';
import { LIMITED, LIMITS, measureRankings } from '../rankings/measure-rankings.ts';
import { renderRankings } from '../rankings/render-rankings.ts';
import { describeMachine, renderMachine } from '../reports/machine.ts';
import { USER } from '../systems/declaration.ts';
import { loadProduct } from '../versions/load-product.ts';

const options = rankingsOptions('limits', process.argv.slice(2));
await withCleanup(compareLimits);

/** Compares toppers of limited users with those of a filter in one run. */
async function compareLimits(cleanup: Cleanup): Promise<void> {
  const { shape, product, json, quick } = options;
  const postgres = await openOwnPostgres(cleanup, settings());
  const { service } = await loadProduct(
    postgres,
    { name: 'product', product, shape, probes: 1 },
    cleanup,
  );
  await limitUsers(besideDatabase(postgres.url, 'product'));
  const machine = await describeMachine(postgres.url, null);
  const cases = await measureRankings({ shape, service, toppers: LIMITS, quick });
  console.log(`${renderMachine(machine)}\n\n${renderRankings('window, keys', cases)}`);
  if (json) await writeFile(json, `${JSON.stringify({ machine, shape, cases }, null, 2)}\n`);
}

/** Adds the limited users, with the token of the usual user. */
async function limitUsers(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const [user, network] of LIMITED) {
    await client.query('insert into users (username) values ($1)', [user]);
    await client.query(
      `insert into tokens (user_id, digest, salt, scrypt_cost)
       select added.user_id, digest, salt, scrypt_cost from tokens join users using (user_id), users added
       where users.username = $1 and added.username = $2`,
      [USER, user],
    );
    await client.query(
      `insert into grants (user_id, context_id, only_networks)
       select user_id, context_id, array[$2::cidr] from users, contexts where username = $1`,
      [user, network],
    );
  }
  await client.end();
}
