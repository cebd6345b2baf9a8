import { CONTEXT, GROUP } from '../systems/declaration.ts';
import type { GraphClient } from '../systems/graph-client.ts';
import { DAY_SECONDS, START } from '../traffic/traffic.ts';

/** A kind of question. `turn` makes each one different, so that cached answers do not count. */
export type ChurnCase = {
  readonly name: string;
  ask(client: GraphClient, turn: number): Promise<unknown>;
};

export type DayTopper = {
  readonly total: number;
  readonly keyCount: number;
  readonly keys: readonly { readonly key: string; readonly metric: number }[];
};

const TOPPER = `query ($context: String!, $group: Guid!, $window: WindowInput!,
    $filter: KeyFilterInput, $maxItems: Int!) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topper(meter: 0, window: $window, filter: $filter, maxItems: $maxItems) {
        total keyCount keys { key metric }
      }
    }
  }
}`;

/** By any ranking, of keys or of networks. */
const RANKED = `query ($context: String!, $group: Guid!, $window: WindowInput!, $ago: Int,
    $rankBy: RankBy!, $prefix: PrefixInput, $maxItems: Int!) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topper(meter: 0, window: $window, rankBy: $rankBy, ago: $ago, prefix: $prefix,
          maxItems: $maxItems) {
        total keyCount keys { key metric rankValue }
      }
    }
  }
}`;

const TREND = `query ($context: String!, $group: Guid!, $window: WindowInput!, $maxItems: Int!) {
  context(name: $context) {
    counterGroup(guid: $group) {
      topperTrend(meter: 0, window: $window, every: 3600, maxItems: $maxItems) {
        total keys { key metric }
      }
    }
  }
}`;

const KEYS = `query ($context: String!, $group: Guid!, $search: String, $after: String) {
  context(name: $context) {
    counterGroup(guid: $group) {
      keys(search: $search, first: 50, after: $after) {
        edges { node { key label } } pageInfo { endCursor }
      }
    }
  }
}`;

type KeyPage = {
  readonly edges: readonly unknown[];
  readonly pageInfo: { readonly endCursor: string | null };
};

type InGroup<Answer> = { readonly context: { readonly counterGroup: Answer } };

const DAY = { from: START, to: START + DAY_SECONDS };
const LAST_HOUR = { from: DAY.to - 3600, to: DAY.to };
const ITEMS = 100;

export async function askTopper(
  client: GraphClient,
  asked: { readonly interval: object; readonly filter?: object; readonly maxItems: number },
): Promise<DayTopper> {
  const { interval, filter = null, maxItems } = asked;
  const variables = { context: CONTEXT, group: GROUP, window: { interval }, filter, maxItems };
  const data = await client.ask<InGroup<{ topper: DayTopper }>>(TOPPER, variables);
  return data.context.counterGroup.topper;
}

async function askKeys(
  client: GraphClient,
  { search = null, after = null }: { search?: string | null; after?: string | null },
): Promise<KeyPage> {
  const variables = { context: CONTEXT, group: GROUP, search, after };
  const data = await client.ask<InGroup<{ keys: KeyPage }>>(KEYS, variables);
  return data.context.counterGroup.keys;
}

type Ranked = {
  readonly rankBy: string;
  readonly interval?: object;
  readonly ago?: number;
  readonly prefix?: object;
};

const ranked = ({ rankBy, interval = DAY, ago, prefix }: Ranked): ChurnCase['ask'] => {
  return (client, turn) => {
    const asked = { window: { interval }, rankBy, ago, prefix, maxItems: ITEMS + turn };
    return client.ask(RANKED, { context: CONTEXT, group: GROUP, ...asked });
  };
};

/** The topper of the day, with a number of keys that no other question has. */
export const askDay = (client: GraphClient): Promise<DayTopper> =>
  askTopper(client, { interval: DAY, maxItems: 1 });

/** Asks for windows without data, so that the server compiles and opens what all requests need. */
export async function warmUp(client: GraphClient): Promise<void> {
  const interval = { from: DAY.from - DAY_SECONDS, to: DAY.from - 3600 };
  for (let turn = 0; turn < 5; turn += 1) {
    await askTopper(client, { interval, maxItems: 10 + turn });
  }
}

const filtered = (filter: (turn: number) => object): ChurnCase['ask'] => {
  return (client, turn) =>
    askTopper(client, { interval: DAY, filter: filter(turn), maxItems: ITEMS });
};

const hex = (value: number): string => value.toString(16).toUpperCase().padStart(2, '0');

export const CHURN_CASES: readonly ChurnCase[] = [
  {
    name: 'topper of the day',
    ask: (client, turn) => askTopper(client, { interval: DAY, maxItems: ITEMS + turn }),
  },
  {
    name: 'topper of an hour',
    ask: (client, turn) => askTopper(client, { interval: LAST_HOUR, maxItems: ITEMS + turn }),
  },
  {
    name: 'new key pattern',
    ask: filtered((turn) => ({ match: `(1|3)F\\.${hex(32 + turn)}.*[37]$` })),
  },
  { name: 'network prefix', ask: filtered((turn) => ({ cidr: [`${91 + turn}.0.0.0/8`] })) },
  { name: 'text search in a topper', ask: filtered((turn) => ({ search: `${61 + turn}.77` })) },
  { name: 'day by PEAK', ask: ranked({ rankBy: 'PEAK' }) },
  { name: 'day by PERCENTILE', ask: ranked({ rankBy: 'PERCENTILE' }) },
  {
    name: 'last hour by GROWTH',
    ask: ranked({ rankBy: 'GROWTH', interval: LAST_HOUR, ago: 3600 }),
  },
  {
    name: 'last hour by NEW',
    ask: ranked({ rankBy: 'NEW', interval: LAST_HOUR, ago: 3600 }),
  },
  { name: 'networks of /16', ask: ranked({ rankBy: 'METRIC', prefix: { ipv4: 16 } }) },
  {
    name: 'trend of the day by hours',
    ask: (client, turn) => {
      const asked = { window: { interval: DAY }, maxItems: 10 + turn };
      return client.ask(TREND, { context: CONTEXT, group: GROUP, ...asked });
    },
  },
  {
    name: 'text search over keys',
    ask: (client, turn) => askKeys(client, { search: `8${turn % 10}.99` }),
  },
  {
    name: 'page of keys, and the next',
    async ask(client) {
      const { pageInfo } = await askKeys(client, {});
      await askKeys(client, { after: pageInfo.endCursor });
    },
  },
];
