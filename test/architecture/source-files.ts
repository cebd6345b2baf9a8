import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { parseSync } from 'oxc-parser';
import { projectRoot } from '../../db/project-root.ts';
import { hasCode } from '../../domain/has-code.ts';

/** A source file and its imports: own files as paths from the root, and names of packages. */
export type SourceFile = {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
};

export const LAYER_FOLDERS = [
  'domain',
  'db',
  'access',
  'segments',
  'engine/kernel',
  'engine',
  'resolvers/loaders',
  'resolvers',
  'schema',
  'rest',
  'store',
  'postgres',
  'export',
  'ingest',
  'mcp',
  'parity',
  'server',
  'cli',
  'web/generated',
  'web/src',
] as const;

export type Layer = (typeof LAYER_FOLDERS)[number];

/** The layer of a file: the most specific folder that contains it. */
export const layerOf = (path: string): Layer | null =>
  LAYER_FOLDERS.find((folder) => path.startsWith(`${folder}/`)) ?? null;

/** Reads every TypeScript file of the layers, or below `folders`. */
export function readSources(
  folders: readonly string[] = LAYER_FOLDERS.filter((folder) => !isWithinAnother(folder)),
): SourceFile[] {
  const root = projectRoot();
  return folders.flatMap((folder) =>
    filesBelow(join(root, folder)).map((file) => readSource(root, file)),
  );
}

const isWithinAnother = (folder: string): boolean =>
  LAYER_FOLDERS.some((other) => folder.startsWith(`${other}/`));

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.split(sep).includes('node_modules'))
      .map((name) => join(folder, name));
  } catch (error) {
    // The table may list a layer that has no code yet.
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function readSource(root: string, file: string): SourceFile {
  const text = readFileSync(file, 'utf8');
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      text.slice(moduleRequest.start, moduleRequest.end).replace(/^['"`]|['"`]$/g, ''),
    ),
  ];
  const own = specifiers.filter((specifier) => specifier.startsWith('.'));
  return {
    path: relative(root, file),
    text,
    imports: [...new Set(own.map((specifier) => relative(root, join(dirname(file), specifier))))],
    packages: [
      ...new Set(
        specifiers
          .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
          .map((specifier) =>
            specifier
              .split('/')
              .slice(0, specifier.startsWith('@') ? 2 : 1)
              .join('/'),
          ),
      ),
    ],
  };
}
