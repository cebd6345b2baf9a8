import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { schema } from '../../schema/schema.ts';
import { type Generated, generateOperations } from './generate-operations.ts';

const generatedFile = (name: string) => join(projectRoot(), 'web', 'generated', name);

let generated: Generated;

beforeAll(async () => {
  generated = await generateOperations();
});

describe("the page's operations", () => {
  // `npm run operations` regenerates them.
  it('are typed by the current schema', async () => {
    await expect(generated.operations).toMatchFileSnapshot(generatedFile('operations.ts'));
  });

  it('are the trusted documents that the server knows', async () => {
    await expect(generated.documents).toMatchFileSnapshot(generatedFile('documents.json'));
  });

  it('are valid for the schema, each under the hash of its text', () => {
    const documents: Record<string, string> = JSON.parse(generated.documents);
    expect(Object.keys(documents).length).toBeGreaterThan(5);
    for (const [hash, text] of Object.entries(documents)) {
      expect(validate(schema, parse(text))).toEqual([]);
      expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
    }
  });
});
