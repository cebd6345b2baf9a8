import { parse } from 'lossless-json';
import { type ServiceError, serviceError } from '../domain/errors.ts';
import { fromObject, fromQuery, NESTED, Parameters } from './parameters/parameters.ts';

/** Reads the parameters from a POST's body (decision 1). Errors: 400 and 415. */
export async function readBody(body: Buffer, contentType: string | null): Promise<Parameters> {
  if (body.length === 0) return new Parameters();
  switch (mediaTypeOf(contentType)) {
    case 'application/json':
      return fromObject(parseObject(body));
    case 'application/x-www-form-urlencoded':
      return fromQuery(new URLSearchParams(decode(body)));
    case 'multipart/form-data':
      return fromForm(await parseForm(body, contentType ?? ''));
    default:
      throw serviceError('unsupportedMediaType', { type: contentType ?? 'none' });
  }
}

const mediaTypeOf = (contentType: string | null): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

const unreadable = (wrong: string, cause?: unknown): ServiceError =>
  serviceError('unreadableBody', { 'what is wrong': wrong }, { cause });

function decode(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw unreadable('it is not UTF-8', cause);
  }
}

function parseObject(body: Buffer): Record<string, unknown> {
  const text = decode(body);
  let value: unknown;
  try {
    value = parse(text, undefined, exactNumber);
  } catch (cause) {
    throw unreadable('it is not JSON, or has a name twice', cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable('a JSON body must be an object');
  }
  return { ...value };
}

/** Keeps the digits of an integer, which a double might change. */
const exactNumber = (text: string): string | number => (/^-?\d+$/.test(text) ? text : Number(text));

/** Uses the types of `fetch`, which have a parser for this kind of body. */
async function parseForm(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData();
  } catch (cause) {
    throw unreadable('it is not multipart/form-data', cause);
  }
}

function fromForm(form: FormData): Parameters {
  const parameters = new Parameters();
  for (const [name, value] of form) {
    parameters.add(name, typeof value === 'string' ? value : NESTED);
  }
  return parameters;
}
