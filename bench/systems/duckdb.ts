import {
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  INTEGER,
  version,
} from '@duckdb/node-api';
import { type Answer, exactNumber } from '../questions/answer.ts';
import type { Question } from '../questions/question.ts';
import { generateTraffic, type TrafficShape, trafficKeys } from '../traffic/traffic.ts';
import { measureDuckDbFile } from './duckdb-file.ts';
import { LAYOUTS, topperText } from './duckdb-statement.ts';
import type { Asker, System, SystemName } from './system.ts';

export type DuckDb = {
  readonly systems: readonly System[];
  /** Size of a file with the same rows. */
  readonly fileBytes: number | null;
  readonly version: string;
  readonly loadSeconds: number;
  close(): void;
};

export type DuckDbName = SystemName & keyof typeof LAYOUTS;

export type DuckDbToOpen = {
  readonly shape: TrafficShape;
  readonly names: readonly DuckDbName[];
  /** Whether to measure the size of a file with the rows. */
  readonly file: boolean;
};

/**
 * Opens DuckDB in this process, with two threads and in memory: reading a week took half as long as
 * from a database file that was fully cached. An ENUM instead of ids was tried, but then every
 * statement copied the 200,000 texts, which took 0.1 s.
 */
export async function openDuckDb({ shape, names, file }: DuckDbToOpen): Promise<DuckDb> {
  const started = performance.now();
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' });
  const connection = await instance.connect();
  await loadReadings(connection, shape);
  const loadSeconds = (performance.now() - started) / 1000;
  const fileBytes = file ? await measureDuckDbFile(connection) : null;
  if (names.includes('duckdb-text')) await connection.run(TEXT_TABLE);
  const asItComes = await openWays(instance, [DEFAULT_ARRAY_BITS]);
  const tuned = await openWays(instance, [DEFAULT_ARRAY_BITS, ALL_KEYS_ARRAY_BITS]);
  return {
    systems: names.map((name) => ({
      name,
      prepare: (question) =>
        prepareFastest(
          name === 'duckdb-tuned' ? tuned : asItComes,
          topperText(question, shape, LAYOUTS[name]),
          question,
        ),
    })),
    fileBytes,
    loadSeconds,
    version: version(),
    close() {
      for (const each of [connection, ...asItComes, ...tuned]) each.closeSync();
      instance.closeSync();
    },
  };
}

/** Rows are in time order, so that a window can skip all rows outside it. */
const TABLES = `
create table keys (key_id integer, key varchar);
create table readings (key_id integer, bucket bigint, bytes bigint, packets bigint,
  connections bigint)`;
const TEXT_TABLE = `
create table text_readings as
  select key, bucket, bytes, packets, connections from readings join keys using (key_id)
  order by bucket`;

/** The number of rows that DuckDB takes at a time. */
const CHUNK_ROWS = 2048;

async function loadReadings(connection: DuckDBConnection, shape: TrafficShape): Promise<void> {
  await connection.run(TABLES);
  const keys = await connection.createAppender('keys');
  for (const [id, key] of trafficKeys().entries()) {
    keys.appendInteger(id);
    keys.appendVarchar(key);
    keys.endRow();
  }
  keys.closeSync();
  const readings = await connection.createAppender('readings');
  const chunk = DuckDBDataChunk.create([INTEGER, INTEGER, INTEGER, INTEGER, INTEGER]);
  for (const bucket of generateTraffic(shape)) {
    for (let from = 0; from < bucket.count; from += CHUNK_ROWS) {
      const to = Math.min(from + CHUNK_ROWS, bucket.count);
      const part = (column: Int32Array): number[] => Array.from(column.subarray(from, to));
      const starts = new Array<number>(to - from).fill(bucket.start);
      chunk.setColumns([part(bucket.keys), starts, ...bucket.readings.map(part)]);
      readings.appendDataChunk(chunk);
    }
  }
  readings.closeSync();
}

/**
 * DuckDB aggregates into an array instead of a hash table if the ids have few enough bits: 12 by
 * default, while ours have 18. Which is faster depends on the window, so the tuned system may
 * choose.
 */
const DEFAULT_ARRAY_BITS = 12;
const ALL_KEYS_ARRAY_BITS = 20;

const openWays = (
  instance: DuckDBInstance,
  arrayBits: readonly number[],
): Promise<DuckDBConnection[]> =>
  Promise.all(
    arrayBits.map(async (bits) => {
      const connection = await instance.connect();
      await connection.run(`set perfect_ht_threshold = ${bits}`);
      return connection;
    }),
  );

const TRIALS = 5;

/** Chooses the fastest way for a statement: the settings of a connection, prepared or not. */
async function prepareFastest(
  connections: readonly DuckDBConnection[],
  text: string,
  question: Question,
): Promise<Asker> {
  const askers: Asker[] = [];
  for (const connection of connections) {
    const prepared = await connection.prepare(text);
    askers.push(
      async () => answerOf((await prepared.runAndReadAll()).getRowsJS(), question),
      async () => answerOf((await connection.runAndReadAll(text)).getRowsJS(), question),
    );
  }
  let fastest = { asker: askers[0], took: Number.POSITIVE_INFINITY };
  for (const asker of askers) {
    for (let trial = 0; trial < TRIALS; trial += 1) {
      const started = performance.now();
      await asker();
      const took = performance.now() - started;
      if (took < fastest.took) fastest = { asker, took };
    }
  }
  if (!fastest.asker) throw new Error('there is no way to ask DuckDB');
  return fastest.asker;
}

/** Reads the columns of `topperText`. */
function answerOf(rows: readonly (readonly unknown[])[], { ranks }: Question): Answer {
  const keys = rows.flatMap(([key, value, , , ...percentiles]) =>
    typeof key === 'string'
      ? {
          key,
          value: exactNumber(value),
          percentiles: ranks.map((_, index) => exactNumber(percentiles[index])),
        }
      : [],
  );
  const listed = keys.reduce((sum, { value }) => sum + value, 0);
  const [, , total, keyCount] = rows[0] ?? [];
  return { keys, others: exactNumber(total) - listed, keyCount: exactNumber(keyCount) };
}
