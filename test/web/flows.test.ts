import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../web/src/address/address.ts';
import { colorFlows } from '../../web/src/chart/color-flows.ts';
import { layOutFlows } from '../../web/src/chart/lay-out-flows.ts';
import { type ContextChoice, completed, type GroupChoice } from '../../web/src/data/choices.ts';
import { type FlowGraph, flowGraph } from '../../web/src/data/flows/flow-graph.ts';
import { itemsOf, topVariables } from '../../web/src/data/questions.ts';

const HOSTS = '{00000001-0000-0000-0000-000000000000}';
const APPS = '{00000002-0000-0000-0000-000000000000}';
const HOST_APPS = '{00000003-0000-0000-0000-000000000000}';
const HOST_PAIRS = '{00000004-0000-0000-0000-000000000000}';

const row = (key: string, metric: number | string) => ({ key, label: key, readable: key, metric });

const crosskey = (
  parentGuid: string,
  crosskeyGuid1: string,
  crosskeyGuid2: string | null = null,
) => ({
  crosskey: { parentGuid, crosskeyGuid1, crosskeyGuid2 },
});

const named = ({ nodes, links }: FlowGraph) => ({
  nodes: nodes.map(({ column, label, metric }) => [column, label, metric]),
  links: links.map(({ metric, rows }) => [[...rows], metric]),
});

describe('the graph of pairs', () => {
  it('has a host on the left where it is the first part, and on the right where the second', () => {
    const rows = [row('a\\b', 5), row('b\\a', 3), row('a\\a', 2), row('a\\c', 0)];
    expect(named(flowGraph(rows, crosskey(HOSTS, HOSTS)))).toEqual({
      nodes: [
        [0, 'a', 7],
        [1, 'b', 5],
        [0, 'b', 3],
        [1, 'a', 5],
      ],
      links: [
        [['a\\b'], 5],
        [['b\\a'], 3],
        [['a\\a'], 2],
      ],
    });
  });

  it('of three parts adds up what two neighbouring parts have in common, with all digits', () => {
    const large = '9007199254740993';
    const rows = [row('a\\x\\1', large), row('a\\x\\2', 2), row('b\\x\\1', 3)];
    const graph = flowGraph(rows, crosskey(HOSTS, APPS, HOSTS));
    expect(named(graph).links).toEqual([
      [['a\\x\\1', 'a\\x\\2'], '9007199254740995'],
      [['a\\x\\1', 'b\\x\\1'], '9007199254740996'],
      [['a\\x\\2'], 2],
      [['b\\x\\1'], 3],
    ]);
  });

  it('tells parts with the same label apart by their readable keys', () => {
    const rows = ['1', '2'].map((key) => ({
      ...row(`${key}\\80`, 1),
      label: 'same\\http',
      readable: `10.0.0.${key}\\80`,
    }));
    const { nodes } = flowGraph(rows, crosskey(HOSTS, APPS));
    expect(nodes.map(({ label }) => label)).toEqual(['same (10.0.0.1)', 'http', 'same (10.0.0.2)']);
  });
});

describe('the picture of flows', () => {
  it('has bands as wide as their values, in two columns, even of hosts that answer each other', () => {
    const rows = [row('a\\b', 300), row('b\\a', 100), row('a\\c', 100)];
    const { nodes, links, height } = layOutFlows(flowGraph(rows, crosskey(HOSTS, HOSTS)));
    const [first, second] = links.map(({ width }) => width);
    expect((first ?? 0) / (second ?? 1)).toBeCloseTo(3);
    for (const { path } of links) expect(path).toMatch(/^M0,.*,1000,[\d.]+$/);
    for (const { top, height: own } of nodes) {
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top + own).toBeLessThanOrEqual(height);
    }
  });

  it.each([1, 100])('leaves room for a label between any two of %i pairs', (count) => {
    const rows = Array.from({ length: count }, (_, i) => row(`h${i}\\80`, 1 + 1000 * (i % 2)));
    const { nodes } = layOutFlows(flowGraph(rows, crosskey(HOSTS, APPS)));
    const left = nodes.filter(({ column }) => column === 0).sort((a, b) => a.top - b.top);
    for (const [i, node] of left.entries()) {
      const next = left[i + 1];
      if (next) expect(next.top - node.top - node.height).toBeGreaterThanOrEqual(16.9);
    }
  });

  const colored = (rows: readonly ReturnType<typeof row>[]) => {
    const placed = layOutFlows(flowGraph(rows, crosskey(HOSTS, APPS)));
    const colors = colorFlows(placed);
    const colorOf = (id = '') => colors.get(id.slice(1));
    return { placed, colors, colorOf };
  };

  it('gives every key its own colour as far as the palette goes', () => {
    const { colors } = colored(Array.from({ length: 9 }, (_, i) => row(`h${i}\\80`, 9 - i)));
    expect(new Set(colors.values()).size).toBe(10);
  });

  it('gives neighbours, and both ends of a band, different colours where they repeat', () => {
    const rows = Array.from({ length: 40 }, (_, i) => row(`h${i % 25}\\${i % 7}`, 41 - i));
    const { placed, colorOf } = colored(rows);
    for (const { source, target } of placed.links) {
      expect(colorOf(source)).not.toBe(colorOf(target));
    }
    for (const column of [0, 1]) {
      const own = placed.nodes.filter((node) => node.column === column);
      const colors = own.sort((a, b) => a.top - b.top).map(({ id }) => colorOf(id));
      expect(colors.filter((color, i) => color === colors[i + 1])).toEqual([]);
    }
  });

  it('of nothing is empty', () => {
    expect(layOutFlows({ nodes: [], links: [] })).toMatchObject({ nodes: [], links: [] });
  });
});

describe('the view of flows', () => {
  const meters: GroupChoice['meters'] = [
    { index: 0, name: 'Total bytes', units: 'bytes', type: 'VT_COUNTER', description: '' },
    { index: 3, name: 'Packets', units: 'packets', type: 'VT_COUNTER', description: '' },
  ];
  const group = (guid: string, more: Partial<GroupChoice>): GroupChoice => ({
    guid,
    name: guid,
    keyKind: 'IP',
    bucketSize: 60,
    topperBucketSize: 300,
    samplingRate: 1,
    keysOf: null,
    crosskey: null,
    drilldowns: [],
    meters,
    ...more,
  });
  const pairs = (guid: string, second: string) =>
    group(guid, { keyKind: 'CROSSKEY', ...crosskey(HOSTS, second), meters: meters.slice(0, 1) });
  const drilldowns = [HOST_APPS, HOST_PAIRS].map((guid) => ({ guid, name: guid }));
  const context: ContextChoice = {
    name: 'office',
    probes: [],
    totalWindow: null,
    counterGroups: [
      group(HOSTS, { drilldowns }),
      group(APPS, { keyKind: 'PORT', drilldowns: drilldowns.slice(0, 1) }),
      pairs(HOST_APPS, APPS),
      pairs(HOST_PAIRS, HOSTS),
    ],
  };
  const opened = (search: string) => completed(parseAddress(search), [context], 'UTC');
  const of = (guid: string) => guid.slice(1, -1);

  it.each([
    ['', HOST_PAIRS],
    [`&group=${of(HOSTS)}`, HOST_PAIRS],
    [`&group=${of(APPS)}`, HOST_APPS],
    [`&group=${of(HOST_APPS)}`, HOST_APPS],
  ])('shows for “%s” the pairs of that group', (search, guid) => {
    expect(opened(`?view=flows${search}`).group).toBe(guid);
  });

  it('takes along what also means something for pairs', () => {
    const search = `?view=flows&group=${of(HOSTS)}&meter=3&probe=p&find=a&prefix=24`;
    expect(opened(search)).toMatchObject({ meter: 0, probe: 'p', filters: [], prefix: null });
    expect(opened('?view=flows&find=a').filters).toHaveLength(1);
  });

  it('lists at least twenty pairs', () => {
    expect(itemsOf(parseAddress('?view=flows'))).toBe(20);
    expect(itemsOf(parseAddress('?view=flows&top=50'))).toBe(50);
    expect(topVariables(opened('?view=flows'), context).items).toBe(20);
    expect(topVariables(opened('?top=10'), context).items).toBe(10);
  });
});
