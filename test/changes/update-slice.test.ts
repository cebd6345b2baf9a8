import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putBackSlice, takeOutSlice } from '../support/database/taken-slices.ts';
import type { SlicesBody } from '../support/http/answers.ts';
import { READER, STRANGER, startEditingLab } from '../support/lab/editing-lab.ts';
import { ADA, basic, CONTEXT, type Credentials, type TestService } from '../support/lab/service.ts';

const UPDATE =
  'mutation($id: ID!, $tags: [String!]!) { updateSlice(id: $id, tags: $tags) { id tags } }';

let lab: TestService;
let id: string;
let sliceId: number;

beforeAll(async () => {
  lab = await startEditingLab({
    declaration: { nodes: [{ name: 'copy', role: 'replica', url: 'postgres://127.0.0.1:1/none' }] },
  });
  type Found = { context: { slices: { id: string; sliceId: number }[] } };
  const query = `{ context(name: "${CONTEXT}") { slices { id sliceId } } }`;
  const [slice] = (await lab.data<Found>(query)).context.slices;
  id = slice?.id ?? '';
  sliceId = slice?.sliceId ?? 0;
});

afterAll(() => lab.close());

type Answered = { updateSlice: { id: string; tags: string[] } | null };

const send = (tags: readonly string[], of = id, as: Credentials = ADA) =>
  lab.graphql<Answered>(UPDATE, { id: of, tags }, basic(as));

const tagsInRest = async () => (await lab.ok<SlicesBody>('slices')).slices.map(({ tags }) => tags);

const encode = (text: string) => Buffer.from(text).toString('base64url');

describe('updateSlice', () => {
  it('sets the tags after the one for the location, and returns them; REST lists them too', async () => {
    expect((await send(['incident 7', '🔒'])).data).toEqual({
      updateSlice: { id, tags: ['primary', 'incident 7', '🔒'] },
    });
    expect(await tagsInRest()).toEqual([['primary', 'incident 7', '🔒']]);
    expect((await send(['kept'])).data.updateSlice?.tags).toEqual(['primary', 'kept']);
    expect((await send([])).data.updateSlice?.tags).toEqual(['primary']);
  });

  it('keeps them when the slice is archived and restored', async () => {
    await send(['kept']);
    await takeOutSlice(lab, sliceId);
    expect(await tagsInRest()).toEqual([['archive', 'kept']]);
    expect((await send(['kept', 'cold'])).data.updateSlice?.tags).toEqual([
      'archive',
      'kept',
      'cold',
    ]);
    await putBackSlice(lab, sliceId);
    expect(await tagsInRest()).toEqual([['primary', 'kept', 'cold']]);
  });

  it('accepts the id of another node, and changes the slice on the primary', async () => {
    const { data } = await send(['of the copy'], encode(`Slice:${CONTEXT}@copy/${sliceId}`));
    expect(data.updateSlice).toEqual({ id, tags: ['primary', 'of the copy'] });
  });

  it('accepts 20 tags of 100 characters', async () => {
    const tags = Array.from({ length: 20 }, (_, i) => `${'🔒'.repeat(98)}${10 + i}`);
    expect((await send(tags)).data.updateSlice?.tags).toEqual(['primary', ...tags]);
  });

  it.each([
    [Array.from({ length: 21 }, String), 'tags must be a list of at most 20 tags, got 21'],
    [['a', 'primary'], /^tags\[1\] must be another tag, as this one says where the slice is/],
    [['archive'], /^tags\[0\] must be another tag/],
    [['a', 'a'], 'tags[1] must be a tag that is not given twice, got "a"'],
    [[''], /^tags\[0\] must be 1 to 100 characters/],
    [[' a'], /^tags\[0\] must be 1 to 100 characters/],
    [['a\nb'], /^tags\[0\] must be 1 to 100 characters/],
    [['x'.repeat(101)], /^tags\[0\] must be 1 to 100 characters/],
  ] satisfies [string[], string | RegExp][])('refuses %j', async (tags, message) => {
    await send(['before']);
    const { data, errors } = await send(tags);
    const told = typeof message === 'string' ? message : expect.stringMatching(message);
    expect([data, errors]).toEqual([
      { updateSlice: null },
      [expect.objectContaining({ message: told, extensions: { code: 'BAD_USER_INPUT' } })],
    ]);
    expect(await tagsInRest()).toEqual([['primary', 'before']]);
  });

  it('is null for an id of no slice or one not granted, and FORBIDDEN for a reader', async () => {
    const ids = ['', 'nonsense', encode(`Context:${CONTEXT}`), encode(`Slice:${CONTEXT}/999999`)];
    const more = [
      `${CONTEXT}/99999999999999999999`,
      `${CONTEXT}/1e0`,
      `${CONTEXT}@none/${sliceId}`,
    ];
    for (const of of [...ids, ...more.map((path) => encode(`Slice:${path}`))]) {
      const { data, errors } = await send(['x'], of);
      expect([of, data, errors]).toEqual([of, { updateSlice: null }, undefined]);
    }
    expect((await send(['x'], id, STRANGER)).text).toBe('{"data":{"updateSlice":null}}');
    expect((await send(['x'], id, READER)).errors?.[0]).toMatchObject({
      message: 'User rita needs the role editor to change context lab',
      extensions: { code: 'FORBIDDEN' },
    });
  });
});
