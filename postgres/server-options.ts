/** Sized for a machine of 2 cores and 2 GB that also runs the program itself. */
const SIZES = {
  shared_buffers: '256MB',
  effective_cache_size: '768MB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_connections: '100',
  // One partition per slice: a query over a quarter of a year of hourly slices locks thousands of
  // relations.
  max_locks_per_transaction: '256',
};

/** Imports write a lot at once: checkpoints are rare, and the log kept for them is bounded. */
const WRITING = {
  fsync: 'on',
  wal_level: 'replica',
  max_wal_senders: '10',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
};

const PLANNING = {
  // JIT compilation made every topper query slower when it was measured.
  jit: 'off',
  random_page_cost: '1.1',
};

const SURROUNDINGS = {
  listen_addresses: '127.0.0.1',
  // The path of a socket is limited to about 100 bytes, the path of a data folder is not.
  unix_socket_directories: '',
  cluster_name: 'countergraph',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/**
 * Returns the arguments of the server's command line. `settings` override the defaults. Secrets
 * must not be on the command line.
 */
export function serverArguments(
  pgdata: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): string[] {
  const all = { ...SIZES, ...WRITING, ...PLANNING, ...SURROUNDINGS, ...settings, port };
  return [
    '-D',
    pgdata,
    ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
}

/**
 * Returns the server's environment, with little of our own: ours holds passwords, and the server
 * would obey PG… variables.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];
  const inherited = kept.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // With TZ set, initdb does not search the machine's time zone files for ours.
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}
