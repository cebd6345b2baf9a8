/** A rule that is being made or changed. */
export type RuleDraft =
  | { readonly kind: 'new' }
  /** copy: a new rule that begins as another one. */
  | { readonly kind: 'change' | 'copy'; readonly rule: string };

/** Parses `new`, `change:NAME`, `copy:NAME`; null for anything else. */
export function parseRuleDraft(text: string): RuleDraft | null {
  if (text === 'new') return { kind: 'new' };
  const [, kind, rule] = /^(change|copy):(.+)$/s.exec(text) ?? [];
  if (!rule) return null;
  return { kind: kind === 'copy' ? 'copy' : 'change', rule };
}

export const formatRuleDraft = (draft: RuleDraft): string =>
  draft.kind === 'new' ? 'new' : `${draft.kind}:${draft.rule}`;
