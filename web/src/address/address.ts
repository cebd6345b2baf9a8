import { type AddressFault, type AddressReader, addressReader } from './address-reader.ts';
import { FILTER_KINDS, type Filter, parseFilters, SEVERAL } from './filters.ts';
import { formatPrefix, type Prefix, parsePrefix } from './prefix.ts';
import {
  BY_METRIC,
  CHANGE_RANKINGS,
  formatRanking,
  parseRanking,
  type Ranking,
} from './ranking.ts';
import { formatRuleDraft, parseRuleDraft, type RuleDraft } from './rule-draft.ts';
import { formatStep, parseStep } from './step.ts';
import {
  DEFAULT_WINDOW,
  formatWindow,
  movesOn,
  movingWindow,
  OVERVIEW_WINDOW,
  parseWindow,
  WINDOW_NAMES,
  type WindowChoice,
} from './window-choice.ts';

/** Everything that a view shows: an address and a user's grants always give the same page. */
export type Address = {
  readonly view: View;
  /** null: the first one. */
  readonly context: string | null;
  /** Name of the node that answers; null: the primary, or the recovery node. */
  readonly node: string | null;
  readonly fromDr: boolean;
  readonly group: string | null;
  readonly meter: number | null;
  readonly probe: string | null;
  readonly window: WindowChoice;
  /** Whether the view follows the data; its window then moves with it. */
  readonly live: boolean;
  readonly compare: Comparison;
  readonly ranking: Ranking;
  /** The networks that replace addresses; null: keys stay as they are. */
  readonly prefix: Prefix | null;
  readonly items: number;
  /** All kinds of them must hold. */
  readonly filters: readonly Filter[];
  /** Raw keys that are left out, as if they did not exist. */
  readonly hidden: readonly string[];
  /** Raw key whose panel is open. */
  readonly key: string | null;
  /** The cross-key group that the drill-down starts with; null: the group's first one. */
  readonly by: string | null;
  /** Name of the alert rule whose history is shown; null: all rules. */
  readonly alert: string | null;
  /** Cursor after which the page of the history begins; null: the newest page. */
  readonly after: string | null;
  /** The alert rule whose form is open. */
  readonly draft: RuleDraft | null;
  /** How the events of a page of the history are sorted. */
  readonly order: (typeof ORDERS)[number];
  /** The user or group whose panel is open. */
  readonly account: Account | null;
  /** Name of the user whose rows of the audit are shown; null: everybody's. */
  readonly actor: string | null;
  /** Time from which rows of the audit are shown, in epoch seconds; null: all. */
  readonly since: number | null;
  /** Seconds per step of a trend; null: as many steps as fit the window. */
  readonly step: number | null;
  /** What the colours of a trend show. */
  readonly color: 'rank' | 'share';
  /** How a trend is shown. */
  readonly form: 'map' | 'table';
  /** Whether the chart has the keys that are not listed; null: unless they are most of it. */
  readonly others: 'on' | 'off' | null;
  /** How the chart of top keys is drawn, where values add up. */
  readonly chart: ChartForm;
  readonly units: Units;
  /** IANA name; null: the viewer's. */
  readonly zone: string | null;
};

export const VIEWS = [
  'overview',
  'top',
  'flows',
  'trend',
  'alerts',
  'storage',
  'add',
  'users',
] as const;

export type View = (typeof VIEWS)[number];

/** By severity, or by time. */
const ORDERS = ['matters', 'newest'] as const;

/** A user, or a group of an identity provider, which may have the same name. */
export type Account = { readonly name: string; readonly isGroup: boolean };

export const CHART_FORMS = ['stack', 'lines', 'share'] as const;

export type ChartForm = (typeof CHART_FORMS)[number];

/** The units of amounts and rates of data, and whether a k is 1000 or 1024. */
export type Units = {
  readonly amounts: 'bytes' | 'bits';
  readonly rates: 'bytes' | 'bits';
  readonly base: 1000 | 1024;
};

/** What a window is compared with: the one just before, or the same time a day or week ago. */
export const COMPARISONS = ['before', 'day', 'week'] as const;

export type Comparison = (typeof COMPARISONS)[number];

export const ITEMS: readonly number[] = [10, 20, 50, 100];

export const DEFAULT_UNITS: Units = { amounts: 'bytes', rates: 'bits', base: 1000 };

/** An address as it was read, with what in it cannot be used. */
export type ReadAddress = {
  readonly address: Address;
  readonly faults: readonly AddressFault[];
  /** Names of parameters that there are not. */
  readonly unknown: readonly string[];
};

export const parseAddress = (search: string): Address => readAddress(search).address;

/** Reads an address. People type addresses and cut them off: what is wrong is told beside it. */
export function readAddress(search: string): ReadAddress {
  const given = new URLSearchParams(search);
  const reader = addressReader(given);
  const unnamed = unnamedView(given);
  const view = reader.oneOf('view', [unnamed, ...VIEWS.filter((each) => each !== unnamed)]);
  const address = {
    view,
    ...readSource(reader),
    ...readTime(reader, view),
    ...readKeys(reader),
    filters: readFilters(reader, given),
    ...readLooks(reader),
    ...readOtherViews(reader),
  };
  return { address, faults: reader.faults(), unknown: reader.unknown() };
}

function readSource(reader: AddressReader) {
  const node = reader.text('node');
  const fromDr = readSwitch(reader, 'dr');
  if (fromDr && node !== null) reader.ignored('dr', 'node');
  return {
    context: reader.text('context'),
    node,
    fromDr: fromDr && node === null,
    group: reader.read('group', { ...GUID, instead: 'the first group' }),
    meter: reader.read('meter', { ...WHOLE_NUMBER, instead: 'the first meter' }),
    probe: reader.text('probe'),
  };
}

function readTime(reader: AddressReader, view: View) {
  const usual = view === 'overview' ? OVERVIEW_WINDOW : DEFAULT_WINDOW;
  const window = reader.read('window', {
    parse: parseWindow,
    must: `a length such as 30m, 6h or 7d, ${Object.keys(WINDOW_NAMES).join(', ')}, or FROM-TO in seconds since 1970`,
    otherwise: usual,
    instead: `the last ${usual.seconds / 3600} hours`,
  });
  const live = readSwitch(reader, 'live');
  return {
    window: live ? movingWindow(window) : window,
    live,
    compare: reader.oneOf('vs', COMPARISONS),
    zone: reader.read('tz', {
      parse: parseZone,
      must: 'a time zone such as Europe/Berlin or UTC',
      otherwise: null,
      instead: 'your own time zone',
    }),
  };
}

function readKeys(reader: AddressReader) {
  return {
    ranking: reader.read('rank', {
      parse: parseRanking,
      must: `metric, peak, a percentile such as p95, ${CHANGE_RANKINGS.join(', ')}`,
      otherwise: BY_METRIC,
      instead: 'ranked by metric',
    }),
    prefix: reader.read('prefix', {
      parse: parsePrefix,
      must: 'one or two lengths of networks, such as 24 or 24,48',
      otherwise: null,
      instead: 'keys as they are',
    }),
    items: reader.read('top', {
      parse: (text) => ITEMS.find((count) => String(count) === text) ?? null,
      must: `${ITEMS.slice(0, -1).join(', ')} or ${ITEMS.at(-1)}`,
      otherwise: 10,
      instead: 'the top 10',
    }),
    hidden: reader.list('hide'),
    key: reader.text('key'),
    by: reader.read('by', { ...GUID, instead: 'the first cross-key group' }),
  };
}

function readFilters(reader: AddressReader, given: URLSearchParams): readonly Filter[] {
  for (const kind of FILTER_KINDS) {
    if (SEVERAL.has(kind)) reader.list(kind);
    else reader.text(kind);
  }
  return parseFilters(given);
}

function readLooks(reader: AddressReader) {
  return {
    step: reader.read('step', {
      parse: parseStep,
      must: 'a length such as 30s, 15m, 1h or 7d',
      otherwise: null,
      instead: 'steps that fit the window',
    }),
    color: reader.oneOf('color', ['rank', 'share']),
    form: reader.oneOf('form', ['map', 'table']),
    others: reader.read<'on' | 'off', null>('others', {
      parse: (text) => (text === 'on' || text === 'off' ? text : null),
      must: 'on or off',
      otherwise: null,
      instead: 'on, unless they are most of it',
    }),
    chart: reader.oneOf('chart', CHART_FORMS),
    units: {
      amounts: reader.oneOf('amounts', [DEFAULT_UNITS.amounts, 'bits']),
      rates: reader.oneOf('rates', [DEFAULT_UNITS.rates, 'bytes']),
      base: reader.oneOf('base', ['1000', '1024']) === '1024' ? 1024 : 1000,
    } satisfies Units,
  };
}

function readOtherViews(reader: AddressReader) {
  return {
    alert: reader.text('alert'),
    after: reader.text('after'),
    draft: reader.read('rule', {
      parse: parseRuleDraft,
      must: 'new, or change: or copy: with the name of a rule',
      otherwise: null,
      instead: 'all rules',
    }),
    order: reader.oneOf('order', ORDERS),
    account: readAccount(reader),
    actor: reader.text('actor'),
    since: reader.read('since', {
      ...WHOLE_NUMBER,
      parse: (text) => wholeNumber(text, 10),
      must: 'seconds since 1970',
      instead: 'all that was done',
    }),
  };
}

/**
 * Returns an address with some parts changed. A view that goes live gets a moving window, and a
 * view that gets a window that does not move is no longer live. A key is hidden only once.
 */
export function changed(address: Address, changes: Partial<Address>): Address {
  const hidden = [...new Set(changes.hidden ?? address.hidden)];
  const next = { ...address, ...changes, hidden };
  if (changes.live) return { ...next, window: movingWindow(next.window) };
  return { ...next, live: next.live && movesOn(next.window) };
}

/** Returns `?…` or nothing. Defaults are omitted, but not what was chosen for the viewer. */
export function formatAddress(address: Address): string {
  const { units, window, account } = address;
  const parts: readonly (readonly [string, string | null])[] = [
    ['context', address.context],
    ['node', address.node],
    ['dr', address.fromDr ? '1' : null],
    ['group', bare(address.group)],
    ['meter', address.meter === null ? null : String(address.meter)],
    ['probe', address.probe],
    ['window', formatWindow(window)],
    ['live', address.live ? '1' : null],
    ['vs', address.compare === 'before' ? null : address.compare],
    ['rank', address.ranking.by === 'metric' ? null : formatRanking(address.ranking)],
    ['prefix', address.prefix && formatPrefix(address.prefix)],
    ['top', address.items === 10 ? null : String(address.items)],
    ...address.filters.map(({ kind, text }) => [kind, text] as const),
    ...address.hidden.map((key) => ['hide', key] as const),
    ['key', address.key],
    ['by', bare(address.by)],
    ['alert', address.alert],
    ['after', address.after],
    ['rule', address.draft && formatRuleDraft(address.draft)],
    ['order', address.order === 'matters' ? null : address.order],
    [account?.isGroup ? 'usergroup' : 'user', account?.name ?? null],
    ['actor', address.actor],
    ['since', address.since === null ? null : String(address.since)],
    ['step', address.step === null ? null : formatStep(address.step)],
    ['color', address.color === 'rank' ? null : address.color],
    ['form', address.form === 'map' ? null : address.form],
    ['others', address.others],
    ['chart', address.chart === 'stack' ? null : address.chart],
    ['amounts', units.amounts === DEFAULT_UNITS.amounts ? null : units.amounts],
    ['rates', units.rates === DEFAULT_UNITS.rates ? null : units.rates],
    ['base', units.base === DEFAULT_UNITS.base ? null : String(units.base)],
    ['tz', address.zone],
  ];
  const rest = new URLSearchParams();
  for (const [name, value] of parts) if (value !== null) rest.append(name, value);
  const isNamed = address.view !== unnamedView(rest);
  const query = new URLSearchParams([...(isNamed ? [['view', address.view]] : []), ...rest]);
  // A query may contain slashes and commas, which make zones, networks and lengths easier to read.
  return query.size > 0 ? `?${String(query).replaceAll('%2F', '/').replaceAll('%2C', ',')}` : '';
}

/** The parts of an address that mean Top keys if it names no view: addresses of before 2.4.0. */
const OF_TOP_KEYS = ['group', 'meter', 'prefix', 'hide', 'key', ...FILTER_KINDS] as const;

/** Returns the view of an address that names none. */
const unnamedView = (given: URLSearchParams): View =>
  OF_TOP_KEYS.some((name) => given.get(name)) ? 'top' : 'overview';

const bare = (guid: string | null): string | null => guid?.replace(/[{}]/g, '') ?? null;

/** Parses a GUID into the form that answers have; null if it is not one. */
function parseGuid(text: string): string | null {
  const digits = text.replace(/^\{|\}$/g, '').toUpperCase();
  return /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/.test(digits) ? `{${digits}}` : null;
}

const GUID = {
  parse: parseGuid,
  must: 'a GUID such as 4CD742B1-C1CA-4708-BE78-0FCA2EB01A86',
  otherwise: null,
} as const;

const wholeNumber = (text: string, digits = 9): number | null =>
  /^\d+$/.test(text) && text.length <= digits ? Number(text) : null;

const WHOLE_NUMBER = {
  parse: (text: string) => wholeNumber(text),
  must: 'a whole number',
  otherwise: null,
} as const;

const readSwitch = (reader: AddressReader, name: string): boolean =>
  reader.oneOf(name, ['0', '1']) === '1';

function readAccount(reader: AddressReader): Account | null {
  const user = reader.text('user');
  const group = reader.text('usergroup');
  if (user && group) reader.ignored('usergroup', 'user');
  const name = user ?? group;
  return name === null ? null : { name, isGroup: user === null };
}

function parseZone(text: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    // This browser does not know the zone.
    return null;
  }
}
