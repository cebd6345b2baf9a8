import { expect } from 'vitest';
import { guidOf, T0 } from '../support/lab/lab.ts';

export const GROUP = guidOf(1);
export const OTHER = guidOf(2);

export const WINDOW = `window: {interval: {from: ${T0}, to: ${T0 + 600}}}`;

export const QUESTION = `{ context(name: "lab") {
  id nodeName haSlaveMode
  one: counterGroup(guid: "${GROUP}") {
    topper(${WINDOW}, maxItems: 2, filter: {match: "^total"}) { total keys { key label metric } }
    keys(first: 1, search: "key") { totalCount }
    key(key: "total") { label }
  }
  two: counterGroup(guid: "${OTHER}") { topper(${WINDOW}) { total keys { series { value } } } }
} }`;

/** Like QUESTION, without the fields that prevent caching. */
export const REMEMBERED = QUESTION.replace('nodeName haSlaveMode', '');

export type Answer = {
  context: {
    id: string;
    nodeName: string;
    haSlaveMode: boolean;
    one: {
      topper: { total: number; keys: { key: string; label: string; metric: number }[] };
      keys: { totalCount: number };
      key: { label: string };
    };
    two: { topper: { total: number; keys: { series: { value: number }[] }[] } };
  };
};

/** Returns which import an answer reflects; fails if its parts reflect several. */
export function stateOf({ context: { one, two } }: Answer): number {
  const n = one.topper.total / 1001;
  expect({ one, two }).toEqual({
    one: {
      topper: { total: 1001 * n, keys: [{ key: 'total', label: `label ${n}`, metric: n }] },
      keys: { totalCount: n },
      key: { label: `label ${n}` },
    },
    two: { topper: { total: 7 * n, keys: [{ series: [{ value: 7 * n }] }] } },
  });
  return n;
}
