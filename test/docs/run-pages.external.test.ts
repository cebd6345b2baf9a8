import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemo } from '../../ingest/demo/demo.ts';
import {
  cloneDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { type Block, type Page, readPages } from './pages.ts';
import { createReader, type Reader } from './reader.ts';
import { shapeFaults } from './same-shape.ts';

const RUN = ['sh', 'graphql'];

/** All pages with blocks to run; new pages are found automatically. */
const PAGES = readPages().filter(({ blocks }) =>
  blocks.some(({ language }) => RUN.includes(language)),
);

let demo: TestDatabase;
let program: BuiltProgram;
const done = { sh: 0, graphql: 0, json: 0 };

beforeAll(async () => {
  [demo, program] = await Promise.all([createTestDatabase(), buildProgram()]);
  await createDemo({ databaseUrl: demo.url, now: () => Math.floor(Date.now() / 1000) });
}, 120_000);

afterAll(async () => {
  await program?.remove();
  await demo?.drop();
  console.log(`of the pages were run: ${JSON.stringify(done)}`);
});

/** The output of a block, to compare with a later block of JSON under the same heading. */
type Given = { readonly value: unknown; readonly heading: string } | null;

describe('what the pages say', () => {
  it.each(PAGES.map((page) => [page.path, page] as const))(
    'works: %s',
    { timeout: 600_000 },
    async (_, page) => {
      const reader = await createReader(program, await cloneDatabase(demo));
      try {
        let given: Given = null;
        for (const block of page.blocks) {
          given = await doAsTold(reader, page, block, given);
        }
      } finally {
        await reader.leave();
      }
    },
  );

  it('is true about the first group of the demo', async () => {
    const tutorial = PAGES.find(({ path }) => path === 'docs/tutorial/first-steps.md');
    const [, told] = /^The first group is `(.*?)`/m.exec(tutorial?.text ?? '') ?? [];
    const command = tutorial?.blocks.find(({ heading }) => heading === '## Ask the demo');
    const reader = await createReader(program, await cloneDatabase(demo));
    try {
      const { stdout } = await reader.run(command?.text ?? '');
      expect(JSON.parse(stdout).group_details[0].name).toBe(told);
    } finally {
      await reader.leave();
    }
  });

  it('was run in every block that is marked for it, and there are many', () => {
    const marked = PAGES.flatMap(({ blocks }) => blocks.map(({ language }) => language));
    const count = (language: string) => marked.filter((each) => each === language).length;
    expect(done).toMatchObject({ sh: count('sh'), graphql: count('graphql') });
    expect(done.sh).toBeGreaterThan(10);
    expect(done.graphql).toBeGreaterThan(20);
    expect(done.json).toBeGreaterThan(2);
  });
});

async function doAsTold(reader: Reader, page: Page, block: Block, given: Given): Promise<Given> {
  const place = `${page.path}:${block.line}`;
  switch (block.language) {
    case 'sh': {
      const { status, stdout, stderr } = await reader.run(block.text);
      expect(status, `${place}\n${block.text}\n${stdout}\n${stderr}`).toBe(0);
      // curl succeeds whatever the answer is.
      expect(stdout, place).not.toMatch(/"status":"ERROR"|^\{"errors":/);
      done.sh += 1;
      return parsed(stdout, block);
    }
    case 'graphql': {
      const answer = await reader.ask(block.text);
      expect(answer.errors, `${place}\n${JSON.stringify(answer.errors)}`).toBeUndefined();
      expect(answer.data, place).not.toMatchObject({ context: null });
      done.graphql += 1;
      return { value: answer, heading: block.heading };
    }
    case 'json':
      if (given?.heading === block.heading) {
        expect(shapeFaults(JSON.parse(block.text), given.value), place).toEqual([]);
        done.json += 1;
      }
      return null;
    default:
      return null;
  }
}

function parsed(output: string, { heading }: Block): Given {
  try {
    return { value: JSON.parse(output), heading };
  } catch {
    return null;
  }
}
