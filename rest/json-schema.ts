/** A JSON Schema of draft 2020-12, which OpenAPI 3.1 uses. */
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

/** A reference to another schema of the document, by its name there. */
export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object with these fields; `optional` fields may be absent. */
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
