import type { Address } from '../../address/address.ts';
import type { ContextChoice, Span } from '../choices.ts';
import { type EarlierTime, earlierTimes } from '../overview/compared-times.ts';
import { cardsVariables, overviewVariables, trafficOf } from '../overview/overview-question.ts';
import { IN_CONTEXT, ofContext, zoneOf } from './asked-queries.ts';
import {
  type GivenVariables,
  type WriteArguments,
  type WrittenQuery,
  writtenQuery,
} from './written-query.ts';

/** Number of keys that a card lists. */
const LISTED = 5;

/** Returns a query for the traffic, now and earlier, and for the largest keys of each group. */
export function overviewQuery(
  address: Address,
  choice: ContextChoice | null,
  window: Span,
): WrittenQuery {
  const asked = overviewVariables(address, choice);
  const { cards, cardMeter, cardStep } = cardsVariables(address, choice);
  const hasTraffic = trafficOf(choice) !== null;
  const given: GivenVariables = {
    ...ofContext(asked),
    ...(hasTraffic && trafficGiven(asked, window)),
    window: ['WindowInput!', asked.window],
    timeZone: ['String!', zoneOf(asked)],
    probe: ['String', asked.probe ?? null],
    cards: ['[Guid!]!', cards],
    cardMeter: ['Int!', cardMeter],
    cardStep: ['Int', cardStep ?? null],
    items: ['Int!', LISTED],
  };
  return writtenQuery(
    'Overview',
    given,
    (args) => `  context${args(IN_CONTEXT)} {${hasTraffic ? trafficText(asked, args) : ''}
    cards: counterGroups${args([['guids', 'cards']])} {
      name
      topper${args([['meter', 'cardMeter'], ...AT_TIME, ['maxItems', 'items']])} {
        total
        keyCount
        keys {
          key
          label
          readable
          metric
          volume
          series${args([['step', 'cardStep']])} { at value }
        }
      }
    }
  }`,
  );
}

const AT_TIME = ['window', 'timeZone', 'probe'] as const;

type Asked = ReturnType<typeof overviewVariables>;

function trafficGiven(asked: Asked, window: Span): GivenVariables {
  // Keys have an earlier value that moves with the window; totals of groups do not.
  const [first, second] = asked.ofKeys ? earlierTimes(window) : [];
  const agoOf = (time: EarlierTime | undefined) => (time ? window.from - time.span.from : null);
  const { hasSides } = asked;
  return {
    traffic: ['Guid!', asked.traffic],
    meter: ['Int!', asked.meter],
    keys: ['KeyFilterInput', asked.keys ?? null],
    step: ['Int', asked.step ?? null],
    newest: ['WindowInput!', asked.newest],
    first: ['Int!', agoOf(first)],
    second: ['Int!', agoOf(second)],
    intoMeter: ['Int!', hasSides ? asked.intoMeter : null],
    intoKeys: ['KeyFilterInput', hasSides ? (asked.intoKeys ?? null) : null],
    outMeter: ['Int!', hasSides ? asked.outMeter : null],
    outKeys: ['KeyFilterInput', hasSides ? (asked.outKeys ?? null) : null],
  };
}

function trafficText({ ofKeys, hasSides }: Asked, args: WriteArguments): string {
  const amount = ofKeys ? 'keys { metric }' : 'total';
  const series = args(['step']);
  const earlier = (['first', 'second'] as const).map((name) => {
    const ago = args([['ago', name]]);
    return (
      ago &&
      `
          ${name}: previous${ago} { metric window { from to } compared { available { from to } } }`
    );
  });
  const overTime = (more = '') =>
    ofKeys
      ? `keys {
          metric
          series${series} { at value }${more}
        }`
      : `total
        series${series} { at total }`;
  const side = (name: string, meter: string, filter: string) => `
      ${name}: topper${args([['meter', meter], ...AT_TIME, ['filter', filter]])} {
        ${overTime()}
      }`;
  return `
    traffic: counterGroup${args([['guid', 'traffic']])} {
      name
      newest: topper${args(['meter', ['window', 'newest'], 'probe', ['filter', 'keys']])} {
        window { from to }
        ${amount}
      }
      all: topper${args(['meter', ...AT_TIME, ['filter', 'keys']])} {
        window { from to }
        availableWindow { from to }
        ${overTime(earlier.join(''))}
      }${hasSides ? side('into', 'intoMeter', 'intoKeys') + side('outOf', 'outMeter', 'outKeys') : ''}
    }`;
}
