import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** Arguments as written in a document, parentheses included, by `Type.field`. */
export type WalkArguments = Readonly<Record<string, string>>;

/** A field, and how a document asks for it. */
export type Walked = {
  /** `Type.field` */
  readonly field: string;
  /** The names of the fields that lead to it, itself included. */
  readonly path: readonly string[];
  /** What to select on the type where the walk begins. */
  readonly selection: string;
};

/** The object types of a schema, without those of introspection. */
export const objectTypes = (schema: GraphQLSchema): GraphQLObjectType[] =>
  Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'));

/**
 * Every field of every object type that can be reached from `start` through object fields, each by
 * the shortest path. They come from the schema, so new fields are included automatically. Throws if
 * a field lacks a required argument.
 */
export function walk(schema: GraphQLSchema, start: string, given: WalkArguments): Walked[] {
  const ways = new Map<string, readonly Step[]>([[start, []]]);
  const walked: Walked[] = [];
  for (const [name, way] of ways) {
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const step = stepOf(type, field, given);
      const target = getNamedType(field.type);
      const steps = [...way, step];
      const leaves = isLeafType(target) ? '' : `{ ${leavesOf(schema, target.name)} }`;
      walked.push({
        field: `${name}.${field.name}`,
        path: steps.map((each) => each.name),
        selection: steps.reduceRight(
          (below, { text }) =>
            `${text} ${below === '' ? '' : below.startsWith('{') ? below : `{ ${below} }`}`,
          leaves,
        ),
      });
      if (isObjectType(target) && !ways.has(target.name)) ways.set(target.name, steps);
    }
  }
  return walked;
}

type Step = { readonly name: string; readonly text: string };

function stepOf(
  type: GraphQLObjectType,
  { name, args }: GraphQLField<unknown, unknown>,
  given: WalkArguments,
): Step {
  const field = `${type.name}.${name}`;
  const text = given[field];
  if (text === undefined && args.some(isRequiredArgument)) {
    throw new Error(`${field} has to have arguments: say in the test how it is asked for`);
  }
  return { name, text: `${name}${text ?? ''}` };
}

/** All leaf fields that take no arguments. */
function leavesOf(schema: GraphQLSchema, name: string): string {
  const type = schema.getType(name);
  const fields = type && 'getFields' in type ? Object.values(type.getFields()) : [];
  const leaves = fields.filter(
    (field) => isLeafType(getNamedType(field.type)) && !('args' in field && field.args.length > 0),
  );
  return ['__typename', ...leaves.map((field) => field.name)].join(' ');
}

/** Whether an answer has objects all the way down to the field at `path`. */
export function reaches(data: unknown, path: readonly string[]): boolean {
  if (Array.isArray(data)) return data.some((item) => reaches(item, path));
  const [first, ...rest] = path;
  if (first === undefined) return true;
  if (typeof data !== 'object' || data === null || !(first in data)) return false;
  return rest.length === 0 || reaches(data[first as keyof typeof data], rest);
}

/** Every string and number in an answer as text, with the name of its field. */
export function valuesIn(data: unknown, name = ''): [name: string, value: string][] {
  if (Array.isArray(data)) return data.flatMap((item) => valuesIn(item, name));
  if (typeof data === 'object' && data !== null) {
    return Object.entries(data).flatMap(([field, value]) => valuesIn(value, field));
  }
  return typeof data === 'string' || typeof data === 'number' ? [[name, String(data)]] : [];
}
