import { stringify } from 'lossless-json';
import type { HttpCall } from './http-call.ts';

type Scalar = string | number | bigint | boolean | null;

/** The parameters of a request by name; undefined: not sent. */
export type RestParameters = Readonly<Record<string, Scalar | readonly Scalar[] | undefined>>;

/** The names of all parameters, without those that say who asks for which context. */
export const QUESTION_PARAMETERS = [
  'probe_id',
  'destination_node',
  'timeout',
  'get_disk_usage',
  'get_all_engines',
  'meter',
  'get_total_window',
  'get_from_dr',
  'counter_group',
  'get_meter_info',
  'maxitems',
  'flags',
  'resolve_keys',
  'get_key_attributes',
  'get_percentiles',
  'key_filter',
  'recentsecs',
  'inverse_key_filter',
  'window_seconds',
  'window_fromts',
  'window_tots',
  'from_date',
  'to_date',
  'from_time',
  'to_time',
  'valid_input',
  'time_zone',
];

export const ENCODINGS = ['query', 'form', 'multipart', 'json'] as const;

/** Where parameters are sent (decision 1): in the query string, or in a body. */
export type Encoding = (typeof ENCODINGS)[number];

/** A request with these parameters; a list repeats its parameter, except in JSON. */
export async function encode(
  parameters: RestParameters,
  encoding: Encoding,
): Promise<{ query: string; call: HttpCall }> {
  const pairs = pairsOf(parameters);
  const query = new URLSearchParams(pairs).toString();
  switch (encoding) {
    case 'query':
      return { query: `?${query}`, call: { method: 'GET' } };
    case 'form':
      return { query: '', call: post('application/x-www-form-urlencoded', query) };
    case 'json':
      return { query: '', call: post('application/json', stringify(parameters) ?? '') };
    case 'multipart':
      return { query: '', call: await multipart(pairs) };
  }
}

export const post = (contentType: string, body: string | Buffer): HttpCall => ({
  method: 'POST',
  headers: { 'content-type': contentType },
  body,
});

const pairsOf = (parameters: RestParameters): [string, string][] =>
  Object.entries(parameters).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((item): [string, string][] =>
      item === undefined || item === null ? [] : [[name, String(item)]],
    ),
  );

async function multipart(pairs: readonly [string, string][]): Promise<HttpCall> {
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  const encoded = new Response(form);
  const body = Buffer.from(await encoded.arrayBuffer());
  return post(encoded.headers.get('content-type') ?? '', body);
}
