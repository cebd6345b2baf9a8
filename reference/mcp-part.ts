import { DESCRIPTIONS } from '../mcp/mcp-server.ts';
import { code, markdownTable } from './markdown-table.ts';

/** What is used here of a JSON Schema. */
type Schema = {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
};

/** The tools of MCP, each with its arguments. */
export const mcpPart = (): string => DESCRIPTIONS.map(toolPart).join('\n\n');

function toolPart({ name, description, inputSchema }: (typeof DESCRIPTIONS)[number]): string {
  // A JSON Schema as zod makes it.
  const rows = argumentRows(inputSchema as Schema, '');
  const table = markdownTable(['argument', 'form', 'default', 'meaning'], rows);
  const told = rows.length === 0 ? 'It takes no arguments.' : table;
  return `### ${code(name)}\n\n${description}\n\n${told}`;
}

function argumentRows({ properties = {}, required = [] }: Schema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [
      code(prefix + name),
      formOf(schema),
      defaultOf(schema, required.includes(name)),
      schema.description ?? '',
    ],
    ...argumentRows(schema, `${prefix}${name}.`),
  ]);
}

function formOf({ type, anyOf, minimum, maximum, ...schema }: Schema): string {
  if (schema.enum) return schema.enum.map(code).join(', ');
  if (anyOf) return anyOf.map(formOf).join(' or ');
  if (typeof type === 'object') return type.join(' or ');
  const isBounded = minimum !== undefined && maximum !== undefined;
  const range = isBounded ? ` from ${minimum} to ${maximum}` : '';
  return `${type === 'array' ? 'list of strings' : (type ?? 'any')}${range}`;
}

function defaultOf(schema: Schema, isRequired: boolean): string {
  if (schema.default !== undefined) return code(JSON.stringify(schema.default));
  return isRequired ? 'required' : '';
}
