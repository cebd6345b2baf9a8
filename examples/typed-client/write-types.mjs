// node write-types.mjs FILE: writes the schema as the types that gql.tada reads. (`gql.tada generate
// output` does the same, but not with TypeScript 7 yet.)
import { readFileSync, writeFileSync } from 'node:fs';
import { minifyIntrospection, outputIntrospectionFile } from '@gql.tada/internal';
import { buildSchema, introspectionFromSchema } from 'graphql';

const [file] = process.argv.slice(2);
if (!file) throw new Error('say where to write: node write-types.mjs FILE');
const text = readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8');
const introspection = introspectionFromSchema(buildSchema(text), {
  descriptions: false,
  oneOf: true,
});
const types = outputIntrospectionFile(minifyIntrospection(introspection), {
  fileType: '.d.ts',
  shouldPreprocess: true,
});
writeFileSync(file, types);
