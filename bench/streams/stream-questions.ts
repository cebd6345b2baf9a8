import { CONTEXT } from '../systems/declaration.ts';

/** A subscription, and the query that must have the same answer. */
export type StreamQuestion = {
  readonly subscription: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
};

/** Two meters of each of the eight groups that flows fill (operations, "Flows to counters"). */
const GROUPS: readonly { readonly guid: string; readonly meters: readonly [number, number] }[] = [
  { guid: '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}', meters: [0, 3] },
  { guid: '{889900CC-0063-11A5-8380-FEBDBABBDBEA}', meters: [0, 3] },
  { guid: '{00AA77BB-0063-11A5-8380-FEBDBABBDBEA}', meters: [0, 3] },
  { guid: '{C51B48D4-7876-479E-B0D9-BD9EFF03CE2E}', meters: [0, 4] },
  { guid: '{E89BCD56-30AD-40F5-B1C8-8B7683F440BD}', meters: [0, 1] },
  { guid: '{393B5EBC-AB41-4387-8F31-8077DB917336}', meters: [0, 1] },
  { guid: '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A01}', meters: [0, 4] },
  { guid: '{7A0C1B52-5D34-4B1E-9C1B-6D0B6E1F0A02}', meters: [0, 4] },
];

/** None depends on the clock: every commit changes the answers, and nothing else does. */
const WINDOWS = [{ recentSeconds: 900 }, { recentSeconds: 3600 }, { preset: 'ALL_AVAILABLE' }];

const DECLARED = '$context: String!, $group: Guid!, $meter: Int!, $window: WindowInput!';

const FIELDS = '{ window { from to } total others keyCount keys { key label metric share } }';

const TOPPER = `topper(counterGroup: $group, meter: $meter, window: $window, maxItems: 50)`;

const toppers: readonly StreamQuestion[] = GROUPS.flatMap(({ guid, meters }) =>
  meters.flatMap((meter) =>
    WINDOWS.map((window) => ({
      subscription: `subscription (${DECLARED}) {
        it: ${TOPPER.replace('(', '(context: $context, ')} ${FIELDS} }`,
      query: `query (${DECLARED}) { context(name: $context) { counterGroup(guid: $group) {
        it: ${TOPPER.replace('counterGroup: $group, ', '')} ${FIELDS} } } }`,
      variables: { context: CONTEXT, group: guid, meter, window },
    })),
  ),
);

const CONTEXT_FIELDS = [
  '{ counterGroups { guid timeInterval { from to } } }',
  '{ name counterGroups { guid name timeInterval { to } } }',
];

const contexts: readonly StreamQuestion[] = CONTEXT_FIELDS.map((fields) => ({
  subscription: `subscription ($context: String!) { it: contextChanged(name: $context) ${fields} }`,
  query: `query ($context: String!) { it: context(name: $context) ${fields} }`,
  variables: { context: CONTEXT },
}));

/** Fifty different questions. */
export const QUESTIONS: readonly StreamQuestion[] = [...toppers, ...contexts];
