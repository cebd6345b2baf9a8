import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../db/project-root.ts';
import { writeParts } from './generated-parts.ts';
import { generatedParts } from './parts.ts';

/** `npm run docs`: updates the parts of the reference pages that are generated from code. */
const folder = join(projectRoot(), 'docs/reference');
const parts = await generatedParts();
for (const name of readdirSync(folder).filter((each) => each.endsWith('.md'))) {
  const path = join(folder, name);
  const before = readFileSync(path, 'utf8');
  const after = writeParts(before, parts);
  if (after === before) continue;
  writeFileSync(path, after);
  console.log(`docs/reference/${name} was updated`);
}
