import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpAnswer } from './http-call.ts';

type Schema = Record<string, unknown>;

type Response = {
  readonly headers: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
};

type Operation = {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema }>> };
  readonly responses: Readonly<Record<string, Response>>;
};

export type OpenApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'post', Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export type DescribedAnswers = ReturnType<typeof describedAnswers>;

/** Checks the server's answers against what an OpenAPI document says of them. */
export function describedAnswers(document: OpenApi) {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  // OpenAPI's own keyword and format, which Ajv does not know.
  ajv.addVocabulary(['components']).addFormat('password', true);
  // The document allows unknown fields, as responses may gain some later; but a field that the
  // server sends today and the document does not describe is a mistake.
  const closed = JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    isObjectSchema(value) ? { ...value, additionalProperties: false } : value,
  ) as OpenApi;
  ajv.addSchema({ $id: 'api', components: closed.components });
  const validators = new Map<Schema, ValidateFunction>();
  const validatorOf = (schema: Schema): ValidateFunction => {
    const known = validators.get(schema) ?? ajv.compile(absolute(schema));
    validators.set(schema, known);
    return known;
  };

  const operation = (path: string, method: string): Operation | undefined =>
    document.paths[path]?.[method === 'POST' ? 'post' : 'get'];

  return {
    statuses: (path: string, method: string): number[] =>
      Object.keys(operation(path, method)?.responses ?? {}).map(Number),

    /** Why an answer does not match its description; empty: it does. */
    faults(path: string, method: string, { status, headers, text }: HttpAnswer): string[] {
      const response = operation(path, method)?.responses[status];
      if (!response) return [`${status} is not described`];
      const missing = Object.keys(response.headers).filter(
        (name) => response.headers[name]?.required !== false && !(name in headers),
      );
      const type = headers['content-type']?.split(';')[0] ?? '';
      const schema = response.content?.[type]?.schema;
      const faults = missing.map((name) => `${name} is missing`);
      if (!response.content) return text === '' ? faults : [...faults, 'there is a body'];
      if (!schema) return [...faults, `${type} is not described`];
      const validate = validatorOf(schema);
      const value: unknown = type === 'application/json' ? JSON.parse(text) : text;
      return validate(value) ? faults : [...faults, ajv.errorsText(validate.errors)];
    },

    /** Why parameters do not match the description of a body of this type. */
    bodyFaults(path: string, contentType: string, parameters: object): string[] {
      const schema = operation(path, 'POST')?.requestBody?.content[contentType]?.schema;
      if (!schema) return [`${contentType} is not described`];
      const validate = validatorOf(schema);
      return validate(parameters) ? [] : [ajv.errorsText(validate.errors)];
    },
  };
}

const isObjectSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;

/** Makes references point into the document, which Ajv knows as `api`. */
const absolute = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')) as Schema;
