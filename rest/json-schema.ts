/** A JSON Schema of draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const integer = (description: string): JsonSchema => ({ type: 'integer', description });

export const text = (description: string, examples: readonly string[] = []): JsonSchema => ({
  type: 'string',
  description,
  ...(examples.length > 0 && { examples }),
});

export const boolean = (description: string): JsonSchema => ({ type: 'boolean', description });

export const listOf = (items: JsonSchema, description: string): JsonSchema => ({
  type: 'array',
  items,
  description,
});

/** Another schema of the document, under the name that it has there. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object of these fields; those that are not always there are `optional`. */
export function objectOf(
  description: string,
  always: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: 'object',
    description,
    required: Object.keys(always),
    properties: { ...always, ...optional },
  };
}
