import { describe, expect, it } from 'vitest';
import { keyChanges, keyTexts } from '../../web/src/data/edits/key-changes.ts';
import { mayEdit } from '../../web/src/data/edits/may-edit.ts';
import { ownTags, parseTags, tagsText } from '../../web/src/data/edits/slice-tags.ts';

const KNOWN = {
  key: '0A.00.00.01',
  label: 'files.example.com',
  description: 'the file server',
  attributes: [{ name: 'room', value: 'cellar' }],
};

const TEXTS = keyTexts(KNOWN);

const MINE = { name: 'owner', value: 'ada' };

const OPENED = { key: KNOWN.key, texts: TEXTS, newest: KNOWN };

describe('what a form changes of a key', () => {
  it('is nothing if nothing was typed, or only surrounding spaces', () => {
    expect(keyChanges(OPENED, TEXTS)).toBeNull();
    expect(keyChanges(OPENED, { ...TEXTS, label: ' files.example.com ' })).toBeNull();
    expect(
      keyChanges(OPENED, { ...TEXTS, attributes: [...TEXTS.attributes, { name: ' ', value: '' }] }),
    ).toBeNull();
  });

  it('has no outer spaces that were stored, if only something else was typed', () => {
    const stored = {
      ...KNOWN,
      label: ' files ',
      description: 'disks\n',
      attributes: [{ name: ' room', value: 'cellar ' }],
    };
    const texts = keyTexts(stored);
    const opened = { key: stored.key, texts, newest: stored };
    expect(keyChanges(opened, texts)).toBeNull();
    expect(keyChanges(opened, { ...texts, description: 'none' })).toEqual({
      key: KNOWN.key,
      description: 'none',
    });
    expect(keyChanges(opened, { ...texts, label: 'nas' })).toEqual({
      key: KNOWN.key,
      label: 'nas',
    });
  });

  it.each([
    ['a label', { label: 'nas' }, { label: 'nas' }],
    ['the removal of a label', { label: ' ' }, { label: null }],
    ['a description', { description: 'two\nlines' }, { description: 'two\nlines' }],
    ['the removal of a description', { description: '' }, { description: null }],
    [
      'all attributes, as they replace the others',
      { attributes: [...TEXTS.attributes, { name: 'owner', value: 'ada' }] },
      {
        attributes: [
          { name: 'room', value: 'cellar' },
          { name: 'owner', value: 'ada' },
        ],
      },
    ],
    ['the removal of all attributes', { attributes: [] }, { attributes: [] }],
  ])('is only what differs: %s', (_, typed, changes) => {
    expect(keyChanges(OPENED, { ...TEXTS, ...typed })).toEqual({ key: KNOWN.key, ...changes });
  });

  it('is not what another editor changed while the form was open', () => {
    const newest = {
      ...KNOWN,
      label: 'theirs',
      attributes: [
        { name: 'room', value: 'attic' },
        { name: 'rack', value: '7' },
      ],
    };
    const opened = { key: KNOWN.key, texts: TEXTS, newest };
    expect(keyChanges(opened, TEXTS)).toBeNull();
    expect(keyChanges(opened, { ...TEXTS, description: 'mine' })).toEqual({
      key: KNOWN.key,
      description: 'mine',
    });
  });

  it.each([
    ['one more', [{ name: 'room', value: 'cellar' }, MINE], ['room=attic', 'rack=7', 'owner=ada']],
    ['another value', [{ name: 'room', value: 'loft' }], ['rack=7', 'room=loft']],
    ['another name', [{ name: 'place', value: 'cellar' }], ['rack=7', 'place=cellar']],
    ['one less', [], ['rack=7']],
  ])('keeps attributes that another editor changed: %s', (_, typed, sent) => {
    const attributes = [
      { name: 'room', value: 'attic' },
      { name: 'rack', value: '7' },
    ];
    const opened = { key: KNOWN.key, texts: TEXTS, newest: { ...KNOWN, attributes } };
    const changes = keyChanges(opened, { ...TEXTS, attributes: typed });
    const attributeTexts = (changes?.attributes ?? []).map(({ name, value }) => `${name}=${value}`);
    expect(attributeTexts).toEqual(sent);
  });

  it('has a name twice if it was typed twice, for the server to refuse it', () => {
    const typed = [...TEXTS.attributes, { name: 'room', value: 'attic' }];
    const attributes = [...TEXTS.attributes, { name: 'rack', value: '7' }];
    const opened = { key: KNOWN.key, texts: TEXTS, newest: { ...KNOWN, attributes } };
    expect(keyChanges(opened, { ...TEXTS, attributes: typed })?.attributes).toEqual(typed);
  });

  it('can be of a key of which nothing was known', () => {
    const unknown = { key: 'k', label: 'k', description: null, attributes: null };
    const opened = { key: 'k', texts: keyTexts(unknown), newest: unknown };
    expect(keyChanges(opened, opened.texts)).toBeNull();
    expect(keyChanges(opened, { ...opened.texts, description: 'x' })).toEqual({
      key: 'k',
      description: 'x',
    });
  });
});

describe('the tags of a slice', () => {
  it('are separated by commas, and kept once each', () => {
    expect(parseTags(' incident 7, audit,, audit , ')).toEqual(['incident 7', 'audit']);
    expect(parseTags('')).toEqual([]);
  });

  it('are in quotes if they have a comma or quotes', () => {
    const tags = ['rack 4, row 2', 'audit', 'the "big" one', '"'];
    expect(tagsText(tags)).toBe('"rack 4, row 2", audit, "the ""big"" one", """"');
    expect(parseTags(tagsText(tags))).toEqual(tags);
    expect(parseTags('a 5" disk, x')).toEqual(['a 5" disk', 'x']);
    expect(parseTags('"open, x')).toEqual(['"open', 'x']);
  });

  it('are without those that say where the slice is', () => {
    expect(ownTags(['primary', 'audit'])).toEqual(['audit']);
    expect(ownTags(['archive'])).toEqual([]);
  });
});

describe('changes', () => {
  const data = { viewer: { editableContexts: [{ name: 'lab' }] } };
  const place = { context: 'lab', node: null, fromDr: false };

  it.each([
    ['are offered to editors', data, place, true],
    ['are not offered before the user is known', null, place, false],
    ['are not offered in another context', data, { ...place, context: 'office' }, false],
    ['are not offered on a recovery node', data, { ...place, fromDr: true }, false],
    ['are not offered on another node', data, { ...place, node: 'reports' }, false],
  ] as const)('%s', (_, asked, at, is) => {
    expect(mayEdit(asked, at)).toBe(is);
  });
});
