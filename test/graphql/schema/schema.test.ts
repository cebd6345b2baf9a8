import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  astFromValue,
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isSpecifiedScalarType,
  print,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { schema } from '../../../schema/schema.ts';

const DUMP = join(projectRoot(), 'schema', 'schema.graphql');
const REQUIRED = join(projectRoot(), 'test', 'graphql', 'schema', 'required-schema.graphql');

/** The types that are not part of GraphQL itself. */
const typesOf = (of: GraphQLSchema): GraphQLNamedType[] =>
  Object.values(of.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );

type Member = { readonly place: string; readonly shape: string; readonly description: unknown };

const withDefault = ({ type, defaultValue }: GraphQLArgument | GraphQLInputField): string => {
  const ast = defaultValue === undefined ? null : astFromValue(defaultValue, type);
  return ast ? `${type} = ${print(ast)}` : String(type);
};

/** A type and everything in it, each with its whole shape on one line. */
function membersOf(type: GraphQLNamedType): Member[] {
  const { name, description } = type;
  const self = (shape: string): Member => ({ place: name, shape, description });
  if (isEnumType(type)) {
    const values = type.getValues().map((value) => ({
      place: `${name}.${value.name}`,
      shape: 'value',
      description: value.description,
    }));
    return [self('enum'), ...values];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) => ({
      place: `${name}.${field.name}`,
      shape: withDefault(field),
      description: field.description,
    }));
    return [self(type.isOneOf ? 'input @oneOf' : 'input'), ...fields];
  }
  if (isObjectType(type) || isInterfaceType(type)) {
    const parents = type.getInterfaces().map((parent) => ({
      place: `${name} implements ${parent.name}`,
      shape: 'yes',
      description: 'inherited',
    }));
    const kind = isInterfaceType(type) ? 'interface' : 'type';
    return [self(kind), ...parents, ...Object.values(type.getFields()).flatMap(fieldsOf(name))];
  }
  return [self('scalar')];
}

const fieldsOf =
  (type: string) =>
  (field: GraphQLField<unknown, unknown>): Member[] => [
    {
      place: `${type}.${field.name}`,
      shape: String(field.type),
      description: field.description,
    },
    ...field.args.map((arg) => ({
      place: `${type}.${field.name}(${arg.name})`,
      shape: withDefault(arg),
      description: arg.description,
    })),
  ];

const shapesOf = (of: GraphQLSchema): Record<string, string> =>
  Object.fromEntries(
    typesOf(of)
      .flatMap(membersOf)
      .map(({ place, shape }) => [place, shape]),
  );

describe('the GraphQL schema', () => {
  it('equals the committed dump (UPDATE_DUMPS=1 rewrites it)', async () => {
    const printed = `${printSchema(schema)}\n`;
    if (process.env['UPDATE_DUMPS'] === '1') await writeFile(DUMP, printed);
    expect(await readFile(DUMP, 'utf8')).toBe(printed);
  });

  it('has everything that callers rely on, in exactly those shapes', async () => {
    const required = shapesOf(buildSchema(await readFile(REQUIRED, 'utf8')));
    const actual = shapesOf(schema);
    expect(Object.keys(required).length).toBeGreaterThan(200);
    const found = Object.keys(required).map((place) => [place, actual[place]]);
    expect(Object.fromEntries(found)).toEqual(required);
  });

  it('requires no argument or input field that callers do not know', async () => {
    const required = shapesOf(buildSchema(await readFile(REQUIRED, 'utf8')));
    const unknown = typesOf(schema).flatMap((type) => {
      if (isInputObjectType(type)) {
        return Object.values(type.getFields())
          .filter(isRequiredInputField)
          .map((field) => `${type.name}.${field.name}`);
      }
      if (!isObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) =>
        field.args
          .filter(isRequiredArgument)
          .map((arg) => `${type.name}.${field.name}(${arg.name})`),
      );
    });
    expect(unknown.filter((place) => !(place in required))).toEqual([]);
  });

  it('describes every type, field, argument, enum value and input field', () => {
    const silent = typesOf(schema)
      .flatMap(membersOf)
      .filter(({ description }) => typeof description !== 'string' || description.trim() === '');
    expect(silent.map(({ place }) => place)).toEqual([]);
  });
});
