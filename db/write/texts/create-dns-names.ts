import type { Connection } from '../../connection/connection.ts';

/** A table that holds, until the end of the transaction, the newest name of each address. */
export const createDnsNames = async (connection: Connection): Promise<void> => {
  await connection.query(
    `create temporary table dns_names (
       key text collate "C" primary key, name text not null, answered_us bigint not null
     ) on commit drop`,
  );
};
