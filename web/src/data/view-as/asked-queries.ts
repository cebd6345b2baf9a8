import type { Address } from '../../address/address.ts';
import type { ContextChoice } from '../choices.ts';
import { topVariables } from '../questions.ts';
import { trendVariables } from '../trend/trend-question.ts';
import { type GivenVariables, type WrittenQuery, writtenQuery } from './written-query.ts';

type Subject = ReturnType<typeof trendVariables> | ReturnType<typeof topVariables>;

export const ofContext = ({
  context,
  node,
  fromDr,
}: Pick<Subject, 'context' | 'node' | 'fromDr'>) =>
  ({
    context: ['String!', context],
    node: ['String', node ?? null],
    fromDr: ['Boolean!', fromDr],
  }) as const satisfies GivenVariables;

export const IN_CONTEXT = [['name', 'context'], ['destinationNode', 'node'], 'fromDr'] as const;

/** Only names of windows depend on the zone. */
export const zoneOf = ({
  window,
  timeZone,
}: Pick<Subject, 'window' | 'timeZone'>): string | null =>
  'preset' in window && window.preset ? timeZone : null;

const ofSubject = (asked: Subject) =>
  ({
    ...ofContext(asked),
    group: ['Guid!', asked.group],
    meter: ['Int!', asked.meter],
    window: ['WindowInput!', asked.window],
    timeZone: ['String!', zoneOf(asked)],
    probe: ['String', asked.probe ?? null],
    filter: ['KeyFilterInput', asked.filter ?? null],
    items: ['Int!', asked.items],
  }) as const satisfies GivenVariables;

const OF_TOPPER = ['meter', 'window', 'timeZone', 'probe'] as const;

/** Returns a query for the table and the chart of the largest keys. */
export function topQuery(address: Address, choice: ContextChoice | null): WrittenQuery {
  const asked = topVariables(address, choice);
  const { hidden } = address;
  const given: GivenVariables = {
    ...ofSubject(asked),
    rankBy: ['RankBy!', asked.rankBy === 'METRIC' ? null : asked.rankBy],
    percentile: ['Float', asked.percentile ?? null],
    rankAgo: ['Int', asked.rankAgo ?? null],
    prefix: ['PrefixInput', asked.prefix ?? null],
    charted: ['Int!', asked.charted],
    step: ['Int', asked.step ?? null],
    ago: ['Int', asked.ago ?? null],
    ranks: ['[Float!]!', [asked.shownPercentile]],
    hidden: ['KeyFilterInput', hidden.length > 0 ? { keys: hidden } : null],
    hiddenItems: ['Int!', hidden.length > 0 ? hidden.length : null],
  };
  const ranked = [...OF_TOPPER, 'filter', 'rankBy', 'percentile', ['ago', 'rankAgo']] as const;
  return writtenQuery('TopKeys', given, (args) => {
    const topper = (most: string) => args([...ranked, 'prefix', ['maxItems', most]]);
    const left = args([...OF_TOPPER, ['filter', 'hidden'], 'prefix', ['maxItems', 'hiddenItems']]);
    return `  context${args(IN_CONTEXT)} {
    counterGroup${args([['guid', 'group']])} {
      name
      topper${topper('items')} {
        window { from to }
        total
        othersMatching
        matching { total share keyCount }
        keys {
          rank
          key
          label
          readable
          metric
          rankValue
          volume
          share
          averageRate
          peak
          percentiles${args(['ranks'])} { rank value }
          previous${args(['ago'])} { metric rank changeRatio window { from to } }
        }
      }
      chart: topper${topper('charted')} {
        keys { key label series${args(['step'])} { at value } }
        matching { series${args(['step'])} { at value } }
      }${hidden.length === 0 ? '' : HIDDEN(left)}
    }
  }`;
  });
}

const HIDDEN = (args: string) => `
      # The page subtracts these from the total.
      hidden: topper${args} {
        keys { key label metric volume }
      }`;

/** Returns a query for the largest keys of each step, and for the totals of the window. */
export function trendQuery(address: Address, choice: ContextChoice | null): WrittenQuery {
  const asked = trendVariables(address, choice);
  const hidden = [asked.hidden ?? []].flat();
  const given: GivenVariables = {
    ...ofSubject(asked),
    every: ['Int!', asked.every],
    rows: ['Int!', asked.rows],
    hidden: ['KeyFilterInput', hidden.length > 0 ? { keys: hidden } : null],
    hiddenItems: ['Int!', hidden.length > 0 ? hidden.length : null],
  };
  return writtenQuery('Trend', given, (args) => {
    const left = args([...OF_TOPPER, ['filter', 'hidden'], ['maxItems', 'hiddenItems']]);
    return `  context${args(IN_CONTEXT)} {
    counterGroup${args([['guid', 'group']])} {
      name
      topperTrend${args(['every', ...OF_TOPPER, 'filter', ['maxItems', 'items']])} {
        window { from to }
        total
        keys { rank key label readable metric }
      }
      whole: topper${args([...OF_TOPPER, 'filter', ['maxItems', 'rows']])} {
        total
        keyCount
        matching { total share keyCount }
        keys { key metric }
      }${hidden.length === 0 ? '' : HIDDEN(left)}
    }
  }`;
  });
}

/** Returns a query for the rules, what fires, and a page of events. */
export function alertsQuery(address: Address, events: number): WrittenQuery {
  const { context, node, fromDr, alert, after } = address;
  const given: GivenVariables = {
    ...ofContext({ context: context ?? '', node, fromDr }),
    alert: ['String', alert],
    events: ['Int!', events],
    after: ['String', after],
  };
  return writtenQuery(
    'Alerts',
    given,
    (args) => `  context${args(IN_CONTEXT)} {
    alerts {
      name
      severity
      description
      enabled
      condition
      counterGroup { name }
      meter { name units }
      evaluatedTo
      firing { startedAt value peakValue key { key label readable } }
    }
    alertEvents${args(['alert', ['first', 'events'], 'after'])} {
      edges {
        node {
          startedAt
          endedAt
          value
          peakValue
          key { key label readable }
          alert { name severity condition }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  );
}

/** Returns a query for slices and pools. */
export function storageQuery({ context, node, fromDr }: Address): WrittenQuery {
  return writtenQuery(
    'Storage',
    ofContext({ context: context ?? '', node, fromDr }),
    (args) => `  context${args(IN_CONTEXT)} {
    slices(allEngines: true) {
      name
      engine
      status
      tags
      path
      diskSize
      timeInterval { from to }
    }
    pools {
      name
      status
      fileSystem
      totalSize
      availSize
      offlineArchive
      additionalInfo
    }
  }`,
  );
}
