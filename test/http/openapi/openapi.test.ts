import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { ENDPOINT_DESCRIPTIONS, openApi, parametersOf } from '../../../rest/openapi/openapi.ts';
import { readSettings } from '../../../server/settings/settings.ts';
import { group, guidOf, startLab } from '../../support/lab/lab.ts';
import { ENDPOINT_NAMES, startTestService, type TestService } from '../../support/lab/service.ts';

const PRINTED = join(projectRoot(), 'rest', 'openapi.json');
const PATH = '/api/openapi.json';

const settings = readSettings({});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: [group(1)] });
});

afterAll(() => lab.close());

describe('/api/openapi.json', () => {
  it('needs no credentials, and has an ETag', async () => {
    const { status, headers, text } = await lab.call(PATH);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(openApi(settings))));
    const again = await lab.call(PATH, { headers: { 'if-none-match': headers.etag ?? '' } });
    expect([again.status, again.text]).toEqual([304, '']);
    const head = await lab.call(PATH, { method: 'HEAD' });
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag]);
  });

  it('equals rest/openapi.json (UPDATE_DUMPS=1 rewrites it)', async () => {
    const { text } = await lab.call(PATH);
    if (process.env['UPDATE_DUMPS'] === '1') await writeFile(PRINTED, text);
    expect(await readFile(PRINTED, 'utf8')).toBe(text);
  });

  it('has the limits and defaults of the server that answers', async () => {
    const own = {
      maxTopperItems: 77,
      maxPercentileRanks: 3,
      queryTimeoutSeconds: 7,
      timeZone: 'Europe/Berlin',
    };
    const service = await startTestService({ databaseUrl: lab.databaseUrl, settings: own });
    try {
      const { paths } = JSON.parse((await service.call(PATH)).text) as {
        paths: Record<
          string,
          { get: { parameters: { name: string; schema: object; description: string }[] } }
        >;
      };
      const parameters = paths[lab.path('topper')]?.get.parameters ?? [];
      const named = (name: string) => parameters.find((each) => each.name === name);
      expect(named('maxitems')?.schema).toMatchObject({ maximum: 77, default: 77 });
      expect(named('get_percentiles')?.schema).toMatchObject({ maxItems: 3 });
      const four = { get_percentiles: '1,2,3,4', counter_group: guidOf(1), recentsecs: 60 };
      expect(await service.refusal('topper', four)).toEqual([
        400,
        'get_percentiles must be a list of at most 3 ranks, got 4',
      ]);
      expect(named('time_zone')?.schema).toMatchObject({ default: 'Europe/Berlin' });
      expect(named('timeout')?.description).toContain('the default of the server, 7');
    } finally {
      await service.close();
    }
  });
});

/** From the specification and decision 20, and `format`; `valid_input` is ignored (decision 9). */
const TAKEN = {
  all: [
    'api_token',
    'username',
    'context',
    'probe_id',
    'destination_node',
    'get_from_dr',
    'timeout',
  ],
  slices: ['get_disk_usage', 'get_all_engines', 'get_total_window'],
  groups: ['counter_group', 'get_meter_info'],
  topper: [
    'counter_group',
    'meter',
    'maxitems',
    'resolve_keys',
    'get_key_attributes',
    'flags',
    'get_percentiles',
    'key_filter',
    'inverse_key_filter',
    'matching',
    'recentsecs',
    'window_seconds',
    'window_fromts',
    'window_tots',
    'from_date',
    'to_date',
    'from_time',
    'to_time',
    'time_zone',
    'format',
    'series',
    'step',
  ],
};

describe('the documented parameters', () => {
  it.each(ENDPOINT_NAMES)('are those of the specification: %s', (name) => {
    const endpoint = ENDPOINT_DESCRIPTIONS.find(({ path }) => path === lab.path(name));
    const names = endpoint ? parametersOf(endpoint, settings).map((each) => each.name) : [];
    expect(names.toSorted()).toEqual([...TAKEN.all, ...TAKEN[name]].toSorted());
  });

  const all = ENDPOINT_NAMES.flatMap((name) =>
    [...TAKEN.all, ...TAKEN[name]].map((parameter) => [name, parameter] as const),
  );

  // A parameter that is read is refused when it is given twice, except a list.
  it.each(all)('are all read: %s, %s', async (endpoint, parameter) => {
    const twice = {
      ...(endpoint === 'topper' && { counter_group: '{x}' }),
      ...(parameter === 'get_percentiles' ? { get_percentiles: 'x' } : { [parameter]: ['1', '2'] }),
    };
    const [status, message] = await lab.refusal(endpoint, twice);
    expect([400, 401]).toContain(status);
    if (status === 400) expect(message).toContain(`${parameter} must be `);
    else expect(['username', 'api_token']).toContain(parameter);
  });

  it('are read nowhere else', async () => {
    const files = [
      'answer-request',
      'parameters/decode-topper',
      'endpoints/topper',
      'endpoints/time-slices',
      'endpoints/counter-group-info',
      'parameters/decode-common',
      'parameters/decode-window',
    ];
    for (const file of files) {
      const text = await readFile(join(projectRoot(), 'rest', `${file}.ts`), 'utf8');
      const read = [...text.matchAll(/parameters\.(?:text|list)\(([^)]*)\)/g)].map(([, of]) => of);
      const own = ["'timeout'", "'get_percentiles'", 'TOPPER_NAMES.timeZone'];
      expect(read.filter((each = '') => !own.includes(each))).toEqual([]);
    }
  });
});
