import { parseDatabaseUrl } from '../domain/text/database-url.ts';
import { hostName } from './connection/open-socket.ts';
import { operatingSystemUser } from './connection/passfile.ts';

/** Describes the database at an address, for people: without its password and its options. */
export function describeDatabase(databaseUrl: string): string {
  const { hosts, user, database } = parseDatabaseUrl(databaseUrl, process.env);
  const role = user ?? operatingSystemUser();
  return `${database ?? role} at ${hosts.map(hostName).join(', ')}, as ${role}`;
}
