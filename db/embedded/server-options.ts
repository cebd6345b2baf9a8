/** Room for a machine of 2 cores and 2 GB beside the program itself. */
const SIZES = {
  shared_buffers: '256MB',
  effective_cache_size: '768MB',
  work_mem: '16MB',
  maintenance_work_mem: '128MB',
  max_connections: '100',
  // A partition a slice: a query over a quarter of hourly slices locks thousands of relations.
  max_locks_per_transaction: '256',
};

/** Imports write much at once: checkpoints seldom, and the log kept for them bounded. */
const WRITING = {
  fsync: 'on',
  wal_level: 'replica',
  max_wal_senders: '10',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
  checkpoint_timeout: '15min',
};

const PLANNING = {
  // Compiling made every topper query slower (ARCHITECTURE.md).
  jit: 'off',
  random_page_cost: '1.1',
};

const SURROUNDINGS = {
  listen_addresses: '127.0.0.1',
  // A socket's path is limited to some 100 bytes, which a data folder's is not.
  unix_socket_directories: '',
  cluster_name: 'countergraph',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_timezone: 'UTC',
  timezone: 'UTC',
};

/** The server's command line; `settings` come last and win. No secret belongs on it. */
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

/** Nothing of our own environment: it holds passwords, and PG… variables would be obeyed. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];
  const inherited = kept.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  // With TZ set, initdb does not search the machine's time zone files for ours.
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', TZ: 'UTC' };
}
