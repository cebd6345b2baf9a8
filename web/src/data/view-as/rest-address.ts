import type { Address } from '../../address/address.ts';
import { textsOf } from '../../address/filters.ts';
import { DEFAULT_PERCENTILE } from '../../address/ranking.ts';
import type { WindowChoice } from '../../address/window-choice.ts';
import type { Span } from '../choices.ts';
import { itemsOf } from '../questions.ts';

/** The path and query of a REST request, or why there is none that gives the same. */
export type RestAddress = { readonly path: string } | { readonly why: string };

type Parameters = Readonly<Record<string, string | number | null>>;

const pathOf = (endpoint: string, parameters: Parameters): RestAddress => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null) query.set(name, String(value));
  }
  return { path: `api/${endpoint}/${endpoint}_request?${query}` };
};

const ofContext = ({ context, node, fromDr }: Address): Parameters => ({
  context,
  destination_node: node,
  get_from_dr: fromDr ? 'true' : null,
});

/** Returns the request for the listed keys, which were those of this span. */
export function topRest(address: Address, span: Span): RestAddress {
  const { ranking, prefix, filters, hidden } = address;
  if (ranking.by !== 'metric') return { why: 'REST ranks keys by their metric only.' };
  if (prefix) return { why: 'REST does not put networks in place of addresses.' };
  if (filters.some(({ kind }) => kind !== 'match' && kind !== 'except')) {
    return { why: 'REST filters by a pattern in the raw key only.' };
  }
  const [match = null] = textsOf(filters, 'match');
  const [except = null] = textsOf(filters, 'except');
  const without = [except, ...hidden.map((key) => `^${quotedPattern(key)}$`)];
  return pathOf('topper', {
    ...ofContext(address),
    counter_group: address.group,
    meter: address.meter,
    probe_id: address.probe,
    maxitems: itemsOf(address),
    ...windowParameters(address.window, span),
    time_zone: isToday(address.window) ? address.zone : null,
    get_percentiles: DEFAULT_PERCENTILE,
    key_filter: match,
    inverse_key_filter: without.filter((text) => text !== null).join('|') || null,
  });
}

const isToday = (window: WindowChoice): boolean =>
  window.kind === 'named' && window.name === 'today';

/** Today is the window of requests that name none; other names mean a span. */
function windowParameters(window: WindowChoice, { from, to }: Span): Parameters {
  if (window.kind === 'recent') return { recentsecs: window.seconds };
  return isToday(window) ? {} : { window_fromts: from, window_tots: to };
}

/** Returns an RE2 pattern that finds just this text. */
const quotedPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

export const storageRest = (address: Address): RestAddress =>
  pathOf('time_slices', {
    ...ofContext(address),
    get_all_engines: 'true',
    get_disk_usage: 'true',
  });
