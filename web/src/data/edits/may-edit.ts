import type { Address } from '../../address/address.ts';

type EditableContexts = {
  readonly viewer: { readonly editableContexts: readonly { readonly name: string }[] };
} | null;

type Place = Pick<Address, 'context' | 'node' | 'fromDr'>;

/** Returns whether to offer changes: to editors, if the primary answers, which accepts them. */
export const mayEdit = (data: EditableContexts, { context, node, fromDr }: Place): boolean =>
  node === null &&
  !fromDr &&
  (data?.viewer.editableContexts.some(({ name }) => name === context) ?? false);
