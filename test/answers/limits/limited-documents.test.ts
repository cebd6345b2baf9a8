import fc from 'fast-check';
import { buildASTSchema, parse, printSchema, visit } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../schema/schema.ts';
import { labValues } from '../../support/lab/lab-values.ts';
import { ADA, basic, CONTEXT, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { randomDocuments } from '../../support/random/random-documents.ts';
import {
  GROUPS,
  KEYS,
  LIMITS_OF_USERS,
  METERS,
  PAIRS,
  PROBES,
  randomLines,
  SPAN,
  startLimitedLab,
  startWholeLab,
  USES,
  VIA,
} from './limited-labs.ts';

const SEED = Math.floor(Math.random() * 2 ** 31);

/** The fields to ask for. Time slices and pools are those of the context, whoever asks. */
const isAsked = (type: string, field: string): boolean =>
  type === 'Query' ? field === 'context' : type !== 'Context' || !/^(slices|pools)$/.test(field);

const asked = buildASTSchema(
  visit(parse(printSchema(schema)), {
    ObjectTypeDefinition: (type) => ({
      ...type,
      fields: type.fields?.filter((field) => isAsked(type.name.value, field.name.value)) ?? [],
    }),
  }),
  { assumeValidSDL: true },
);

const documents = randomDocuments(asked, {
  directives: false,
  leaves: labValues({
    contexts: [CONTEXT],
    groups: GROUPS.map(({ guid }) => guid),
    crosskeyGroups: [PAIRS, USES, VIA],
    keys: [...KEYS.values()].flat(),
    meters: METERS.map(({ id }) => id),
    probes: PROBES,
    nodes: [],
    ids: [],
    ...SPAN,
  }),
});

let whole: TestService;
const imported = new Map<string, TestService>();

beforeAll(async () => {
  const imports = [1, 2, 3].map((n) => randomLines(SEED + n, n * 200));
  whole = await startWholeLab(imports);
  await whole.mergeNow();
  for (const [username, limit] of Object.entries(LIMITS_OF_USERS)) {
    imported.set(username, await startLimitedLab(whole, imports, { username, limits: [limit] }));
  }
});

afterAll(async () => {
  await whole.close();
  for (const lab of imported.values()) await lab.close();
});

describe('whoever is limited', () => {
  it('is answered as if only what the limit covers had been imported', async () => {
    const isSame = fc.asyncProperty(
      documents,
      fc.constantFrom(...Object.keys(LIMITS_OF_USERS)),
      async ({ query, variables, operationName }, username) => {
        const ask = async (lab: TestService) => {
          const { text } = await lab.call('/graphql', {
            method: 'POST',
            headers: { ...basic({ ...ADA, username }), 'content-type': 'application/json' },
            body: JSON.stringify({ query, variables, operationName }),
          });
          const { data, errors = [] } = JSON.parse(text) as { data: unknown; errors?: object[] };
          // Errors are listed as they occur.
          return {
            data,
            errors: errors.map((error) => JSON.stringify(error)).sort(),
            username,
            SEED,
          };
        };
        expect(await ask(whole)).toEqual(await ask(imported.get(username) as TestService));
      },
    );
    await fc.assert(isSame, { numRuns: 2 * FUZZ_CASES, endOnFailure: true });
  });
});
