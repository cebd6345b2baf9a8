import type { Address } from '../address/address.ts';
import type { Navigate } from '../address/use-address.ts';
import type { Session } from '../api/session.ts';
import type { ContextChoice, GroupChoice, SubjectSpan } from '../data/choices.ts';
import type { Moments } from '../format/moment.ts';
import type { ThemeState } from '../parts/theme.ts';
import type { AlertsState } from './alerts-state.ts';

/** The props of every view. */
export type ViewProps = {
  readonly session: Session;
  readonly address: Address;
  readonly navigate: Navigate;
  /** The address's context and group; null: not known yet, or they do not exist. */
  readonly choice: ContextChoice | null;
  readonly group: GroupChoice | null;
  readonly theme: ThemeState;
  readonly moments: Moments;
  readonly alerts: AlertsState;
  /** Called with the choices that an answer has. */
  readonly onChoice: (
    names: readonly string[],
    choice: ContextChoice | null,
    learned: SubjectSpan | null,
  ) => void;
  readonly onSignOut: (why: string | null) => void;
};

/** Parts of an address that mean nothing in another view. */
export const IN_NO_VIEW = {
  key: null,
  alert: null,
  after: null,
  draft: null,
  account: null,
  actor: null,
  since: null,
} as const;

/** Nor do these in a view of all groups. */
export const OF_NO_GROUP = {
  ...IN_NO_VIEW,
  group: null,
  meter: null,
  prefix: null,
  filters: [],
  hidden: [],
} as const;

/** Why the user has to sign in again. */
export const SIGNED_OUT = 'Your session has ended. Sign in again.';
