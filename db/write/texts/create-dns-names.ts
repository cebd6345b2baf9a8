import type { Connection } from '../../connection/connection.ts';

/** Creates a table that holds the newest name of each address, until the end of the transaction. */
export const createDnsNames = async (connection: Connection): Promise<void> => {
  await connection.query(
    `create temporary table dns_names (
       key text collate "C" primary key, name text not null, answered_us bigint not null
     ) on commit drop`,
  );
};
