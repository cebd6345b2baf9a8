import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode, type RestParameters } from '../../support/http/rest-parameters.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, CONTEXT, ENDPOINT_NAMES, type TestService } from '../../support/lab/service.ts';

type Parameter = {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly example: string | number | boolean | readonly number[];
};

type Operation = {
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
};

type Scheme = {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
};

type Document = {
  readonly info: { readonly contact: { readonly name: string } };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation>>>>;
  readonly components: { readonly securitySchemes: Readonly<Record<string, Scheme>> };
};

/** The group of the examples. */
const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';

let lab: TestService;
let document: Document;

beforeAll(async () => {
  const declaration = { probes: [{ id: 'p1' }] };
  lab = await startLab({ groups: [group(1, { guid: HOSTS })], declaration });
  document = JSON.parse((await lab.call('/api/openapi.json')).text);
});

afterAll(() => lab.close());

/** The credentials and the context of the lab, in place of the demo's. */
const OWN = { username: ADA.username, api_token: ADA.token, context: CONTEXT };

const parametersOf = (endpoint: (typeof ENDPOINT_NAMES)[number]): readonly Parameter[] =>
  document.paths[lab.path(endpoint)]?.get.parameters ?? [];

describe('the parameters in the OpenAPI document', () => {
  it.each(ENDPOINT_NAMES)(
    'have examples that work together, one for each parameter: %s',
    async (name) => {
      const examples = Object.fromEntries(
        parametersOf(name).map(({ name: of, example }) => [of, example] as const),
      );
      expect(Object.values(examples)).not.toContain(undefined);
      for (const encoding of ['query', 'json'] as const) {
        const { query, call } = await encode({ ...examples, ...OWN }, encoding);
        const { status, text } = await lab.call(lab.path(name) + query, call);
        expect([status, text]).toEqual([200, expect.any(String)]);
      }
    },
  );

  it.each(ENDPOINT_NAMES)('have examples that each work alone: %s', async (name) => {
    const required: RestParameters = name === 'topper' ? { counter_group: HOSTS } : {};
    // A step needs a series, a series needs CSV, and the start of a window needs an end.
    const partners: Readonly<Record<string, RestParameters>> = {
      series: { format: 'csv' },
      step: { format: 'csv', series: true },
      window_fromts: { window_seconds: 60 },
      window_tots: { window_fromts: 0 },
      ...Object.fromEntries(
        ['date', 'time'].flatMap((kind) => [
          [`from_${kind}`, { [`to_${kind}`]: '2030-01-01' }],
          [`to_${kind}`, { [`from_${kind}`]: '2020-01-01' }],
        ]),
      ),
    };
    for (const { name: parameter, example } of parametersOf(name)) {
      const asked = { [parameter]: example, ...partners[parameter], ...required, ...OWN };
      const { query } = await encode(asked, 'query');
      const { status, text } = await lab.call(lab.path(name) + query);
      expect([parameter, status, text]).toEqual([parameter, 200, expect.any(String)]);
    }
  });

  it('accept booleans as numbers and words too', async () => {
    const ajv = new Ajv2020();
    const booleans = ENDPOINT_NAMES.flatMap((endpoint) =>
      parametersOf(endpoint)
        .filter(({ schema }) => typeof schema['default'] === 'boolean')
        .map((parameter) => ({ endpoint, ...parameter })),
    );
    expect(booleans).toHaveLength(3 + 3 + 1 + 4);
    for (const { endpoint, name, schema } of booleans) {
      const isValid = ajv.compile(schema);
      const required = endpoint === 'topper' ? { counter_group: HOSTS } : {};
      for (const value of [true, 1, 'yes', 'on', false, 0, 'no', 'off']) {
        expect([name, value, isValid(value)]).toEqual([name, value, true]);
        const csv = name === 'series' ? { format: 'csv' } : {};
        const asked = { ...required, ...csv, [name]: value };
        const { status } = await lab.call(await pathOf(endpoint, asked));
        // The lab has no recovery node.
        expect([200, ...(name === 'get_from_dr' ? [422] : [])]).toContain(status);
      }
      for (const value of [2, -1, 'maybe', null, [], {}]) expect(isValid(value)).toBe(false);
    }
  });
});

async function pathOf(
  endpoint: (typeof ENDPOINT_NAMES)[number],
  parameters: RestParameters,
): Promise<string> {
  return lab.path(endpoint) + (await encode({ ...OWN, ...parameters }, 'query')).query;
}

/** A request with the credentials of one security requirement in the document. */
function requestOf(names: readonly string[]) {
  const query = new URLSearchParams({ context: CONTEXT });
  const headers: Record<string, string> = {};
  for (const name of names) {
    const {
      type,
      scheme,
      in: place,
      name: of = '',
    } = document.components.securitySchemes[name] ?? {};
    const value = of.includes('username') ? ADA.username : ADA.token;
    if (type === 'apiKey' && place === 'query') query.set(of, value);
    else if (type === 'apiKey') headers[of] = value;
    else if (scheme === 'bearer') headers['authorization'] = `Bearer ${ADA.token}`;
    else headers['authorization'] = `Basic ${btoa(`${ADA.username}:${ADA.token}`)}`;
  }
  return { query, headers };
}

describe('the security requirements in the OpenAPI document', () => {
  it('each work as a whole, and none in part', async () => {
    expect(document.security.map((each) => Object.keys(each).length)).toEqual([1, 2, 2]);
    const used = document.security.flatMap((each) => Object.keys(each));
    expect(used.toSorted()).toEqual(Object.keys(document.components.securitySchemes).toSorted());
    const statusOf = async (names: readonly string[]) => {
      const { query, headers } = requestOf(names);
      return (await lab.call(`${lab.path('groups')}?${query}`, { headers })).status;
    };
    for (const requirement of document.security) {
      const names = Object.keys(requirement);
      expect([names, await statusOf(names)]).toEqual([names, 200]);
      for (const missing of names) {
        expect(await statusOf(names.filter((name) => name !== missing))).toBe(401);
      }
    }
  });
});

describe('the OpenAPI document', () => {
  it('names a contact, and has a tag for each endpoint', () => {
    expect(document.info.contact.name).toBe('The operator of this server');
    const tags = document.tags.map(({ name }) => name);
    const used = Object.values(document.paths).map((operations) => [
      ...new Set(Object.values(operations).flatMap((operation) => operation.tags)),
    ]);
    expect(used).toEqual(tags.map((tag) => [tag]));
  });
});
