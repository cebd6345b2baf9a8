import fc from 'fast-check';

/** Characters of keys, and others that a parser may easily misread. */
const LITERALS = [
  '0',
  'A',
  'C',
  'a',
  'Z',
  'k',
  's',
  '_',
  ' ',
  '/',
  '😀',
  'é',
  '\u07ff',
  '\uffff',
  '\ud83d',
  '[]]',
  '0A',
  'C0',
  '0A\\.',
  '\\.',
  '\\\\',
  '\\/',
  '\\x41',
  '\\x{1f600}',
  '\\Q0A.\\E',
  '.',
  '.',
  '[0-9A-F]',
  '[^0-9]',
  '[^\\\\]',
  '[a-z]',
  '[.\\\\]',
  '[^.é]',
  '[\\x{e0}-\\x{ffff}]',
  '[0A]',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\pL',
  '\\PL',
  '[[:xdigit:]]',
  '\\p{Greek}',
];
const ASSERTIONS = ['^', '$', '\\b', '\\B', '\\A', '\\z', '(?m:^)', '(?m:$)'];
const REPETITIONS = ['*', '+', '?', '*?', '+?', '??', '{2}', '{1,3}', '{2,}', '{0}', '{0,1}?'];
const GROUPS = ['(', '(?:', '(?i:', '(?s:', '(?P<name>', '(?U:'];

const { pattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>((tie) => ({
  pattern: fc.oneof(
    { depthSize: 'small' },
    { weight: 4, arbitrary: tie('sequence') },
    { weight: 1, arbitrary: fc.tuple(tie('sequence'), tie('pattern')).map((all) => all.join('|')) },
  ),
  sequence: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join('')),
  item: fc.oneof(
    { depthSize: 'small' },
    { weight: 6, arbitrary: fc.constantFrom(...LITERALS) },
    { weight: 2, arbitrary: fc.constantFrom(...ASSERTIONS) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...LITERALS), fc.constantFrom(...REPETITIONS))
        .map((both) => both.join('')),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...GROUPS), tie('pattern'), fc.constantFrom('', '', ...REPETITIONS))
        .map(([open, inside, repetition]) => `${open}${inside})${repetition}`),
    },
  ),
}));

/** RE2 patterns; some do not compile, as two groups have the same name. */
export const PATTERNS = pattern;
