import { PREFIX, windowsOf } from '../questions/cases.ts';
import { CONTEXT, GROUP } from '../systems/declaration.ts';
import { type TrafficShape, trafficKeys } from '../traffic/traffic.ts';

/** A question in GraphQL that every version is asked. */
export type VersionCase = {
  readonly name: string;
  /** Whether it is also measured while everything it needs is cached. */
  readonly warm: boolean;
  readonly query: string;
  readonly variables: object;
};

/** Without the number of keys, for which all keys of the window are needed. */
const PLAIN = 'total others keys { key metric }';

const PERCENTILES = 'keys { key metric percentiles(ranks: [50, 95, 99]) { value } }';

/** Steps of five minutes: a day has 288. */
const TREND = 'topperTrend(window: $window, every: 300, maxItems: 10)';

const topper = (args: string): string => `topper(window: $window, maxItems: 100, ${args})`;

export type Window = { readonly from: number; readonly to: number };

const caseOf = (name: string, { from, to }: Window, field: string): VersionCase => ({
  name,
  warm: false,
  query: `query ($context: String!, $group: Guid!, $window: WindowInput!) {
    context(name: $context) { counterGroup(guid: $group) { ${field} } }
  }`,
  variables: { context: CONTEXT, group: GROUP, window: { interval: { from, to } } },
});

/** The 100 largest keys of each window of `toppers`. */
export const plainCases = (shape: TrafficShape): VersionCase[] =>
  windowsOf(shape).map((window) => ({
    ...caseOf(window.window, window, `${topper('meter: 0')} { ${PLAIN} }`),
    warm: true,
  }));

/** The same, and what depends most on how readings are stored: only with empty caches. */
export function versionCases(shape: TrafficShape): VersionCase[] {
  const [hour, day, week, ragged] = windowsOf(shape);
  if (!hour || !day || !week || !ragged) throw new Error('there must be a window of each length');
  const minute = { ...hour, from: hour.from + 1800, to: hour.from + 1860 };
  const filter = `filter: { match: ${JSON.stringify(PREFIX.pattern)} }`;
  const rare = `filter: { keys: ["${rareKey(shape)}"] }`;
  const { window: days } = week;
  return [
    ...plainCases(shape),
    caseOf(
      `${ragged.window}, number of keys`,
      ragged,
      `${topper('meter: 0')} { keyCount ${PLAIN} }`,
    ),
    caseOf('1h, filter', hour, `${topper(filter)} { ${PLAIN} }`),
    caseOf('a minute', minute, `${topper('meter: 0')} { ${PLAIN} }`),
    caseOf(`${days}, percentiles`, week, `${topper('meter: 0')} { ${PERCENTILES} }`),
    caseOf(`${days}, percentiles, filter`, week, `${topper(filter)} { ${PERCENTILES} }`),
    caseOf(`${days}, a rare key`, week, `${topper(rare)} { keys { key series { at value } } }`),
    caseOf('24h, trend', day, `${TREND} { window { from to } ${PLAIN} }`),
    caseOf('24h, PEAK', day, `${topper('rankBy: PEAK')} { total keys { key rankValue } }`),
    caseOf(`${days}, PEAK`, week, `${topper('rankBy: PEAK')} { total keys { key rankValue } }`),
  ];
}

/** A plain topper, and the same with the number of keys, for which no head is enough. */
export function nearlyWhole(
  window: Window,
): Pick<VersionCase, 'query' | 'variables'> & { readonly fullQuery: string } {
  const { query, variables } = caseOf('', window, `${topper('meter: 0')} { ${PLAIN} }`);
  const full = caseOf('', window, `${topper('meter: 0')} { keyCount ${PLAIN} }`);
  return { query, variables, fullQuery: full.query };
}

/** A key of about five samples. By Zipf's law, its id is a share of the number of samples. */
function rareKey({ samples }: TrafficShape): string {
  const keys = trafficKeys();
  const key = keys[Math.min(keys.length - 1, Math.floor(samples / 65))];
  if (key === undefined) throw new Error('there must be a key');
  return key;
}
