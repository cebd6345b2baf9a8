import { formatPrefix, type Prefix, parsePrefix } from './prefix.ts';
import { BY_METRIC, formatRanking, parseRanking, type Ranking } from './ranking.ts';
import { formatStep, parseStep } from './step.ts';
import {
  DEFAULT_WINDOW,
  formatWindow,
  movesOn,
  movingWindow,
  parseWindow,
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
  readonly filter: Filter | null;
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
  /** Whether the stack goes up to the total. */
  readonly others: boolean;
  readonly units: Units;
  /** IANA name; null: the viewer's. */
  readonly zone: string | null;
};

export type View = 'top' | 'trend' | 'alerts' | 'storage' | 'add' | 'users';

/** A user, or a group of an identity provider, which may have the same name. */
export type Account = { readonly name: string; readonly isGroup: boolean };

/** The units of amounts and rates of data, and whether a k is 1000 or 1024. */
export type Units = {
  readonly amounts: 'bytes' | 'bits';
  readonly rates: 'bytes' | 'bits';
  readonly base: 1000 | 1024;
};

export const FILTER_KINDS = ['find', 'cidr', 'match', 'except'] as const;

export type FilterKind = (typeof FILTER_KINDS)[number];

export type Filter = { readonly kind: FilterKind; readonly text: string };

/** What a window is compared with: the one just before, or the same time a day or week ago. */
export const COMPARISONS = ['before', 'day', 'week'] as const;

export type Comparison = (typeof COMPARISONS)[number];

export const ITEMS: readonly number[] = [10, 20, 50, 100];

export const DEFAULT_UNITS: Units = { amounts: 'bytes', rates: 'bits', base: 1000 };

/** Parses an address. Unreadable parts are ignored: people type addresses and cut them off. */
export function parseAddress(search: string): Address {
  const given = new URLSearchParams(search);
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | null =>
    values.find((value) => value === given.get(name)) ?? null;
  const items = Number(given.get('top'));
  const window = parseWindow(given.get('window') ?? '') ?? DEFAULT_WINDOW;
  const live = given.get('live') === '1';
  return {
    view: oneOf('view', ['trend', 'alerts', 'storage', 'add', 'users'] as const) ?? 'top',
    context: given.get('context') || null,
    node: given.get('node') || null,
    fromDr: given.get('dr') === '1' && !given.get('node'),
    group: parseGuid(given.get('group')),
    meter: wholeNumber(given.get('meter')),
    probe: given.get('probe') || null,
    window: live ? movingWindow(window) : window,
    live,
    compare: oneOf('vs', COMPARISONS) ?? 'before',
    ranking: parseRanking(given.get('rank') ?? '') ?? BY_METRIC,
    prefix: parsePrefix(given.get('prefix') ?? ''),
    items: ITEMS.includes(items) ? items : 10,
    filter: parseFilter(given),
    hidden: [...new Set(given.getAll('hide').filter((key) => key !== ''))],
    key: given.get('key') || null,
    by: parseGuid(given.get('by')),
    alert: given.get('alert') || null,
    after: given.get('after') || null,
    account: parseAccount(given),
    actor: given.get('actor') || null,
    since: wholeNumber(given.get('since'), 10),
    step: parseStep(given.get('step') ?? ''),
    color: oneOf('color', ['share'] as const) ?? 'rank',
    form: oneOf('form', ['table'] as const) ?? 'map',
    others: given.get('others') !== 'off',
    units: {
      amounts: oneOf('amounts', ['bits'] as const) ?? 'bytes',
      rates: oneOf('rates', ['bytes'] as const) ?? 'bits',
      base: given.get('base') === '1024' ? 1024 : 1000,
    },
    zone: parseZone(given.get('tz')),
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
  const { units, filter, window, account } = address;
  const parts: readonly (readonly [string, string | null])[] = [
    ['view', address.view === 'top' ? null : address.view],
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
    [filter?.kind ?? '', filter?.text ?? null],
    ...address.hidden.map((key) => ['hide', key] as const),
    ['key', address.key],
    ['by', bare(address.by)],
    ['alert', address.alert],
    ['after', address.after],
    [account?.isGroup ? 'usergroup' : 'user', account?.name ?? null],
    ['actor', address.actor],
    ['since', address.since === null ? null : String(address.since)],
    ['step', address.step === null ? null : formatStep(address.step)],
    ['color', address.color === 'rank' ? null : address.color],
    ['form', address.form === 'map' ? null : address.form],
    ['others', address.others ? null : 'off'],
    ['amounts', units.amounts === DEFAULT_UNITS.amounts ? null : units.amounts],
    ['rates', units.rates === DEFAULT_UNITS.rates ? null : units.rates],
    ['base', units.base === DEFAULT_UNITS.base ? null : String(units.base)],
    ['tz', address.zone],
  ];
  const query = new URLSearchParams();
  for (const [name, value] of parts) if (value !== null) query.append(name, value);
  // A query may contain slashes and commas, which make zones, networks and lengths easier to read.
  return query.size > 0 ? `?${String(query).replaceAll('%2F', '/').replaceAll('%2C', ',')}` : '';
}

const bare = (guid: string | null): string | null => guid?.replace(/[{}]/g, '') ?? null;

/** Parses a GUID into the form that answers have; null if it is not one. */
function parseGuid(text: string | null): string | null {
  const digits = (text ?? '').replace(/^\{|\}$/g, '').toUpperCase();
  return /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/.test(digits) ? `{${digits}}` : null;
}

const wholeNumber = (text: string | null, digits = 9): number | null =>
  text !== null && /^\d+$/.test(text) && text.length <= digits ? Number(text) : null;

function parseFilter(given: URLSearchParams): Filter | null {
  const kind = FILTER_KINDS.find((each) => given.get(each));
  return kind ? { kind, text: given.get(kind) ?? '' } : null;
}

function parseAccount(given: URLSearchParams): Account | null {
  const isGroup = !given.get('user');
  const name = given.get(isGroup ? 'usergroup' : 'user');
  return name ? { name, isGroup } : null;
}

function parseZone(text: string | null): string | null {
  if (!text) return null;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch {
    // This browser does not know the zone.
    return null;
  }
}
