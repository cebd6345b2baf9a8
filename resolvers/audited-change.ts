import type { AuditActor } from '../domain/audit/audit-entry.ts';

/** The log entry of a change: who, what and where. Never a value, which may be a secret. */
export type AuditedChange = AuditActor & (ContextChange | AccessChange);

type ContextChange = { readonly context: string } & (
  | KeysChange
  | SliceChange
  | FileUpload
  | ViewChange
  | ChangeOfAlert
  | RefusedChange
);

type KeysChange = {
  readonly mutation: 'updateKeys';
  readonly group: string;
  /** Keys in raw form, each with the names of the fields in the request. */
  readonly keys: readonly { readonly key: string; readonly fields: readonly string[] }[];
  /** Number of keys that were different before. */
  readonly changed: number;
};

type SliceChange = {
  readonly mutation: 'updateSlice';
  readonly slice: number;
  readonly fields: readonly ['tags'];
  readonly changed: number;
};

type FileUpload = {
  readonly mutation: 'upload';
  /** The name of the file. */
  readonly file: string;
  readonly format: string;
};

type ViewChange = {
  readonly mutation: ViewMutation;
  /** The name of the view. */
  readonly view: string;
};

type ChangeOfAlert = {
  readonly mutation: AlertMutation;
  /** The name of the rule, or the id of the event. */
  readonly alert: string;
};

/** The user lacks the role, or a grant of all of the context if the change needs it. */
type RefusedChange = { readonly mutation: ContextMutation; readonly refused: true };

/** A change of users, tokens or grants. */
type AccessChange = {
  readonly mutation: AccessMutation;
  /** The name of the user or group. */
  readonly object: string;
  /** The caller is no administrator. */
  readonly refused?: true;
};

const VIEW_MUTATIONS = ['saveView', 'removeView', 'starView'] as const;

const ALERT_MUTATIONS = ['saveAlert', 'removeAlert', 'silenceAlert', 'acknowledgeEvent'] as const;

const CONTEXT_MUTATIONS = [
  'updateKeys',
  'updateSlice',
  'upload',
  ...VIEW_MUTATIONS,
  ...ALERT_MUTATIONS,
] as const;

/** Those for administrators. */
const ACCESS_MUTATIONS = [
  'addUser',
  'removeUser',
  'setAdmin',
  'saveGrant',
  'revokeGrant',
  'makeToken',
  'revokeToken',
  'endSessions',
] as const;

export const MUTATIONS = [...CONTEXT_MUTATIONS, ...ACCESS_MUTATIONS] as const;

export type ViewMutation = (typeof VIEW_MUTATIONS)[number];

export type ContextMutation = (typeof CONTEXT_MUTATIONS)[number];

export type AccessMutation = (typeof ACCESS_MUTATIONS)[number];

export type MutationName = ContextMutation | AccessMutation;

export type AlertMutation = (typeof ALERT_MUTATIONS)[number];
