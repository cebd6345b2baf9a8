import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METER_TYPE_NAMES } from '../../domain/toppers/meter-type.ts';
import { createDemo } from '../../ingest/demo/demo.ts';
import { createTestDatabase } from '../support/database/database.ts';
import type { GroupBody, SliceBody, TopperKeyBody } from '../support/http/answers.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { type Block, readPages } from './pages.ts';
import { createReader, type Reader } from './reader.ts';

const PAGE = 'docs/how-to/migrate-from-rest.md';

const { blocks = [] } = readPages().find(({ path }) => path === PAGE) ?? {};

/** A call of an endpoint, and the query directly below it. */
const PAIRS = blocks.flatMap((block, i): [string, Block, Block][] => {
  const query = blocks[i + 1];
  const [, endpoint] = /\/api\/(\w+)\/\w+_request/.exec(block.text) ?? [];
  if (block.language !== 'sh' || !endpoint || query?.language !== 'graphql') return [];
  return [[`line ${block.line}, ${endpoint}: ${block.heading}`, block, query]];
});

let program: BuiltProgram;
let reader: Reader;

beforeAll(async () => {
  const [database, built] = await Promise.all([createTestDatabase(), buildProgram()]);
  program = built;
  await createDemo({ databaseUrl: database.url, now: () => Math.floor(Date.now() / 1000) });
  reader = await createReader(program, database);
}, 120_000);

afterAll(async () => {
  await reader?.leave();
  await program?.remove();
});

type Body = Record<string, unknown> & {
  slices: SliceBody[];
  pools: Record<string, unknown>[];
  group_details: GroupBody[];
  keys: TopperKeyBody[];
};

/** `time_interval` → `timeInterval`, `crosskeyguid_1` → `crosskeyGuid1`. */
const camel = (name: string): string =>
  name
    .replace(/^(parent|crosskey)guid/, '$1Guid')
    .replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The fields under their GraphQL names: from `others`, or in camel case. */
const renamed = (body: object, others: Readonly<Record<string, string>> = {}): object =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      others[name] ?? camel(name),
      typeof value === 'object' && value !== null && !Array.isArray(value) ? renamed(value) : value,
    ]),
  );

const asGroup = ({ meters, ...group }: GroupBody): object => ({
  ...renamed(group),
  ...(meters && {
    meters: meters.map((meter) => ({
      ...renamed(meter, { id: 'index', topcount: 'topCount' }),
      type: METER_TYPE_NAMES[Number(meter['type'])],
    })),
  }),
});

const asKey = ({ attributes, ...key }: TopperKeyBody): object => ({
  ...key,
  ...(attributes && {
    attributes: attributes.map(({ attr_name: name, attr_value: value }) => ({ name, value })),
  }),
});

/** The free space of a disk changes all the time. */
const asPool = (pool: Record<string, unknown>): object => ({
  ...renamed(pool),
  availSize: expect.any(typeof pool['avail_size'] === 'number' ? Number : String),
});

/** What GraphQL must answer below `context` to include everything in the REST answer. */
function inGraphQL(path: string, body: Body): object {
  if (path.includes('/time_slices/')) {
    return {
      name: body['context_name'],
      haSlaveMode: body['ha_slave_mode'],
      ...(body['total_window'] !== null && { totalWindow: body['total_window'] }),
      slices: body.slices.map((slice) => renamed(slice, { id: 'sliceId' })),
      ...(body.pools.length > 0 && { pools: body.pools.map(asPool) }),
    };
  }
  if (path.includes('/counter_group_info/')) {
    const groups = body.group_details.map(asGroup);
    return path.includes('counter_group=')
      ? { counterGroup: groups[0] }
      : { counterGroups: groups };
  }
  return {
    counterGroup: { topper: { others: body['sysgrouptotal'], keys: body.keys.map(asKey) } },
  };
}

/** GraphQL answers null where REST omits a field. */
const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each: unknown) => (each === null ? undefined : each));

describe('each call of the guide and its query', () => {
  it.each(PAIRS)('give the same values: %s', async (_, call, query) => {
    const { stdout } = await reader.run(call.text);
    const { data, errors } = await reader.ask(query.text);
    expect(errors).toBeUndefined();
    const { context } = data as { context: object };
    const expected = inGraphQL(call.text, JSON.parse(stdout) as Body);
    expect(withoutNulls(context)).toMatchObject(expected);
  });

  it('cover every endpoint, and every parameter that selects something', () => {
    const calls = PAIRS.map(([, call]) => call.text).join('\n');
    const chosen = [
      'time_slices',
      'counter_group_info',
      'topper',
      'get_disk_usage',
      'get_all_engines',
      'get_total_window',
      'get_from_dr',
      'destination_node',
      'timeout',
      'counter_group=',
      'get_meter_info',
      'meter=',
      'maxitems',
      'resolve_keys',
      'get_key_attributes',
      'get_percentiles',
      '-d .key_filter',
      'inverse_key_filter',
      'recentsecs',
      'window_tots',
      'window_seconds',
      'window_fromts',
      'from_date',
      'to_date',
      'time_zone',
    ];
    expect(chosen.filter((name) => !new RegExp(name).test(calls))).toEqual([]);
    expect(PAIRS.length).toBeGreaterThan(18);
  });

  it('have values to compare', async () => {
    const values = await Promise.all(PAIRS.map(([, call]) => reader.run(call.text)));
    const empty = values.filter(({ stdout }) => /"(keys|slices|group_details)":\[\]/.test(stdout));
    // Today may have no data yet.
    expect(empty.length).toBeLessThanOrEqual(2);
  });
});
