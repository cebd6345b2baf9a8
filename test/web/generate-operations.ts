import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import {
  buildSchema,
  concatAST,
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  print,
  separateOperations,
  stripIgnoredCharacters,
} from 'graphql';
import { projectRoot } from '../../db/project-root.ts';

export type Generated = {
  /** `web/generated/operations.ts`: what the page sends, and what it gets. */
  readonly operations: string;
  /** `web/generated/documents.json`: hash → document, as `serve --documents` takes them. */
  readonly documents: string;
};

/** The page's operations from `web/operations`, typed by the committed schema. */
export async function generateOperations(): Promise<Generated> {
  const root = projectRoot();
  const schema = parse(await readFile(join(root, 'schema', 'schema.graphql'), 'utf8'));
  const document = await readOperations(join(root, 'web', 'operations'));
  const types = await codegen({
    schema,
    schemaAst: buildSchema(print(schema)),
    documents: [{ location: 'web/operations', document }],
    filename: 'operations.ts',
    config: TYPES,
    plugins: [{ operations: {} }],
    pluginMap: { operations: typescriptOperations },
  });
  const texts = Object.entries(separateOperations(document)).map(([name, operation]) => {
    const text = stripIgnoredCharacters(print(operation));
    const kind = KINDS[getOperationAST(operation)?.operation ?? OperationTypeNode.QUERY];
    return { name, kind, text, hash: createHash('sha256').update(text).digest('hex') };
  });
  return {
    operations: [HEAD, types, ...texts.map(constantOf)].join('\n'),
    documents: `${JSON.stringify(
      Object.fromEntries(texts.map(({ hash, text }) => [hash, text])),
      null,
      2,
    )}\n`,
  };
}

/** The suffix of the names of an operation's types. */
const KINDS: Readonly<Record<OperationTypeNode, string>> = {
  query: 'Query',
  mutation: 'Mutation',
  subscription: 'Subscription',
};

const HEAD = `// Generated from web/operations and schema/schema.graphql by \`npm run operations\`.

import { type Operation, operation } from '../src/api/operation.ts';
`;

const TYPES = {
  scalars: {
    BigInt: 'number | string',
    EpochSeconds: 'number',
    Guid: 'string',
  },
  strictScalars: true,
  enumType: 'string-literal',
  immutableTypes: true,
  skipTypename: true,
  useTypeImports: true,
};

type NamedText = { readonly name: string; readonly kind: string; readonly hash: string };

const constantOf = ({ name, kind, hash }: NamedText): string =>
  `export const ${name}: Operation<${name}${kind}, ${name}${kind}Variables> = operation('${name}', '${hash}');`;

/** All files as one document; each name occurs once. */
async function readOperations(folder: string): Promise<DocumentNode> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.graphql')).sort();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  const document = concatAST(files.map((text) => parse(text, { noLocation: true })));
  return { kind: Kind.DOCUMENT, definitions: [...document.definitions].sort(byName) };
}

const nameOf = (definition: { readonly kind: Kind }): string => {
  const { name, kind } = definition as OperationDefinitionNode | FragmentDefinitionNode;
  return `${kind === Kind.FRAGMENT_DEFINITION ? 1 : 0}${name?.value}`;
};

const byName = (a: { readonly kind: Kind }, b: { readonly kind: Kind }): number =>
  nameOf(a) < nameOf(b) ? -1 : 1;
