import type { Piece } from '../../domain/text/long-text.ts';
import type { Text } from './field-plan.ts';

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === 'function';

export const isPending = (text: Text): text is Promise<Piece> => text instanceof Promise;

export const arePieces = (texts: readonly Text[]): texts is readonly Piece[] =>
  !texts.some(isPending);
