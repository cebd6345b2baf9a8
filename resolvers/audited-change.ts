import type { AuditActor } from '../domain/audit/audit-entry.ts';

/** The log entry of a change: who, what and where. Never a value, which may be a secret. */
export type AuditedChange = AuditActor & { readonly context: string } & (
    | KeysChange
    | SliceChange
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

/** The user lacks the role. */
type RefusedChange = { readonly mutation: MutationName; readonly refused: true };

export const MUTATIONS = ['updateKeys', 'updateSlice'] as const;

export type MutationName = (typeof MUTATIONS)[number];
